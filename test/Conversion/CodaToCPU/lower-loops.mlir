// RUN: coda-opt %s --coda-cpu-lower-loops --split-input-file | FileCheck %s
// RUN: coda-opt %s --coda-cpu-lower-loops=parallel=false --split-input-file | FileCheck %s --check-prefix=SERIAL

// Both inputs run along k: vectors of partial sums, one sum at the end.
// CHECK-LABEL: func @dot
// SERIAL-LABEL: func @dot
// SERIAL-NOT: scf.parallel
func.func @dot(%x: memref<32x4096xbf16>, %w: memref<512x4096xbf16>, %y: memref<32x512xf32>) {
  // CHECK: scf.parallel
  // CHECK: %[[SUMS:.*]]:8 = scf.for
  // CHECK:   vector.load %{{.*}} : memref<32x4096xbf16>, vector<8xbf16>
  // CHECK:   arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
  // CHECK-COUNT-8: vector.fma
  // CHECK: vector.reduction <add>, %[[SUMS]]#0
  // CHECK-NOT: vector.fma
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : memref<32x4096xbf16>, memref<512x4096xbf16>) outs(%y : memref<32x512xf32>)
  return
}

// -----

// The right input runs along n: values of the left are broadcast.
// CHECK-LABEL: func @outer
func.func @outer(%x: memref<4x37xf32>, %w: memref<37x16xf32>, %y: memref<4x16xf32>) {
  // CHECK: vector.load %{{.*}} : memref<4x16xf32>, vector<8xf32>
  // CHECK: scf.for
  // CHECK:   vector.load %{{.*}} : memref<37x16xf32>, vector<8xf32>
  // CHECK:   vector.broadcast
  // CHECK-COUNT-8: vector.fma
  // CHECK: vector.store
  linalg.matmul ins(%x, %w : memref<4x37xf32>, memref<37x16xf32>) outs(%y : memref<4x16xf32>)
  return
}

// -----

// The outermost loop that has something to share is spread over the cores.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: memref<1x512x512xf32>) {
  // CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%c512
  // CHECK:   scf.for
  // CHECK:     scf.for
  // CHECK-NOT: scf.parallel
  linalg.exp ins(%x : memref<1x512x512xf32>) outs(%x : memref<1x512x512xf32>)
  return
}

// -----

// CHECK-LABEL: func @assertion
// CHECK-NOT: scf.parallel
func.func @assertion(%x: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<512x512xf32>) {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %ok = arith.cmpf oge, %v, %zero : f32
    cf.assert %ok, "negative"
    linalg.yield %v : f32
  }
  return
}

// -----

// No runtime function copies between layouts.
// CHECK-LABEL: func @copy
// CHECK-NOT: memref.copy
// CHECK: memref.store
func.func @copy(%x: memref<4x8xf32, strided<[1, 4]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[1, 4]>> to memref<4x8xf32>
  return
}
