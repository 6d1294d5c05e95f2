// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-reparameterize{numerics=relaxed},coda-fuse{numerics=relaxed}))' | FileCheck %s

// The stricter of the op's contract and the option holds.
// CHECK-LABEL: func @bw
// CHECK: coda.map
// CHECK:   arith.mulf
// CHECK: coda.gemm
// CHECK:   ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT: coda.yield %[[ACC]]
func.func @bw(%v: tensor<4x16xbf16>, %r: tensor<4xbf16>, %n0: tensor<4x16xbf16>, %w: tensor<8x16xbf16>, %c0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = coda.map rows(m) columns(k) ins(%v at (m, k) : tensor<4x16xbf16>, %r at (m) : tensor<4xbf16>) outs(%n0 at (m, k) : tensor<4x16xbf16>) attributes {numerics = #coda.numerics<bitwise>} {
  ^bb0(%a: bf16, %s: bf16):
    %p = arith.mulf %a, %s : bf16
    coda.yield %p : bf16
  }
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%n at (m, k) : tensor<4x16xbf16>) rhs(%w at (n, k) : tensor<8x16xbf16>) outs(%c0 at (m, n) : tensor<4x8xf32>) attributes {numerics = #coda.numerics<bitwise>, schedule = #coda.schedule<tile = [128, 64, 64], stages = 2, cluster = 1, mode = cooperative>} {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %c : tensor<4x8xf32>
}
