// RUN: coda-compile %s --report=none | FileCheck %s

// index is 64 bits wide, in memory too.

// CHECK:     .entry next_map(
// CHECK:     ld.global.b64
// CHECK:     add.s64
// CHECK:     st.global.b64
// CHECK-NOT: st.global
// CHECK:     ret;
func.func @next(%x: tensor<4x8xindex>) -> tensor<4x8xindex> {
  %init = tensor.empty() : tensor<4x8xindex>
  %y = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<4x8xindex>)
      outs(%init at (m, n) : tensor<4x8xindex>) {
  ^bb0(%a: index):
    %one = arith.constant 1 : index
    %s = arith.addi %a, %one : index
    coda.yield %s : index
  }
  return %y : tensor<4x8xindex>
}
