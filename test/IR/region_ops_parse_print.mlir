// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// CHECK-LABEL: func @region_ops
func.func @region_ops(%x: tensor<2x4x8x16xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = coda.map batches(b) rows(m) columns(h, j) ins(%x at (b, m, h, j) : tensor<2x4x8x16xf32>)
      outs(%y at (b, m) by add : tensor<2x4xf32>) {
  ^bb0(%v: f32):
    // CHECK: %[[B:.*]] = coda.index b : index
    // CHECK: %[[M:.*]] = coda.index m {note = 1 : i64} : index
    // CHECK: %[[J:.*]] = coda.index j : index
    %b = coda.index b : index
    %m = coda.index m {note = 1} : index
    %j = coda.index j : index
    // CHECK: coda.group_reduce add %{{.*}} over (j) : f32
    // CHECK: coda.group_reduce max %{{.*}} over (j, h) {note} : f32
    // CHECK: coda.group_reduce max %{{.*}} over () : f32
    %s = coda.group_reduce add %v over (j) : f32
    %t = coda.group_reduce max %s over (j, h) {note} : f32
    %u = coda.group_reduce max %t over () : f32
    // CHECK: coda.yield %{{.*}} : f32 {note}
    coda.yield %u : f32 {note}
  }
  return %r : tensor<2x4xf32>
}
