// RUN: coda-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(coda-raise,coda-reparameterize,coda-fuse))' | FileCheck %s

// What must not be rewritten where a dim is named by one operand only, or a
// dimension is read at 0.

// The broadcast says how many columns there are, and keeps doing so.
// CHECK-LABEL: func @bcast_sum
// CHECK: coda.map {{.*}} columns(n) {{.*}}tensor<4x8xf32>
func.func @bcast_sum(%v: tensor<4xf32>, %p0: tensor<4x8xf32>, %r0: tensor<4xf32>) -> tensor<4xf32> {
  %p = coda.map rows(m) columns(n) ins(%v at (m) : tensor<4xf32>) outs(%p0 at (m, n) : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  %r = coda.map rows(m) columns(n) ins(%p at (m, n) : tensor<4x8xf32>) outs(%r0 at (m) by add : tensor<4xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %r : tensor<4xf32>
}

// -----

// The reader names no columns of the product.
// CHECK-LABEL: func @unit
// CHECK: coda.gemm
// CHECK: coda.map
func.func @unit(%x: tensor<4x16xbf16>, %w: tensor<1x16xbf16>, %c0: tensor<4x1xf32>, %y0: tensor<4xf32>) -> tensor<4xf32> {
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x16xbf16>) rhs(%w at (n, k) : tensor<1x16xbf16>) outs(%c0 at (m, n) : tensor<4x1xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  %y = coda.map rows(m) ins(%c at (m, 0) : tensor<4x1xf32>) outs(%y0 at (m) : tensor<4xf32>) {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    coda.yield %b : f32
  }
  return %y : tensor<4xf32>
}

// -----

// The reader's groups are rows of the product.
// CHECK-LABEL: func @group
// CHECK: coda.gemm
// CHECK: coda.map
func.func @group(%x: tensor<4x16xbf16>, %w: tensor<8x16xbf16>, %c0: tensor<4x8xf32>, %y0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x16xbf16>) rhs(%w at (n, k) : tensor<8x16xbf16>) outs(%c0 at (m, n) : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  %y = coda.map rows(a) columns(b) ins(%c at (b, a) : tensor<4x8xf32>) outs(%y0 at (a, b) : tensor<8x4xf32>) {
  ^bb0(%v: f32):
    %s = coda.group_reduce add %v over (b) : f32
    coda.yield %s : f32
  }
  return %y : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func @lhs0
// CHECK: coda.map
// CHECK: coda.gemm
func.func @lhs0(%v: tensor<1x4x16xbf16>, %r: tensor<4xbf16>, %n0: tensor<1x4x16xbf16>, %w: tensor<8x16xbf16>, %c0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = coda.map rows(b, m) columns(k) ins(%v at (b, m, k) : tensor<1x4x16xbf16>, %r at (m) : tensor<4xbf16>) outs(%n0 at (b, m, k) : tensor<1x4x16xbf16>) {
  ^bb0(%a: bf16, %s: bf16):
    %p = arith.mulf %a, %s : bf16
    coda.yield %p : bf16
  }
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%n at (0, m, k) : tensor<1x4x16xbf16>) rhs(%w at (n, k) : tensor<8x16xbf16>) outs(%c0 at (m, n) : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %c : tensor<4x8xf32>
}

// -----

// A generic may read column 0 of many; a coda op may not.
// CHECK-LABEL: func @col0
// CHECK: coda.gemm
// CHECK: linalg.generic
#a = affine_map<(d0, d1) -> (d0, d1)>
#z = affine_map<(d0, d1) -> (d0, 0)>
func.func @col0(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>, %t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = linalg.matmul ins(%x, %w : tensor<4x16xbf16>, tensor<16x8xbf16>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #z, #a], iterator_types = ["parallel", "parallel"]} ins(%c, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// What was accumulated so far is visible to another sum.
// CHECK-LABEL: func @two
// CHECK: coda.gemm
// CHECK: linalg.generic
#a = affine_map<(d0, d1) -> (d0, d1)>
#z = affine_map<(d0, d1) -> (d0)>
func.func @two(%x: tensor<4x16xbf16>, %w: tensor<16x8xbf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = linalg.matmul ins(%x, %w : tensor<4x16xbf16>, tensor<16x8xbf16>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %f1 = linalg.fill ins(%cst : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#a, #z, #z], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x8xf32>) outs(%f1, %f1 : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %s = arith.addf %o, %p : f32
    %t = arith.addf %q, %s : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
