// RUN: coda-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// A destination becomes the buffer of its result.
// CHECK-LABEL: func @in_place
// CHECK-SAME: (%[[X:.*]]: memref<4x8xbf16>, %[[W:.*]]: memref<16x8xbf16>, %[[Y:.*]]: memref<4x16xbf16>)
func.func @in_place(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  // CHECK-NOT: memref.alloc
  // CHECK: coda.gemm
  // CHECK-SAME: lhs(%[[X]] at (m, k) : memref<4x8xbf16>)
  // CHECK-SAME: outs(%[[Y]] at (m, n) : memref<4x16xbf16>)
  // CHECK: return %[[Y]]
  %0 = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>) outs(%y at (m, n) : tensor<4x16xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return %0 : tensor<4x16xbf16>
}

// The old value of an update is used again: it is copied, not overwritten.
// CHECK-LABEL: func @update_of_a_live_value
// CHECK-SAME: %[[Y:[^:]*]]: memref<4x16xf32>
func.func @update_of_a_live_value(%y: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc
  // CHECK: memref.copy %[[Y]], %[[COPY]]
  // CHECK: coda.map
  // CHECK-SAME: outs(update %[[COPY]] at (m, n)
  %0 = coda.map rows(m) columns(n) outs(update %y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%old: f32):
    %r = arith.addf %old, %old : f32
    coda.yield %r : f32
  }
  return %y, %0 : tensor<4x16xf32>, tensor<4x16xf32>
}

// An ins with the map of the store may share its buffer.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: %[[X:[^:]*]]: memref<4x16xf32>
func.func @elementwise(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: coda.map {{.*}}ins(%[[X]] at (m, n) : memref<4x16xf32>) outs(%[[X]] at (m, n) : memref<4x16xf32>)
  %0 = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%x at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    %r = arith.negf %v : f32
    coda.yield %r : f32
  }
  return %0 : tensor<4x16xf32>
}

// A transposed read of the destination needs the values before they are
// overwritten.
// CHECK-LABEL: func @transposed
// CHECK-SAME: %[[X:[^:]*]]: memref<8x8xf32>
func.func @transposed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: coda.map {{.*}}ins(%[[X]] at (n, m) : memref<8x8xf32>) outs(%[[NEW]] at (m, n)
  %0 = coda.map rows(m) columns(n) ins(%x at (n, m) : tensor<8x8xf32>) outs(%x at (m, n) : tensor<8x8xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %0 : tensor<8x8xf32>
}

// A product reads other rows than it writes.
// CHECK-LABEL: func @lhs_is_destination
// CHECK-SAME: %[[X:[^:]*]]: memref<8x8xf32>
func.func @lhs_is_destination(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: coda.gemm {{.*}}lhs(%[[X]] at {{.*}}outs(%[[NEW]] at (m, n)
  %0 = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<8x8xf32>) rhs(%w at (k, n) : tensor<8x8xf32>) outs(%x at (m, n) : tensor<8x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %0 : tensor<8x8xf32>
}

// A reduction writes after it has read.
// CHECK-LABEL: func @reduction_into_its_input
// CHECK-SAME: %[[R:[^:]*]]: memref<4xf32>
func.func @reduction_into_its_input(%r: tensor<4xf32>, %x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: coda.map {{.*}}ins(%[[R]] at (m){{.*}}outs(%[[NEW]] at (m) by add
  %0 = coda.map rows(m) columns(n) ins(%r at (m) : tensor<4xf32>, %x at (m, n) : tensor<4x8xf32>) outs(%r at (m) by add : tensor<4xf32>) {
  ^bb0(%s: f32, %v: f32):
    %p = arith.mulf %s, %v : f32
    coda.yield %p : f32
  }
  return %0 : tensor<4xf32>
}
