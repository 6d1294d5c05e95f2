// RUN: coda-opt %s --canonicalize | FileCheck %s

// A destination is not read unless it is updated, so nobody needs to fill it.
// CHECK-LABEL: func @fill
func.func @fill(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK-NOT: linalg.fill
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK-NOT: linalg.fill
  // CHECK: outs(%arg2 at (m, n) : tensor<4x8xf32>, %[[E]] at (m) by max : tensor<4xf32>)
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>) rhs(%w at (n, k) : tensor<8x8xf32>)
      outs(%f at (m, n) : tensor<4x8xf32>, %g at (m) by max : tensor<4xf32>) {
  ^bb0(%a: f32):
    coda.yield %a, %a : f32, f32
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @updates_need_the_fill
func.func @updates_need_the_fill(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  // CHECK: %[[F:.*]] = linalg.fill
  // CHECK: %[[G:.*]] = linalg.fill
  // CHECK: outs(update %[[F]] at (m) : tensor<4xf32>, update %[[G]] at () by add : tensor<f32>)
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.fill ins(%one : f32) outs(%z : tensor<f32>) -> tensor<f32>
  %r:2 = coda.map rows(m) ins(%x at (m) : tensor<4xf32>)
      outs(update %f at (m) : tensor<4xf32>, update %g at () by add : tensor<f32>) {
  ^bb0(%v: f32, %old: f32):
    %s = arith.addf %v, %old : f32
    coda.yield %s, %s : f32, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: func @constant_destination
func.func @constant_destination(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: outs(%[[E]] at (m) : tensor<4xf32>)
  %c = arith.constant dense<0.0> : tensor<4xf32>
  %r = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%c at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// Another coda op is a destination-style op too.
// CHECK-LABEL: func @overwritten_result
func.func @overwritten_result(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = coda.map rows(m) ins(%arg0 at (m) : tensor<4xf32>) outs(%arg1 at (m) : tensor<4xf32>)
  // CHECK-NOT: coda.map
  // CHECK: return %[[R]]
  %a = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    coda.yield %e : f32
  }
  %r = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%a at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// Casts from a more static type go into the op, and results are cast back.
// CHECK-LABEL: func @tensor_cast
func.func @tensor_cast(%x: tensor<4x8xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[R:.*]] = coda.map rows(m) columns(n) ins(%arg0 at (m, n) : tensor<4x8xf32>, %arg1 at (n) : tensor<8xf32>)
  // CHECK-SAME: outs(%arg2 at (m, n) : tensor<4x8xf32>)
  // CHECK: %[[C:.*]] = tensor.cast %[[R]] : tensor<4x8xf32> to tensor<?x8xf32>
  // CHECK: return %[[C]]
  %xd = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %bd = tensor.cast %b : tensor<8xf32> to tensor<?xf32>
  %yd = tensor.cast %y : tensor<4x8xf32> to tensor<?x8xf32>
  %r = coda.map rows(m) columns(n) ins(%xd at (m, n) : tensor<?x?xf32>, %bd at (n) : tensor<?xf32>)
      outs(%yd at (m, n) : tensor<?x8xf32>) {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    coda.yield %s : f32
  }
  return %r : tensor<?x8xf32>
}
