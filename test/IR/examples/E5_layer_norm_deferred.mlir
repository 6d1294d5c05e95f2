// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// LayerNorm after the product: y = (x W g - mean u) rstd + v with u = W g and
// v = W b + c computed once per weight.

// `update ... by add` adds the old contents once.
// CHECK-LABEL: func @weight_sums
// CHECK: coda.map rows(n) columns(k)
// CHECK-SAME: ins(%{{[^ ]+}} at (n, k) : tensor<704x256xbf16>, %{{[^ ]+}} at (k) : tensor<256xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (k) : tensor<256xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (n) by add : tensor<704xf32>, update %{{[^ ]+}} at (n) by add : tensor<704xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : f32, f32
func.func @weight_sums(%w: tensor<704x256xbf16>, %g: tensor<256xbf16>, %b: tensor<256xbf16>, %u0: tensor<704xf32>,
                       %c: tensor<704xf32>) -> (tensor<704xf32>, tensor<704xf32>) {
  %u, %v = coda.map rows(n) columns(k)
      ins(%w at (n, k) : tensor<704x256xbf16>, %g at (k) : tensor<256xbf16>, %b at (k) : tensor<256xbf16>)
      outs(%u0 at (n) by add : tensor<704xf32>, update %c at (n) by add : tensor<704xf32>) {
  ^bb0(%wv: bf16, %gv: bf16, %bv: bf16):
    %wf = arith.extf %wv : bf16 to f32
    %gf = arith.extf %gv : bf16 to f32
    %bf = arith.extf %bv : bf16 to f32
    %wg = arith.mulf %wf, %gf : f32
    %wb = arith.mulf %wf, %bf : f32
    coda.yield %wg, %wb : f32, f32
  }
  return %u, %v : tensor<704xf32>, tensor<704xf32>
}

// CHECK-LABEL: func @layer_norm
// CHECK: coda.gemm rows(m) columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (n, k) : tensor<704x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (n) : tensor<704xf32>,
// CHECK-SAME: %{{[^ ]+}} at (n) : tensor<704xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x704xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16
func.func @layer_norm(%xg: tensor<?x256xbf16>, %w: tensor<704x256xbf16>, %sum: tensor<?xf32>, %sd: tensor<?xf32>,
                      %u: tensor<704xf32>, %v: tensor<704xf32>, %y0: tensor<?x704xbf16>) -> tensor<?x704xbf16> {
  %y = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%xg at (m, k) : tensor<?x256xbf16>)
      rhs(%w at (n, k) : tensor<704x256xbf16>)
      ins(%sum at (m) : tensor<?xf32>, %sd at (m) : tensor<?xf32>, %u at (n) : tensor<704xf32>,
          %v at (n) : tensor<704xf32>)
      outs(%y0 at (m, n) : tensor<?x704xbf16>) {
  ^bb0(%acc: f32, %s1: f32, %s2: f32, %uv: f32, %vv: f32):
    %d = arith.constant 256.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %mu = arith.divf %s1, %d : f32
    %var = arith.divf %s2, %d : f32
    %ve = arith.addf %var, %eps : f32
    %rs = math.rsqrt %ve : f32
    %mv = arith.mulf %mu, %uv : f32
    %ctr = arith.subf %acc, %mv : f32
    %sc = arith.mulf %ctr, %rs : f32
    %o = arith.addf %sc, %vv : f32
    %o16 = arith.truncf %o : f32 to bf16
    coda.yield %o16 : bf16
  }
  return %y : tensor<?x704xbf16>
}
