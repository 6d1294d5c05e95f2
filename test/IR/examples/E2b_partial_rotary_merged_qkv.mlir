// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// Merged q, k, v with a rotary part of each head. The kind of projection (s) is a
// member as well, so one op has three results of different layout; k is transposed.

// CHECK-LABEL: func @partial_rotary_merged_qkv
// CHECK: coda.gemm rows(b, t) columns(h, u, j) members(s, p) contracts(c)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, c) : tensor<2x48x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, s, u, p, j, c) : tensor<4x3x4x2x8x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (0, t, p, j) : tensor<1x48x2x8xbf16>, %{{[^ ]+}} at (0, t, p, j) : tensor<1x48x2x8xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, u, p, j) : tensor<2x4x48x4x2x8xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (b, h, u, p, j, t) : tensor<2x4x4x2x8x48xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (b, h, t, u, p, j) : tensor<2x4x48x4x2x8xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, bf16, bf16, bf16, bf16, bf16
func.func @partial_rotary_merged_qkv(%x: tensor<2x48x256xbf16>, %w: tensor<4x3x4x2x8x256xbf16>,
                                     %cos: tensor<1x48x2x8xbf16>, %sin: tensor<1x48x2x8xbf16>,
                                     %q0: tensor<2x4x48x4x2x8xbf16>, %k0: tensor<2x4x4x2x8x48xbf16>,
                                     %v0: tensor<2x4x48x4x2x8xbf16>)
    -> (tensor<2x4x48x4x2x8xbf16>, tensor<2x4x4x2x8x48xbf16>, tensor<2x4x48x4x2x8xbf16>) {
  %q, %k, %v = coda.gemm rows(b, t) columns(h, u, j) members(s, p) contracts(c)
      lhs(%x at (b, t, c) : tensor<2x48x256xbf16>)
      rhs(%w at (h, s, u, p, j, c) : tensor<4x3x4x2x8x256xbf16>)
      ins(%cos at (0, t, p, j) : tensor<1x48x2x8xbf16>, %sin at (0, t, p, j) : tensor<1x48x2x8xbf16>)
      outs(%q0 at (b, h, t, u, p, j) : tensor<2x4x48x4x2x8xbf16>, %k0 at (b, h, u, p, j, t) : tensor<2x4x4x2x8x48xbf16>,
           %v0 at (b, h, t, u, p, j) : tensor<2x4x48x4x2x8xbf16>) {
  ^bb0(%q_0: f32, %q_1: f32, %k_0: f32, %k_1: f32, %v_0: f32, %v_1: f32, %c0: bf16, %c1: bf16, %s0: bf16, %s1: bf16):
    %z = arith.constant 0 : index
    %u = coda.index u : index
    %turn = arith.cmpi eq, %u, %z : index
    %qa = arith.truncf %q_0 : f32 to bf16
    %qb = arith.truncf %q_1 : f32 to bf16
    %ka = arith.truncf %k_0 : f32 to bf16
    %kb = arith.truncf %k_1 : f32 to bf16
    %va = arith.truncf %v_0 : f32 to bf16
    %vb = arith.truncf %v_1 : f32 to bf16
    %qn = arith.negf %qb : bf16
    %q1 = arith.mulf %qa, %c0 : bf16
    %q2 = arith.mulf %qn, %s0 : bf16
    %q3 = arith.addf %q1, %q2 : bf16
    %q4 = arith.mulf %qb, %c1 : bf16
    %q5 = arith.mulf %qa, %s1 : bf16
    %q6 = arith.addf %q4, %q5 : bf16
    %kn = arith.negf %kb : bf16
    %k1 = arith.mulf %ka, %c0 : bf16
    %k2 = arith.mulf %kn, %s0 : bf16
    %k3 = arith.addf %k1, %k2 : bf16
    %k4 = arith.mulf %kb, %c1 : bf16
    %k5 = arith.mulf %ka, %s1 : bf16
    %k6 = arith.addf %k4, %k5 : bf16
    %y0 = arith.select %turn, %q3, %qa : bf16
    %y1 = arith.select %turn, %q6, %qb : bf16
    %g0 = arith.select %turn, %k3, %ka : bf16
    %g1 = arith.select %turn, %k6, %kb : bf16
    coda.yield %y0, %y1, %g0, %g1, %va, %vb : bf16, bf16, bf16, bf16, bf16, bf16
  }
  return %q, %k, %v : tensor<2x4x48x4x2x8xbf16>, tensor<2x4x4x2x8x48xbf16>, tensor<2x4x48x4x2x8xbf16>
}
