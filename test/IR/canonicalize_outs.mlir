// RUN: coda-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @unused_update
func.func @unused_update(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: outs(%arg1 at (m) : tensor<4xf32>)
  // CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[V]]
  %r = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(update %y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32, %old: f32):
    coda.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// An update by add is used, though it has no argument.
// CHECK-LABEL: func @update_by_add
func.func @update_by_add(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: outs(update %arg1 at () by add : tensor<f32>)
  %r = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(update %y at () by add : tensor<f32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %r : tensor<f32>
}

// Unused results go, with what only they need.
// CHECK-LABEL: func @unused_results
func.func @unused_results(%x: tensor<4xf32>, %a: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = coda.map rows(m) ins(%arg0 at (m) : tensor<4xf32>) outs(%arg2 at (m) : tensor<4xf32>)
  // CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[V]] : f32
  // CHECK: return %[[R]]
  %r:3 = coda.map rows(m) ins(%x at (m) : tensor<4xf32>, %a at (m) : tensor<4xf32>)
      outs(update %z at (m) : tensor<4xf32>, %y at (m) : tensor<4xf32>, %z at (m) by add : tensor<4xf32>) {
  ^bb0(%v: f32, %w: f32, %old: f32):
    %s = arith.addf %w, %old : f32
    %t = math.exp %s : f32
    coda.yield %s, %v, %t : f32, f32, f32
  }
  return %r#1 : tensor<4xf32>
}

// An update whose old value another result needs stays, though its result is unused.
// CHECK-LABEL: func @old_value_of_unused_result
func.func @old_value_of_unused_result(%y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]]:2 = coda.map rows(m) outs(update %arg1 at (m) : tensor<4xf32>, %arg0 at (m) : tensor<4xf32>)
  // CHECK: return %[[R]]#1
  %r:2 = coda.map rows(m) outs(update %z at (m) : tensor<4xf32>, %y at (m) : tensor<4xf32>) {
  ^bb0(%old: f32):
    %zero = arith.constant 0.0 : f32
    coda.yield %zero, %old : f32, f32
  }
  return %r#1 : tensor<4xf32>
}

// CHECK-LABEL: func @unused_result_with_a_dim
func.func @unused_result_with_a_dim(%y: tensor<?xf32>, %z: tensor<f32>) -> tensor<f32> {
  // CHECK: outs(%arg0 at (m) : tensor<?xf32>, %arg1 at () by add : tensor<f32>)
  %r:2 = coda.map rows(m) outs(%y at (m) : tensor<?xf32>, %z at () by add : tensor<f32>) {
    %one = arith.constant 1.0 : f32
    coda.yield %one, %one : f32, f32
  }
  return %r#1 : tensor<f32>
}

// CHECK-LABEL: func @equal_results
func.func @equal_results(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[R:.*]]:2 = coda.map rows(m) columns(n)
  // CHECK-SAME: outs(%arg1 at (m, n) : tensor<4x4xf32>, %arg2 at (n, m) : tensor<4x4xf32>)
  // CHECK: return %[[R]]#0, %[[R]]#0, %[[R]]#1
  %r:3 = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x4xf32>)
      outs(%y at (m, n) : tensor<4x4xf32>, %z at (m, n) : tensor<4x4xf32>, %z at (n, m) : tensor<4x4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v, %v, %v : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Sums that start from different values are different.
// CHECK-LABEL: func @sums_onto_different_values
func.func @sums_onto_different_values(%x: tensor<4xf32>, %y: tensor<f32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: outs(update %arg1 at () by add : tensor<f32>, update %arg2 at () by add : tensor<f32>)
  %r:2 = coda.map rows(m) ins(%x at (m) : tensor<4xf32>)
      outs(update %y at () by add : tensor<f32>, update %z at () by add : tensor<f32>) {
  ^bb0(%v: f32):
    coda.yield %v, %v : f32, f32
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}
