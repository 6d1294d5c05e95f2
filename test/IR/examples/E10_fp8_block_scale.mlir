// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// fp8 product with row and column scales, quantised again in blocks of 128 columns; the
// scale of a block and the maximum of the whole tensor are results.

// CHECK-LABEL: func @fp8_block_scale
// CHECK: coda.gemm rows(m) columns(g, c) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x512xf8E4M3FN>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (g, c, k) : tensor<8x128x512xf8E4M3FN>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (g, c) : tensor<8x128xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, g, c) : tensor<?x8x128xf8E4M3FN>, %{{[^ ]+}} at (m, g) by max : tensor<?x8xf32>,
// CHECK-SAME: %{{[^ ]+}} at () by max : tensor<f32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f8E4M3FN, f32, f32
func.func @fp8_block_scale(%a: tensor<?x512xf8E4M3FN>, %b: tensor<8x128x512xf8E4M3FN>, %sa: tensor<?xf32>,
                           %sb: tensor<8x128xf32>, %q0: tensor<?x8x128xf8E4M3FN>, %sc0: tensor<?x8xf32>,
                           %amax0: tensor<f32>) -> (tensor<?x8x128xf8E4M3FN>, tensor<?x8xf32>, tensor<f32>) {
  %q, %sc, %amax = coda.gemm rows(m) columns(g, c) contracts(k)
      lhs(%a at (m, k) : tensor<?x512xf8E4M3FN>)
      rhs(%b at (g, c, k) : tensor<8x128x512xf8E4M3FN>)
      ins(%sa at (m) : tensor<?xf32>, %sb at (g, c) : tensor<8x128xf32>)
      outs(%q0 at (m, g, c) : tensor<?x8x128xf8E4M3FN>, %sc0 at (m, g) by max : tensor<?x8xf32>,
           %amax0 at () by max : tensor<f32>) {
  ^bb0(%acc: f32, %ra: f32, %rb: f32):
    %top = arith.constant 448.0 : f32
    %bot = arith.constant -448.0 : f32
    %tiny = arith.constant 1.0e-12 : f32
    %v0 = arith.mulf %acc, %ra : f32
    %v = arith.mulf %v0, %rb : f32
    %abs = math.absf %v : f32
    %gm = coda.group_reduce max %abs over (c) : f32
    %gt = arith.maximumf %gm, %tiny : f32
    %s = arith.divf %gt, %top : f32
    %d = arith.divf %v, %s : f32
    %lo = arith.maximumf %d, %bot : f32
    %cl = arith.minimumf %lo, %top : f32
    %q8 = arith.truncf %cl : f32 to f8E4M3FN
    coda.yield %q8, %s, %abs : f8E4M3FN, f32, f32
  }
  return %q, %sc, %amax : tensor<?x8x128xf8E4M3FN>, tensor<?x8xf32>, tensor<f32>
}
