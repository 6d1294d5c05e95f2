// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// Products of rank 5, with batches, and of a vector.

// A weight that is the same for every batch: b is a row.
// CHECK-LABEL: func @broadcast_weight
// CHECK: coda.gemm rows(b, t) columns(h, d) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, k) : tensor<2x4096x640xf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, d, k) : tensor<10x64x640xf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, d) : tensor<2x10x4096x64xf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f16
func.func @broadcast_weight(%x: tensor<2x4096x640xf16>, %wq: tensor<10x64x640xf16>, %q0: tensor<2x10x4096x64xf16>)
    -> tensor<2x10x4096x64xf16> {
  %q = coda.gemm rows(b, t) columns(h, d) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x4096x640xf16>)
      rhs(%wq at (h, d, k) : tensor<10x64x640xf16>)
      outs(%q0 at (b, h, t, d) : tensor<2x10x4096x64xf16>) {
  ^bb0(%acc: f32):
    %v = arith.truncf %acc : f32 to f16
    coda.yield %v : f16
  }
  return %q : tensor<2x10x4096x64xf16>
}

// The mask is broadcast over g and r; r indexes query heads that share a key head.
// CHECK-LABEL: func @scores_of_grouped_heads
// CHECK: coda.gemm batches(b, g) rows(r, t) columns(c) contracts(d)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, g, r, t, d) : tensor<2x2x2x48x64xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (b, g, c, d) : tensor<2x2x48x64xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (b, 0, t, c) : tensor<2x1x48x48xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, g, r, t, c) : tensor<2x2x2x48x48xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16
func.func @scores_of_grouped_heads(%qh: tensor<2x2x2x48x64xbf16>, %kh: tensor<2x2x48x64xbf16>,
                                   %mask: tensor<2x1x48x48xbf16>, %s0: tensor<2x2x2x48x48xbf16>)
    -> tensor<2x2x2x48x48xbf16> {
  %s = coda.gemm batches(b, g) rows(r, t) columns(c) contracts(d)
      lhs(%qh at (b, g, r, t, d) : tensor<2x2x2x48x64xbf16>)
      rhs(%kh at (b, g, c, d) : tensor<2x2x48x64xbf16>)
      ins(%mask at (b, 0, t, c) : tensor<2x1x48x48xbf16>)
      outs(%s0 at (b, g, r, t, c) : tensor<2x2x2x48x48xbf16>) {
  ^bb0(%acc: f32, %mk: bf16):
    %sc = arith.constant 0.125 : bf16
    %a = arith.truncf %acc : f32 to bf16
    %b = arith.mulf %a, %sc : bf16
    %v = arith.addf %b, %mk : bf16
    coda.yield %v : bf16
  }
  return %s : tensor<2x2x2x48x48xbf16>
}

// No rows at all and an odd number of columns.
// CHECK-LABEL: func @vector_times_matrix
// CHECK: coda.gemm columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (k) : tensor<37xf32>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (k, n) : tensor<37x13xf32>)
// CHECK-SAME: ins(%{{[^ ]+}} at (n) : tensor<13xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (n) : tensor<13xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f32
func.func @vector_times_matrix(%row: tensor<37xf32>, %wt: tensor<37x13xf32>, %bias: tensor<13xf32>, %t0: tensor<13xf32>)
    -> tensor<13xf32> {
  %tiny = coda.gemm columns(n) contracts(k)
      lhs(%row at (k) : tensor<37xf32>)
      rhs(%wt at (k, n) : tensor<37x13xf32>)
      ins(%bias at (n) : tensor<13xf32>)
      outs(%t0 at (n) : tensor<13xf32>) {
  ^bb0(%acc: f32, %bv: f32):
    %v = arith.addf %acc, %bv : f32
    coda.yield %v : f32
  }
  return %tiny : tensor<13xf32>
}
