// RUN: coda-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @unused_ins
func.func @unused_ins(%x: tensor<4x8xf32>, %a: tensor<4xf32>, %b: tensor<8x2xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: coda.map rows(m) columns(n) members(p) ins(%arg0 at (m, n) : tensor<4x8xf32>, %arg2 at (n, p) : tensor<8x2xf32>)
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32, %[[B1:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[X]], %[[B1]]
  %r = coda.map rows(m) columns(n) members(p)
      ins(%x at (m, n) : tensor<4x8xf32>, %a at (m) : tensor<4xf32>, %b at (n, p) : tensor<8x2xf32>)
      outs(%y at (m, n) : tensor<4x8xf32>) {
  ^bb0(%v: f32, %unused: f32, %b0: f32, %b1: f32):
    %s = arith.addf %v, %b1 : f32
    coda.yield %s : f32
  }
  return %r : tensor<4x8xf32>
}

// An unused ins stays when it is the only one to say how long a dim is.
// CHECK-LABEL: func @unused_ins_with_a_dim
func.func @unused_ins_with_a_dim(%a: tensor<?xi8>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: ins(%arg0 at (m) : tensor<?xi8>)
  %r = coda.map rows(m) ins(%a at (m) : tensor<?xi8>) outs(%y at () by add : tensor<f32>) {
  ^bb0(%unused: i8):
    %one = arith.constant 1.0 : f32
    coda.yield %one : f32
  }
  return %r : tensor<f32>
}

// It also stays when it is the only one to give a member its static size.
// CHECK-LABEL: func @unused_ins_with_a_member_size
func.func @unused_ins_with_a_member_size(%a: tensor<2xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // CHECK: ins(%arg0 at (p) : tensor<2xf32>)
  %r = coda.map rows(m) members(p) ins(%a at (p) : tensor<2xf32>) outs(%y at (m, p) : tensor<4x?xf32>) {
  ^bb0(%a0: f32, %a1: f32):
    %one = arith.constant 1.0 : f32
    coda.yield %one, %one : f32, f32
  }
  return %r : tensor<4x?xf32>
}

// CHECK-LABEL: func @equal_ins
func.func @equal_ins(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: ins(%arg0 at (m, n) : tensor<4x4xf32>, %arg0 at (n, m) : tensor<4x4xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[T:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[T]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[S]], %[[A]]
  %r = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<4x4xf32>, %x at (n, m) : tensor<4x4xf32>, %x at (m, n) : tensor<4x4xf32>)
      outs(%y at (m, n) : tensor<4x4xf32>) {
  ^bb0(%a: f32, %t: f32, %b: f32):
    %s = arith.addf %a, %t : f32
    %p = arith.mulf %s, %b : f32
    coda.yield %p : f32
  }
  return %r : tensor<4x4xf32>
}

// The old value of an update is an ins already.
// CHECK-LABEL: func @ins_equals_update
func.func @ins_equals_update(%y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.map rows(m) members(p) outs(update %arg0 at (m, p) : tensor<4x2xf32>)
  // CHECK-NEXT: ^bb0(%[[O0:.*]]: f32, %[[O1:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[O0]], %[[O1]]
  // CHECK-NEXT: coda.yield %[[S]], %[[O0]]
  %r = coda.map rows(m) members(p) ins(%y at (m, p) : tensor<4x2xf32>) outs(update %y at (m, p) : tensor<4x2xf32>) {
  ^bb0(%v0: f32, %v1: f32, %o0: f32, %o1: f32):
    %s = arith.addf %v0, %o1 : f32
    coda.yield %s, %o0 : f32, f32
  }
  return %r : tensor<4x2xf32>
}

// Splats and constant scalars become constants of the region, where arith folds them.
// CHECK-LABEL: func @constant_ins
func.func @constant_ins(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: coda.map rows(m) ins(%arg0 at (m) : tensor<4xf32>) outs
  // CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.constant 6.000000e+00 : f32
  // CHECK-NEXT: arith.mulf %[[V]], %[[C]]
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %three = arith.constant 3.0 : f32
  %r = coda.map rows(m) ins(%x at (m) : tensor<4xf32>, %two at (m) : tensor<4xf32>, %three at () : f32)
      outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32, %t: f32, %d: f32):
    %six = arith.mulf %t, %d : f32
    %p = arith.mulf %v, %six : f32
    coda.yield %p : f32
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @varying_constant_stays
func.func @varying_constant_stays(%y: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: coda.map rows(m) ins(%{{.*}} at (m) : tensor<2xf32>)
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = coda.map rows(m) ins(%c at (m) : tensor<2xf32>) outs(%y at (m) : tensor<2xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %r : tensor<2xf32>
}
