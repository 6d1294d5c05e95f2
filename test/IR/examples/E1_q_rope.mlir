// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// q projection of a block: scale by 1/rms per row, rotate-half RoPE, store by heads.
// The two halves of a head are a member p, so a point of the output sees both.

// CHECK-LABEL: func @q_rope
// CHECK: coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, k) : tensor<2x48x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, p, j, k) : tensor<4x2x32x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (b, t) : tensor<2x48xf32>, %{{[^ ]+}} at (t, p, j) : tensor<48x2x32xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (t, p, j) : tensor<48x2x32xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, bf16
func.func @q_rope(%x: tensor<2x48x256xbf16>, %wq: tensor<4x2x32x256xbf16>, %r: tensor<2x48xf32>,
                  %cos: tensor<48x2x32xbf16>, %sin: tensor<48x2x32xbf16>, %q0: tensor<2x4x48x2x32xbf16>)
    -> tensor<2x4x48x2x32xbf16> {
  %q = coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x48x256xbf16>)
      rhs(%wq at (h, p, j, k) : tensor<4x2x32x256xbf16>)
      ins(%r at (b, t) : tensor<2x48xf32>, %cos at (t, p, j) : tensor<48x2x32xbf16>,
          %sin at (t, p, j) : tensor<48x2x32xbf16>)
      outs(%q0 at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %rs: f32, %c0: bf16, %c1: bf16, %s0: bf16, %s1: bf16):
    %u0 = arith.mulf %a0, %rs : f32
    %u1 = arith.mulf %a1, %rs : f32
    %x0 = arith.truncf %u0 : f32 to bf16
    %x1 = arith.truncf %u1 : f32 to bf16
    %n1 = arith.negf %x1 : bf16
    %m0 = arith.mulf %x0, %c0 : bf16
    %o0 = arith.mulf %n1, %s0 : bf16
    %y0 = arith.addf %m0, %o0 : bf16
    %m1 = arith.mulf %x1, %c1 : bf16
    %o1 = arith.mulf %x0, %s1 : bf16
    %y1 = arith.addf %m1, %o1 : bf16
    coda.yield %y0, %y1 : bf16, bf16
  }
  return %q : tensor<2x4x48x2x32xbf16>
}
