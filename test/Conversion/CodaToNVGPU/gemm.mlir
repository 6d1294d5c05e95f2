// RUN: coda-opt %s --convert-coda-to-nvgpu=kernels-only=true | FileCheck %s

// The structure of a kernel: parameters, roles, the protocol of a stage.

// CHECK: gpu.module @coda_kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx83">]
// CHECK: llvm.mlir.global external @coda_shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64}

// Tensor maps come by value, then sizes; 4 stages and 2 x 2 store buffers.
// CHECK-LABEL: llvm.func @product_gemm
// CHECK-COUNT-3: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: coda.schedule = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 1, mode = cooperative>
// CHECK-SAME: coda.shared_memory = 229440
// CHECK-SAME: nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384>
// CHECK-COUNT-8: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init

// The producer.
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: scf.for
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[K:.*]], %{{.*}}]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[K]], %{{.*}}]

// The consumers: the first product overwrites undefined registers.
// CHECK: nvvm.setmaxregister increase 240
// CHECK: scf.for
// CHECK: llvm.mlir.undef
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: scf.for
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;"

// Four sub-tiles of four matrices each leave through shared memory.
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0
// CHECK: llvm.return
func.func @product(%x: memref<?x512xbf16>, %w: memref<1024x512xbf16>, %y: memref<?x1024xbf16>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x512xbf16>) rhs(%w at (n, k) : memref<1024x512xbf16>)
      outs(%y at (m, n) : memref<?x1024xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// Few columns take a narrow tile, which leaves room for more stages.
// CHECK-LABEL: llvm.func @narrow_gemm
// CHECK-SAME: coda.schedule = #coda.schedule<tile = [128, 64, 64], stages = 6,
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 16>, {{.*}} A[<f16>
func.func @narrow(%x: memref<?x512xf16>, %w: memref<40x512xf16>, %y: memref<?x40xf16>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x512xf16>) rhs(%w at (n, k) : memref<40x512xf16>)
      outs(%y at (m, n) : memref<?x40xf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to f16
    coda.yield %r : f16
  }
  return
}

// A requested schedule is taken as it is: two blocks of 64 rows a consumer.
// CHECK-LABEL: llvm.func @requested_gemm
// CHECK-SAME: coda.schedule = #coda.schedule<tile = [256, 128, 64], stages = 2,
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-2: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, <zero>]
// CHECK-COUNT-6: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
func.func @requested(%x: memref<?x512xbf16>, %w: memref<1024x512xbf16>, %y: memref<?x1024xbf16>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x512xbf16>) rhs(%w at (n, k) : memref<1024x512xbf16>)
      outs(%y at (m, n) : memref<?x1024xbf16>)
      attributes {schedule = #coda.schedule<tile = [256, 128, 64], stages = 2, cluster = 1, mode = cooperative>} {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}
