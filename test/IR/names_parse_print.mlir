// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// A name that is no keyword is quoted everywhere.
// CHECK-LABEL: func @quoted
func.func @quoted(%x: tensor<4x8x2xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: coda.map rows("head dim") columns("0", "") ins(%{{.*}} at ("head dim", "0", "") : tensor<4x8x2xf32>) outs(%{{.*}} at ("head dim") by add : tensor<4xf32>)
  %r = coda.map rows("head dim") columns("0", "") ins(%x at ("head dim", "0", "") : tensor<4x8x2xf32>)
      outs(%y at ("head dim") by add : tensor<4xf32>) {
  ^bb0(%v: f32):
    // CHECK: coda.group_reduce add %{{.*}} over ("0", "") : f32
    // CHECK: coda.index "head dim" : index
    // CHECK: coda.index "0" : index
    %g = coda.group_reduce add %v over ("0", "") : f32
    %h = coda.index "head dim" : index
    %z = coda.index "0" : index
    coda.yield %g : f32
  }
  return %r : tensor<4xf32>
}

// Quotes that are not needed go away.
// CHECK-LABEL: func @needless_quotes
func.func @needless_quotes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: coda.map rows(rows) outs(update %{{.*}} at (rows) : tensor<4xf32>)
  %r = coda.map rows("rows") outs(update %x at ("rows") : tensor<4xf32>) {
  ^bb0(%v: f32):
    // CHECK: coda.index rows : index
    %i = coda.index "rows" : index
    coda.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// Names of values in the region may repeat names outside, as the printer does.
// CHECK-LABEL: func @shadowing
func.func @shadowing(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = coda.map rows(m) ins(%a at (m) : tensor<4xf32>) outs(%b at (m) : tensor<4xf32>) {
  ^bb0(%a: f32):
    // CHECK: %[[B:.*]] = arith.negf %{{.*}} : f32
    // CHECK: coda.yield %[[B]] : f32
    %b = arith.negf %a : f32
    coda.yield %b : f32
  }
  return %r : tensor<4xf32>
}
