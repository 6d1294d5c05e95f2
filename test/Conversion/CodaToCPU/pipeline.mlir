// RUN: coda-opt %s --coda-to-cpu | FileCheck %s
// RUN: coda-opt %s --coda-to-cpu=parallel=false | FileCheck %s --check-prefix=SERIAL

// CHECK-NOT: coda.
// CHECK-NOT: linalg.
// CHECK-LABEL: llvm.func @gemm
// CHECK: omp.parallel
// CHECK: omp.wsloop schedule(guided)
// CHECK: llvm.intr.fm{{a|uladd}}
// SERIAL-LABEL: llvm.func @gemm
// SERIAL-NOT: omp.
func.func @gemm(%x: tensor<?x256xbf16>, %w: tensor<704x256xbf16>, %y0: tensor<?x704xbf16>) -> tensor<?x704xbf16> {
  %y = coda.gemm rows(m) columns(f) contracts(k)
    lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%w at (f, k) : tensor<704x256xbf16>) outs(%y0 at (m, f) : tensor<?x704xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return %y : tensor<?x704xbf16>
}
