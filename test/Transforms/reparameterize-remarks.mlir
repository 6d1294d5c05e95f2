// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-reparameterize))' -remark-format=emitRemark -remarks-filter='coda-reparameterize' -verify-diagnostics -o /dev/null

func.func @normalised_value_is_returned(%x: tensor<8x256xf32>, %r: tensor<8xf32>, %w: tensor<64x256xf32>, %y0: tensor<8x64xf32>) -> (tensor<8x256xf32>, tensor<8x64xf32>) {
  %h0 = tensor.empty() : tensor<8x256xf32>
  // expected-remark @+1 {{the scaled value is also read by 'func.return'}}
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<8x256xf32>, %r at (m) : tensor<8xf32>) outs(%h0 at (m, n) : tensor<8x256xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<8x256xf32>) rhs(%w at (n, k) : tensor<64x256xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %h, %y : tensor<8x256xf32>, tensor<8x64xf32>
}

// Another product sums over the rows of this one.
func.func @summed_over_rows(%x: tensor<8x8xf32>, %r: tensor<8xf32>, %w: tensor<64x8xf32>, %y0: tensor<8x64xf32>, %z0: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %h0 = tensor.empty() : tensor<8x8xf32>
  // expected-remark @+1 {{its users sum over different dims}}
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<8x8xf32>, %r at (m) : tensor<8xf32>) outs(%h0 at (m, n) : tensor<8x8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<8x8xf32>) rhs(%w at (n, k) : tensor<64x8xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %z = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (k, m) : tensor<8x8xf32>) rhs(%w at (n, k) : tensor<64x8xf32>) outs(%z0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
}
