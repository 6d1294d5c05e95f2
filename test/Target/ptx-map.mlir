// RUN: coda-compile %s --report=none | FileCheck %s

// A map is one grid-stride loop: each operand is read once at a point, and no
// library is called.

// CHECK:      .target sm_90a
// CHECK:      .entry scale_map(
// CHECK:      .param .u64 .ptr .global
// CHECK:      .reqntid 256
// CHECK-COUNT-2: ld.global
// CHECK-NOT:  ld.global
// CHECK-COUNT-1: st.global
// CHECK-NOT:  st.global
// CHECK-NOT:  call
// CHECK:      ret;
func.func @scale(%x: tensor<?x256xbf16>, %w: tensor<256xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %init = tensor.empty(%m) : tensor<?x256xbf16>
  %y = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x256xbf16>, %w at (n) : tensor<256xbf16>)
      outs(%init at (m, n) : tensor<?x256xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %p = arith.mulf %a, %b : bf16
    coda.yield %p : bf16
  }
  return %y : tensor<?x256xbf16>
}
