// RUN: coda-opt %s --coda-to-cpu | FileCheck %s

// Upstream calls this a contraction; the negation must stay.
// CHECK-LABEL: llvm.func @expdot
// CHECK: llvm.fneg
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @expdot(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x3xf32>, tensor<2x3xf32>) outs(%y : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %n = arith.negf %p : f32
    %m = arith.mulf %n, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
