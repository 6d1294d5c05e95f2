// RUN: coda-run %s --size=0=40 --check --time | FileCheck %s

// CHECK: result0 tensor<40x32xbf16> mean
// CHECK: error against the f64 reference
// CHECK: result0 tensor<40x32xbf16> {{.*}} ok
// CHECK: worst columns 0 to 31
// CHECK: unfused median
// CHECK: fused median

// RUN: not coda-run %s --size=0=40 --check --no-rewrite 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: --check compares the rewritten program, which --no-rewrite leaves out

func.func @linear(%x: tensor<?x16xbf16>, %w: tensor<32x16xbf16>, %residual: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x16xbf16>
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty(%m) : tensor<?x32xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x32xbf16>) -> tensor<?x32xbf16>
  %product = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x16xbf16>, tensor<32x16xbf16>) outs(%init : tensor<?x32xbf16>) -> tensor<?x32xbf16>
  %y = linalg.add ins(%residual, %product : tensor<?x32xbf16>, tensor<?x32xbf16>) outs(%empty : tensor<?x32xbf16>) -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}
