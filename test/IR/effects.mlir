// RUN: coda-opt %s --cse --loop-invariant-code-motion | FileCheck %s
// RUN: coda-opt %s --canonicalize | FileCheck %s --check-prefix=DEAD

// Equal ops on tensors are one op.
// CHECK-LABEL: func @cse
func.func @cse(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = coda.map
  // CHECK-NOT: coda.map
  // CHECK: return %[[R]], %[[R]]
  %a = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    coda.yield %e : f32
  }
  %b = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    coda.yield %e : f32
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Another name of a dim makes another op: raising names dims by kind.
// CHECK-LABEL: func @cse_needs_equal_names
func.func @cse_needs_equal_names(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: coda.map rows(m)
  // CHECK: coda.map rows(o)
  %a = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  %b = coda.map rows(o) ins(%x at (o) : tensor<4xf32>) outs(%y at (o) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @hoisted_from_a_loop
func.func @hoisted_from_a_loop(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  // CHECK: coda.gemm
  // CHECK: scf.for
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %y) -> tensor<4x8xf32> {
    %p = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>) rhs(%w at (n, k) : tensor<8x8xf32>)
        outs(%y at (m, n) : tensor<4x8xf32>) {
    ^bb0(%a: f32):
      coda.yield %a : f32
    }
    %s = arith.addf %p, %acc : tensor<4x8xf32>
    scf.yield %s : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// On memrefs the loop may run no time at all, and must not write then.
// CHECK-LABEL: func @memrefs_stay_in_the_loop
func.func @memrefs_stay_in_the_loop(%x: memref<4x8xf32>, %w: memref<8x8xf32>, %y: memref<4x8xf32>, %n: index) {
  // CHECK: scf.for
  // CHECK: coda.gemm
  // CHECK: coda.gemm
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : memref<4x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
        outs(%y at (m, n) : memref<4x8xf32>) {
    ^bb0(%a: f32):
      coda.yield %a : f32
    }
    coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : memref<4x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
        outs(%y at (m, n) : memref<4x8xf32>) {
    ^bb0(%a: f32):
      coda.yield %a : f32
    }
  }
  return
}

// An unused op on tensors is dead; one on memrefs is not.
// DEAD-LABEL: func @unused
func.func @unused(%x: tensor<4xf32>, %y: tensor<4xf32>, %m: memref<4xf32>) {
  // DEAD-NOT: coda.map rows(m) ins
  // DEAD: coda.map rows(m) outs(update %{{.*}} at (m) : memref<4xf32>)
  // DEAD-NOT: coda.map rows(m) ins
  // DEAD: return
  %a = coda.map rows(m) ins(%x at (m) : tensor<4xf32>) outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  coda.map rows(m) outs(update %m at (m) : memref<4xf32>) {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    coda.yield %e : f32
  }
  return
}

// Work that does not depend on the point is still one op of the region; equal ops of a region are one.
// CHECK-LABEL: func @cse_in_the_region
func.func @cse_in_the_region(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: coda.group_reduce add
  // CHECK-NOT: coda.group_reduce
  // CHECK: coda.yield
  %a = coda.map columns(n) ins(%x at (n) : tensor<4xf32>) outs(%y at (n) : tensor<4xf32>) {
  ^bb0(%v: f32):
    %g = coda.group_reduce add %v over (n) : f32
    %h = coda.group_reduce add %v over (n) : f32
    %s = arith.mulf %g, %h : f32
    coda.yield %s : f32
  }
  return %a : tensor<4xf32>
}
