// RUN: coda-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @equal_rhs
func.func @equal_rhs(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: rhs(%arg1 at (n, k) : tensor<8x8xf32>, %arg1 at (k, n) : tensor<8x8xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[A]], %[[B]]
  // CHECK-NEXT: arith.addf %{{.*}}, %[[A]]
  %r = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>)
      rhs(%w at (n, k) : tensor<8x8xf32>, %w at (k, n) : tensor<8x8xf32>, %w at (n, k) : tensor<8x8xf32>)
      outs(%y at (m, n) : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    coda.yield %t : f32
  }
  return %r : tensor<4x8xf32>
}

// Right-hand sides of memrefs merge as well.
// CHECK-LABEL: func @equal_rhs_of_memrefs
func.func @equal_rhs_of_memrefs(%x: memref<4x8xf32>, %w: memref<8x8xf32>, %y: memref<4x8xf32>) {
  // CHECK: rhs(%arg1 at (n, k) : memref<8x8xf32>) outs
  coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : memref<4x8xf32>)
      rhs(%w at (n, k) : memref<8x8xf32>, %w at (n, k) : memref<8x8xf32>) outs(%y at (m, n) : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    coda.yield %s : f32
  }
  return
}

// A member of size 1 becomes a 0; other dims keep their names.
// CHECK-LABEL: func @unit_member
func.func @unit_member(%x: tensor<4x8xf32>, %w: tensor<8x1x2x8xf32>, %y: tensor<1x4x2x8xf32>) -> tensor<1x4x2x8xf32> {
  // CHECK: coda.gemm rows(m) columns(n) members(q) contracts(k) lhs(%arg0 at (m, k) : tensor<4x8xf32>)
  // CHECK-SAME: rhs(%arg1 at (n, 0, q, k) : tensor<8x1x2x8xf32>) outs(%arg2 at (0, m, q, n) : tensor<1x4x2x8xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[B]], %[[A]]
  %r = coda.gemm rows(m) columns(n) members(p, q) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>)
      rhs(%w at (n, p, q, k) : tensor<8x1x2x8xf32>) outs(%y at (p, m, q, n) : tensor<1x4x2x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    coda.yield %b, %a : f32, f32
  }
  return %r : tensor<1x4x2x8xf32>
}

// A 0 may not stand over a dynamic size.
// CHECK-LABEL: func @dynamic_unit_member
func.func @dynamic_unit_member(%x: tensor<4x1xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // CHECK: members(p)
  %r = coda.map rows(m) members(p) ins(%x at (m, p) : tensor<4x1xf32>) outs(%y at (m, p) : tensor<4x?xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %r : tensor<4x?xf32>
}

// Attributes survive.
// CHECK-LABEL: func @attributes
func.func @attributes(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: outs(%arg3 at (m, n) : tensor<4x8xf32>) attributes {note, numerics = #coda.numerics<relaxed>} {
  %r = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>) rhs(%w at (n, k) : tensor<8x8xf32>)
      ins(%b at (n) : tensor<8xf32>) outs(%y at (m, n) : tensor<4x8xf32>)
      attributes {note, numerics = #coda.numerics<relaxed>} {
  ^bb0(%a: f32, %unused: f32):
    coda.yield %a : f32
  }
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func @memref_cast
func.func @memref_cast(%x: memref<4x8xf32>, %w: memref<8x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NOT: memref.cast
  // CHECK: lhs(%arg0 at (m, k) : memref<4x8xf32>)
  // CHECK-SAME: outs(%arg2 at (m, n) : memref<4x8xf32>)
  %xd = memref.cast %x : memref<4x8xf32> to memref<?x8xf32>
  %yd = memref.cast %y : memref<4x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  coda.gemm rows(m) columns(n) contracts(k) lhs(%xd at (m, k) : memref<?x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
      outs(%yd at (m, n) : memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return
}

// A reduction over no dims is its operand.
// CHECK-LABEL: func @group_reduce_over_nothing
func.func @group_reduce_over_nothing(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ^bb0(%[[V:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[V]]
  %r = coda.map columns(n) ins(%x at (n) : tensor<4xf32>) outs(%y at (n) : tensor<4xf32>) {
  ^bb0(%v: f32):
    %g = coda.group_reduce add %v over () : f32
    coda.yield %g : f32
  }
  return %r : tensor<4xf32>
}
