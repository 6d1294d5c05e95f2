// RUN: coda-opt %s --convert-coda-to-nvgpu=kernels-only=true --cse | FileCheck %s

// What becomes of the operands and results of a region.

// Gate and up fill the two halves of one rhs tile, so that they meet in one
// thread; the member is a coordinate of the copy. A row's factor is loaded for
// the two rows of a thread, once.
// CHECK-LABEL: llvm.func @swiglu_gemm
// CHECK: nvvm.setmaxregister decrease
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%{{[^,]*}}, %{{[^,]*}}] :
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[K:.*]], %[[N:.*]], %{{.*}}] :
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[K]], %[[N]], %{{.*}}] :
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK-COUNT-2: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.load
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: ex2.approx.ftz.f32
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: llvm.load
// CHECK: llvm.return
func.func @swiglu(%x: memref<?x256xbf16>, %w: memref<2x704x256xbf16>, %rstd: memref<?xf32>,
                  %z: memref<?x2x704xbf16>, %y: memref<?x704xbf16>) {
  coda.gemm rows(m) columns(f) members(p) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (p, f, k) : memref<2x704x256xbf16>)
      ins(%rstd at (m) : memref<?xf32>)
      outs(%z at (m, p, f) : memref<?x2x704xbf16>, %y at (m, f) : memref<?x704xbf16>) {
  ^bb0(%ga: f32, %ua: f32, %r: f32):
    %one = arith.constant 1.0 : f32
    %g = arith.mulf %ga, %r : f32
    %u = arith.mulf %ua, %r : f32
    %g16 = arith.truncf %g : f32 to bf16
    %u16 = arith.truncf %u : f32 to bf16
    %n = arith.negf %g : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %a = arith.mulf %g, %s : f32
    %p = arith.mulf %a, %u : f32
    %p16 = arith.truncf %p : f32 to bf16
    coda.yield %g16, %u16, %p16 : bf16, bf16, bf16
  }
  return
}

// A tile is prefetched by the elected thread while the product runs, read in
// the layout of the accumulator and replaced by a result.
// CHECK-LABEL: llvm.func @residual_gemm
// CHECK-SAME: stages = 3
// CHECK: nvvm.setmaxregister increase
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: scf.if
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.ldmatrix %[[TILE:.*]] {
// CHECK: nvvm.stmatrix %[[TILE]],
// A row sum: across lanes, published, finished by the last warp to arrive.
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: llvm.store
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: llvm.atomicrmw add {{.*}} syncscope("device") monotonic
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: llvm.load volatile
// CHECK: scf.for
// CHECK: llvm.load volatile
// CHECK: arith.addf
func.func @residual(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %res: memref<?x512xbf16>,
                    %h: memref<?x512xbf16>, %ss: memref<?xf32>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      ins(%res at (m, n) : memref<?x512xbf16>)
      outs(%h at (m, n) : memref<?x512xbf16>, %ss at (m) by add : memref<?xf32>) {
  ^bb0(%acc: f32, %r: bf16):
    %rf = arith.extf %r : bf16 to f32
    %v = arith.addf %acc, %rf : f32
    %v16 = arith.truncf %v : f32 to bf16
    %sq = arith.mulf %v, %v : f32
    coda.yield %v16, %sq : bf16, f32
  }
  return
}

// Arithmetic on bf16 is done in f32 and rounded once. A vector of the columns
// is loaded once for each pair, also for the second row of a thread.
// CHECK-LABEL: llvm.func @bias_gemm
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK-NEXT: vector.extract
// CHECK-NEXT: vector.extract
// CHECK-NEXT: nvvm.convert.f32x2.to.bf16x2
// CHECK-COUNT-31: llvm.load {{.*}} -> vector<2xbf16>
// CHECK-NOT: llvm.load
// CHECK: llvm.return
func.func @bias(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %bias: memref<512xbf16>,
                %y: memref<?x512xbf16>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      ins(%bias at (n) : memref<512xbf16>)
      outs(%y at (m, n) : memref<?x512xbf16>) {
  ^bb0(%acc: f32, %b: bf16):
    %a = arith.truncf %acc : f32 to bf16
    %r = arith.addf %a, %b : bf16
    coda.yield %r : bf16
  }
  return
}

// f32 results, and rows that no tensor map describes, are written by each
// thread where the point lies inside.
// CHECK-LABEL: llvm.func @direct_gemm
// CHECK-NOT: nvvm.stmatrix
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi ult
// CHECK: arith.andi {{.*}} : i1
// CHECK: scf.if
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
func.func @direct(%x: memref<?x256xbf16>, %w: memref<333x256xbf16>, %y: memref<?x333xf32>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<333x256xbf16>)
      outs(%y at (m, n) : memref<?x333xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}
