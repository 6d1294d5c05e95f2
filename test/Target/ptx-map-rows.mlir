// RUN: coda-compile %s --report=none | FileCheck %s

// A warp reduces a row in a fixed order: its lanes run over the columns, then
// five exchanges combine them, and one lane stores.

// CHECK:      .entry square_sum_map(
// CHECK:      .reqntid 256
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT:  shfl
// CHECK:      st.global
// CHECK-NOT:  st.global
// CHECK:      ret;
func.func @square_sum(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %init = tensor.empty(%m) : tensor<?xf32>
  %y = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x?xbf16>)
      outs(%init at (m) by add : tensor<?xf32>) {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    %p = arith.mulf %w, %w : f32
    coda.yield %p : f32
  }
  return %y : tensor<?xf32>
}
