// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// SwiGLU with separate gate and up weights: one accumulator of each, saved
// pre-activations, every rounding an op of the region.

// CHECK-LABEL: func @swiglu
// CHECK: coda.gemm rows(m) columns(f) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (f, k) : tensor<704x256xbf16>, %{{[^ ]+}} at (f, k) : tensor<704x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, f) : tensor<?x704xbf16>, %{{[^ ]+}} at (m, f) : tensor<?x704xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (m, f) : tensor<?x704xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, bf16, bf16
func.func @swiglu(%x: tensor<?x256xbf16>, %wg: tensor<704x256xbf16>, %wu: tensor<704x256xbf16>, %r: tensor<?xf32>,
                  %g0: tensor<?x704xbf16>, %u0: tensor<?x704xbf16>, %y0: tensor<?x704xbf16>)
    -> (tensor<?x704xbf16>, tensor<?x704xbf16>, tensor<?x704xbf16>) {
  %g, %u, %y = coda.gemm rows(m) columns(f) contracts(k)
      lhs(%x at (m, k) : tensor<?x256xbf16>)
      rhs(%wg at (f, k) : tensor<704x256xbf16>, %wu at (f, k) : tensor<704x256xbf16>)
      ins(%r at (m) : tensor<?xf32>)
      outs(%g0 at (m, f) : tensor<?x704xbf16>, %u0 at (m, f) : tensor<?x704xbf16>, %y0 at (m, f) : tensor<?x704xbf16>) {
  ^bb0(%ga: f32, %ua: f32, %rs: f32):
    %one = arith.constant 1.0 : f32
    %gs = arith.mulf %ga, %rs : f32
    %us = arith.mulf %ua, %rs : f32
    %g16 = arith.truncf %gs : f32 to bf16
    %u16 = arith.truncf %us : f32 to bf16
    %gf = arith.extf %g16 : bf16 to f32
    %n = arith.negf %gf : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %a = arith.mulf %gf, %s : f32
    %a16 = arith.truncf %a : f32 to bf16
    %y16 = arith.mulf %a16, %u16 : bf16
    coda.yield %g16, %u16, %y16 : bf16, bf16, bf16
  }
  return %g, %u, %y : tensor<?x704xbf16>, tensor<?x704xbf16>, tensor<?x704xbf16>
}
