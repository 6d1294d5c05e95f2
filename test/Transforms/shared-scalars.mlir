// RUN: timeout 20 coda-opt %s --pass-pipeline='builtin.module(func.func(coda-reparameterize))' | FileCheck %s

// A power by squaring has 2^26 factors, and 26 operations.
// CHECK-LABEL: func @sq
// CHECK-COUNT-2: coda.
func.func @sq(%v: tensor<4x16xf32>, %r: tensor<4xf32>, %n0: tensor<4x16xf32>, %w: tensor<8x16xf32>, %c0: tensor<4x8xf32>) -> tensor<4x8xf32> {
 %n = coda.map rows(m) columns(k) ins(%v at (m, k) : tensor<4x16xf32>, %r at (m) : tensor<4xf32>) outs(%n0 at (m, k) : tensor<4x16xf32>) {
 ^bb0(%a0: f32, %s: f32):
  %a1 = arith.mulf %a0, %a0 : f32
  %a2 = arith.mulf %a1, %a1 : f32
  %a3 = arith.mulf %a2, %a2 : f32
  %a4 = arith.mulf %a3, %a3 : f32
  %a5 = arith.mulf %a4, %a4 : f32
  %a6 = arith.mulf %a5, %a5 : f32
  %a7 = arith.mulf %a6, %a6 : f32
  %a8 = arith.mulf %a7, %a7 : f32
  %a9 = arith.mulf %a8, %a8 : f32
  %a10 = arith.mulf %a9, %a9 : f32
  %a11 = arith.mulf %a10, %a10 : f32
  %a12 = arith.mulf %a11, %a11 : f32
  %a13 = arith.mulf %a12, %a12 : f32
  %a14 = arith.mulf %a13, %a13 : f32
  %a15 = arith.mulf %a14, %a14 : f32
  %a16 = arith.mulf %a15, %a15 : f32
  %a17 = arith.mulf %a16, %a16 : f32
  %a18 = arith.mulf %a17, %a17 : f32
  %a19 = arith.mulf %a18, %a18 : f32
  %a20 = arith.mulf %a19, %a19 : f32
  %a21 = arith.mulf %a20, %a20 : f32
  %a22 = arith.mulf %a21, %a21 : f32
  %a23 = arith.mulf %a22, %a22 : f32
  %a24 = arith.mulf %a23, %a23 : f32
  %a25 = arith.mulf %a24, %a24 : f32
  %a26 = arith.mulf %a25, %a25 : f32
  %p = arith.mulf %a26, %s : f32
  coda.yield %p : f32
 }
 %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%n at (m, k) : tensor<4x16xf32>) rhs(%w at (n, k) : tensor<8x16xf32>) outs(%c0 at (m, n) : tensor<4x8xf32>) {
 ^bb0(%a: f32):
  coda.yield %a : f32
 }
 return %c : tensor<4x8xf32>
}
