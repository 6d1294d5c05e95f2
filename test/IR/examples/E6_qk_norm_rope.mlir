// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// Norm of each head and RoPE in one pass; 1/rms of the head leaves `by max` of equal
// values, because it does not depend on j any more.

// CHECK-LABEL: func @qk_norm_rope
// CHECK: coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, k) : tensor<2x48x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, p, j, k) : tensor<4x2x32x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (p, j) : tensor<2x32xbf16>, %{{[^ ]+}} at (t, j) : tensor<48x32xf32>,
// CHECK-SAME: %{{[^ ]+}} at (t, j) : tensor<48x32xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>, %{{[^ ]+}} at (b, t, h) by max : tensor<2x48x4xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, bf16, f32
func.func @qk_norm_rope(%x: tensor<2x48x256xbf16>, %w: tensor<4x2x32x256xbf16>, %gamma: tensor<2x32xbf16>,
                        %cos: tensor<48x32xf32>, %sin: tensor<48x32xf32>, %q0: tensor<2x4x48x2x32xbf16>,
                        %rq0: tensor<2x48x4xf32>) -> (tensor<2x4x48x2x32xbf16>, tensor<2x48x4xf32>) {
  %q, %rq = coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x48x256xbf16>)
      rhs(%w at (h, p, j, k) : tensor<4x2x32x256xbf16>)
      ins(%gamma at (p, j) : tensor<2x32xbf16>, %cos at (t, j) : tensor<48x32xf32>, %sin at (t, j) : tensor<48x32xf32>)
      outs(%q0 at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>, %rq0 at (b, t, h) by max : tensor<2x48x4xf32>) {
  ^bb0(%a: f32, %b: f32, %g0: bf16, %g1: bf16, %c: f32, %s: f32):
    %n = arith.constant 64.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %sq = arith.addf %aa, %bb : f32
    %ss = coda.group_reduce add %sq over (j) : f32
    %ms = arith.divf %ss, %n : f32
    %me = arith.addf %ms, %eps : f32
    %r = math.rsqrt %me : f32
    %f0 = arith.extf %g0 : bf16 to f32
    %f1 = arith.extf %g1 : bf16 to f32
    %an = arith.mulf %a, %r : f32
    %bn = arith.mulf %b, %r : f32
    %ag = arith.mulf %an, %f0 : f32
    %bg = arith.mulf %bn, %f1 : f32
    %ac = arith.mulf %ag, %c : f32
    %bs = arith.mulf %bg, %s : f32
    %y0 = arith.subf %ac, %bs : f32
    %bc = arith.mulf %bg, %c : f32
    %as = arith.mulf %ag, %s : f32
    %y1 = arith.addf %bc, %as : f32
    %z0 = arith.truncf %y0 : f32 to bf16
    %z1 = arith.truncf %y1 : f32 to bf16
    coda.yield %z0, %z1, %r : bf16, bf16, f32
  }
  return %q, %rq : tensor<2x4x48x2x32xbf16>, tensor<2x48x4xf32>
}
