// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-fuse))' -remark-format=emitRemark -remarks-filter='coda-fuse' -verify-diagnostics | FileCheck %s

// C + C^T: a tile does not own the transposed element.
// CHECK-LABEL: func @transpose_and_identity
func.func @transpose_and_identity(%a: tensor<8x32xf32>, %w: tensor<8x32xf32>) -> tensor<8x8xf32> {
  // CHECK: coda.gemm
  // CHECK: coda.map
  %c0 = tensor.empty() : tensor<8x8xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<8x32xf32>) outs(%c0 at (m, n) : tensor<8x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  // expected-remark @+1 {{at two different points, one of which another tile owns}}
  %d = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x8xf32>, %c at (n, m) : tensor<8x8xf32>) outs(%c0 at (m, n) : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    coda.yield %s : f32
  }
  return %d : tensor<8x8xf32>
}

// The finished sum of a row is not known in any tile of it.
// CHECK-LABEL: func @needs_the_row
func.func @needs_the_row(%a: tensor<8x32xf32>, %w: tensor<16x32xf32>) -> tensor<8x16xf32> {
  // CHECK: coda.gemm
  // CHECK: coda.map
  %c0 = tensor.empty() : tensor<8x16xf32>
  %s0 = tensor.empty() : tensor<8xf32>
  %c:2 = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>, %s0 at (m) by add : tensor<8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc, %acc : f32, f32
  }
  // expected-remark @+1 {{a reduction by add over 'n' that is finished only after every tile of it}}
  %d = coda.map rows(m) columns(n) ins(%c#0 at (m, n) : tensor<8x16xf32>, %c#1 at (m) : tensor<8xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.divf %u, %v : f32
    coda.yield %s : f32
  }
  return %d : tensor<8x16xf32>
}

// The other operand is read from memory that an op in between writes.
// CHECK-LABEL: func @side_effect
func.func @side_effect(%a: tensor<8x32xf32>, %w: tensor<16x32xf32>, %m: memref<f32>) -> tensor<8x16xf32> {
  // CHECK: coda.gemm
  // CHECK: memref.store
  // CHECK: coda.map
  %c0 = tensor.empty() : tensor<8x16xf32>
  %one = arith.constant 1.0 : f32
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  memref.store %one, %m[] : memref<f32>
  %x = memref.load %m[] : memref<f32>
  // expected-remark @+1 {{defined after an op with side effects}}
  %d = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>, %x at () : f32) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.divf %u, %v : f32
    coda.yield %s : f32
  }
  return %d : tensor<8x16xf32>
}

// Every point of the product would be computed for each point of the map.
// CHECK-LABEL: func @broadcast
func.func @broadcast(%a: tensor<8x32xf32>, %w: tensor<16x32xf32>, %x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  // CHECK: coda.gemm
  // CHECK: coda.map
  %c0 = tensor.empty() : tensor<8x16xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  // expected-remark @+1 {{its dim 'b' is no dim of 'coda.gemm'}}
  %d = coda.map rows(b, m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>, %x at (b, m, n) : tensor<4x8x16xf32>) outs(%x at (b, m, n) : tensor<4x8x16xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    coda.yield %s : f32
  }
  return %d : tensor<4x8x16xf32>
}
