// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// Output projection with residual, the next norm's sum of squares and x * gamma; the
// consumer turns the sum into 1/rms. A scalar is an ins `at ()`.

// The sum of squares is that of the rounded sum.
// CHECK-LABEL: func @residual_and_sum_of_squares
// CHECK: coda.gemm rows(m) columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (n, k) : tensor<256x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m, n) : tensor<?x256xbf16>, %{{[^ ]+}} at (n) : tensor<256xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x256xbf16>, %{{[^ ]+}} at (m, n) : tensor<?x256xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (m) by add : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, bf16, f32
func.func @residual_and_sum_of_squares(%o: tensor<?x256xbf16>, %wo: tensor<256x256xbf16>, %res: tensor<?x256xbf16>,
                                       %gamma: tensor<256xbf16>, %x0: tensor<?x256xbf16>, %h0: tensor<?x256xbf16>,
                                       %ss0: tensor<?xf32>) -> (tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?xf32>) {
  %x1, %h1, %ss = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%o at (m, k) : tensor<?x256xbf16>)
      rhs(%wo at (n, k) : tensor<256x256xbf16>)
      ins(%res at (m, n) : tensor<?x256xbf16>, %gamma at (n) : tensor<256xbf16>)
      outs(%x0 at (m, n) : tensor<?x256xbf16>, %h0 at (m, n) : tensor<?x256xbf16>, %ss0 at (m) by add : tensor<?xf32>) {
  ^bb0(%acc: f32, %rv: bf16, %gm: bf16):
    %p = arith.truncf %acc : f32 to bf16
    %x = arith.addf %p, %rv : bf16
    %xf = arith.extf %x : bf16 to f32
    %sq = arith.mulf %xf, %xf : f32
    %h = arith.mulf %x, %gm : bf16
    coda.yield %x, %h, %sq : bf16, bf16, f32
  }
  return %x1, %h1, %ss : tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?xf32>
}

// 1/rms depends on m only: it can be computed once per row.
// CHECK-LABEL: func @scale_by_rms
// CHECK: coda.gemm rows(m) columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (n, k) : tensor<704x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at () : f32)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x704xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16
func.func @scale_by_rms(%h1: tensor<?x256xbf16>, %w: tensor<704x256xbf16>, %ss: tensor<?xf32>, %d: f32,
                        %y0: tensor<?x704xbf16>) -> tensor<?x704xbf16> {
  %y = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%h1 at (m, k) : tensor<?x256xbf16>)
      rhs(%w at (n, k) : tensor<704x256xbf16>)
      ins(%ss at (m) : tensor<?xf32>, %d at () : f32)
      outs(%y0 at (m, n) : tensor<?x704xbf16>) {
  ^bb0(%acc: f32, %s: f32, %width: f32):
    %eps = arith.constant 1.0e-6 : f32
    %ms = arith.divf %s, %width : f32
    %me = arith.addf %ms, %eps : f32
    %rs = math.rsqrt %me : f32
    %v = arith.mulf %acc, %rs : f32
    %v16 = arith.truncf %v : f32 to bf16
    coda.yield %v16 : bf16
  }
  return %y : tensor<?x704xbf16>
}
