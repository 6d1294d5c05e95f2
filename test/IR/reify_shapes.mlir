// RUN: coda-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// Sizes of results come from operands that are read, not from destinations.
// CHECK-LABEL: func @sizes
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x?xf32>, %[[W:[^:]*]]: tensor<?x?xf32>
func.func @sizes(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %y: tensor<?x?xf32>, %s: tensor<?xf32>) -> (index, index, index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %[[C0]]
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[W]], %[[C0]]
  // CHECK: return %[[N]], %[[M]], %[[M]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<?x?xf32>) rhs(%w at (n, k) : tensor<?x?xf32>)
      outs(%y at (n, m) : tensor<?x?xf32>, %s at (m) by add : tensor<?xf32>) {
  ^bb0(%a: f32):
    coda.yield %a, %a : f32, f32
  }
  %d0 = tensor.dim %r#0, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %r#0, %c1 : tensor<?x?xf32>
  %d2 = tensor.dim %r#1, %c0 : tensor<?xf32>
  return %d0, %d1, %d2 : index, index, index
}

// A dim that only a destination names has its size; static sizes and 0 need no operand.
// CHECK-LABEL: func @sizes_of_destinations
// CHECK-SAME: (%[[Y:[^:]*]]: tensor<1x?x8xf32>)
func.func @sizes_of_destinations(%y: tensor<1x?x8xf32>) -> (index, index, index) {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[Y]], %[[C1]]
  // CHECK: return %[[C1]], %[[M]], %[[C8]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = coda.map rows(m) columns(n) outs(%y at (0, m, n) : tensor<1x?x8xf32>) {
    %v = arith.constant 1.0 : f32
    coda.yield %v : f32
  }
  %d0 = tensor.dim %r, %c0 : tensor<1x?x8xf32>
  %d1 = tensor.dim %r, %c1 : tensor<1x?x8xf32>
  %d2 = tensor.dim %r, %c2 : tensor<1x?x8xf32>
  return %d0, %d1, %d2 : index, index, index
}

// The size of a result is known even where nothing else is: the op goes away.
// CHECK-LABEL: func @dead_after_reification
func.func @dead_after_reification(%x: tensor<?xf32>, %y: tensor<?xf32>) -> index {
  // CHECK-NOT: coda.map
  // CHECK: tensor.dim %arg0
  %c0 = arith.constant 0 : index
  %r = coda.map rows(m) ins(%x at (m) : tensor<?xf32>) outs(%y at (m) : tensor<?xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %d : index
}
