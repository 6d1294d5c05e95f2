// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// q, k and v of unequal width in one weight: 8 head slots, of which the last two (v)
// do not turn. The number of tokens is dynamic.

// CHECK-LABEL: func @merged_qkv_of_unequal_width
// CHECK: coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, t, k) : tensor<2x?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, p, j, k) : tensor<8x2x32x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (t, j) : tensor<?x32xf32>, %{{[^ ]+}} at (t, j) : tensor<?x32xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, p, j) : tensor<2x8x?x2x32xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, bf16
func.func @merged_qkv_of_unequal_width(%x: tensor<2x?x256xbf16>, %w: tensor<8x2x32x256xbf16>, %cos: tensor<?x32xf32>,
                                       %sin: tensor<?x32xf32>, %o: tensor<2x8x?x2x32xbf16>) -> tensor<2x8x?x2x32xbf16> {
  %qkv = coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x?x256xbf16>)
      rhs(%w at (h, p, j, k) : tensor<8x2x32x256xbf16>)
      ins(%cos at (t, j) : tensor<?x32xf32>, %sin at (t, j) : tensor<?x32xf32>)
      outs(%o at (b, h, t, p, j) : tensor<2x8x?x2x32xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %s: f32):
    %six = arith.constant 6 : index
    %h = coda.index h : index
    %turn = arith.cmpi ult, %h, %six : index
    %ac = arith.mulf %a, %c : f32
    %bs = arith.mulf %b, %s : f32
    %y0 = arith.subf %ac, %bs : f32
    %bc = arith.mulf %b, %c : f32
    %as = arith.mulf %a, %s : f32
    %y1 = arith.addf %bc, %as : f32
    %z0 = arith.select %turn, %y0, %a : f32
    %z1 = arith.select %turn, %y1, %b : f32
    %r0 = arith.truncf %z0 : f32 to bf16
    %r1 = arith.truncf %z1 : f32 to bf16
    coda.yield %r0, %r1 : bf16, bf16
  }
  return %qkv : tensor<2x8x?x2x32xbf16>
}
