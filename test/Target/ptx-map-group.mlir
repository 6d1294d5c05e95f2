// RUN: coda-compile %s --report=none | FileCheck %s

// A softmax: one pass for the maximum, one for the sum, one that stores. All
// lanes know what a pass found.

// CHECK:      .entry softmax_map(
// CHECK:      ld.global.b32
// CHECK:      max.NaN.f32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK:      ld.global.b32
// CHECK:      ex2.approx
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK:      ld.global.b32
// CHECK:      ex2.approx
// CHECK:      st.global.b16
// CHECK-NOT:  shfl
// CHECK:      ret;
func.func @softmax(%x: tensor<4x?xf32>) -> tensor<4x?xbf16> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %init = tensor.empty(%n) : tensor<4x?xbf16>
  %p = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<4x?xf32>)
      outs(%init at (m, n) : tensor<4x?xbf16>) {
  ^bb0(%v: f32):
    %mx = coda.group_reduce max %v over (n) : f32
    %d = arith.subf %v, %mx : f32
    %e = math.exp %d : f32
    %z = coda.group_reduce add %e over (n) : f32
    %q = arith.divf %e, %z : f32
    %q16 = arith.truncf %q : f32 to bf16
    coda.yield %q16 : bf16
  }
  return %p : tensor<4x?xbf16>
}
