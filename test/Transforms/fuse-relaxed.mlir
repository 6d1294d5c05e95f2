// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-fuse{numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED
// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-fuse,canonicalize,cse))' | FileCheck %s --check-prefix=KEPT

// A rounding of the source program stays unless it may be dropped on request.
func.func @interior_rounding(%a: tensor<8x32xf16>, %w: tensor<16x32xf16>) -> tensor<8x16xf32> {
  // RELAXED: (%[[ACC:.*]]: f32):
  // RELAXED-NEXT: math.exp %[[ACC]]
  // KEPT: (%[[ACC:.*]]: f32):
  // KEPT-NEXT: %[[NARROW:.*]] = arith.truncf %[[ACC]] : f32 to f16
  // KEPT-NEXT: %[[WIDE:.*]] = arith.extf %[[NARROW]] : f16 to f32
  // KEPT-NEXT: math.exp %[[WIDE]]
  %c0 = tensor.empty() : tensor<8x16xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf16>) rhs(%w at (n, k) : tensor<16x32xf16>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    %n = arith.truncf %acc : f32 to f16
    %v = arith.extf %n : f16 to f32
    %e = math.exp %v : f32
    coda.yield %e : f32
  }
  return %c : tensor<8x16xf32>
}
