// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-reparameterize{numerics=bitwise}))' -remark-format=emitRemark -remarks-filter='coda-reparameterize' -verify-diagnostics | FileCheck %s

// The rewrite moves a rounding.
// CHECK-LABEL: func @kept
func.func @kept(%x: tensor<8x256xf32>, %r: tensor<8xf32>, %w: tensor<64x256xf32>, %y0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK: coda.map
  // CHECK: arith.mulf
  // CHECK: coda.gemm
  // CHECK-NEXT: (%[[ACC:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[ACC]]
  %h0 = tensor.empty() : tensor<8x256xf32>
  // expected-remark @+1 {{numerics = bitwise forbids}}
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<8x256xf32>, %r at (m) : tensor<8xf32>) outs(%h0 at (m, n) : tensor<8x256xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<8x256xf32>) rhs(%w at (n, k) : tensor<64x256xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %y : tensor<8x64xf32>
}
