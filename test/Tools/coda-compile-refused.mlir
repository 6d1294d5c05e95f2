// RUN: rm -rf %t && mkdir %t
// RUN: not coda-compile %s -o %t/out.ptx 2>&1 | FileCheck %s
// RUN: not ls %t/out.ptx

// What no kernel can do is an error with its place, before anything is written.

// A row of 15 elements of 2 bytes has no tensor map.
// CHECK: coda-compile-refused.mlir:[[# @LINE + 6]]:{{[0-9]+}}: error: 'coda.gemm' op has no Hopper kernel: lhs has a stride of 30 bytes
// CHECK-NOT: see current operation
func.func @narrow(%x: tensor<64x15xbf16>, %w: tensor<32x15xbf16>) -> tensor<64x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<64x32xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  %y = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<64x15xbf16>, tensor<32x15xbf16>) outs(%init : tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %y : tensor<64x32xbf16>
}
