// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// RoPE on adjacent pairs (also the product of complex numbers): only the maps change,
// p is innermost.

// CHECK-LABEL: func @interleaved_rope
// CHECK: coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, k) : tensor<2x48x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, j, p, k) : tensor<4x32x2x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (t, j, p) : tensor<48x32x2xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, t, h, j, p) : tensor<2x48x4x32x2xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, bf16
func.func @interleaved_rope(%x: tensor<2x48x256xbf16>, %wq: tensor<4x32x2x256xbf16>, %freqs: tensor<48x32x2xf32>,
                            %q0: tensor<2x48x4x32x2xbf16>) -> tensor<2x48x4x32x2xbf16> {
  %q = coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x48x256xbf16>)
      rhs(%wq at (h, j, p, k) : tensor<4x32x2x256xbf16>)
      ins(%freqs at (t, j, p) : tensor<48x32x2xf32>)
      outs(%q0 at (b, t, h, j, p) : tensor<2x48x4x32x2xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %re: f32, %im: f32):
    %h0 = arith.truncf %a0 : f32 to bf16
    %h1 = arith.truncf %a1 : f32 to bf16
    %x0 = arith.extf %h0 : bf16 to f32
    %x1 = arith.extf %h1 : bf16 to f32
    %rr = arith.mulf %x0, %re : f32
    %ii = arith.mulf %x1, %im : f32
    %z0 = arith.subf %rr, %ii : f32
    %ri = arith.mulf %x0, %im : f32
    %ir = arith.mulf %x1, %re : f32
    %z1 = arith.addf %ri, %ir : f32
    %y0 = arith.truncf %z0 : f32 to bf16
    %y1 = arith.truncf %z1 : f32 to bf16
    coda.yield %y0, %y1 : bf16, bf16
  }
  return %q : tensor<2x48x4x32x2xbf16>
}
