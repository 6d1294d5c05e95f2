// RUN: coda-opt %s --convert-coda-to-linalg --split-input-file | FileCheck %s

// The old contents are added once, to the finished sum.
// CHECK-LABEL: func @add_update
func.func @add_update(%x: tensor<4x8xf32>, %s0: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x8xf32>)
  // CHECK:   arith.addf
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[SUM]] : tensor<4xf32>) outs(%arg1 : tensor<4xbf16>)
  // CHECK: ^bb0(%[[IN:.*]]: f32, %[[OLD:.*]]: bf16)
  // CHECK:   %[[WIDE:.*]] = arith.extf %[[OLD]]
  // CHECK:   %[[ADD:.*]] = arith.addf %[[WIDE]], %[[IN]]
  // CHECK:   arith.truncf %[[ADD]] : f32 to bf16
  %s = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x8xf32>) outs(update %s0 at (m) by add : tensor<4xbf16>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %s : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func @lse
func.func @lse(%x: tensor<4x8xf32>, %s0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4x8xf32>)
  // CHECK:   arith.maximumf
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg0, %[[MAX]] :
  // CHECK:   math.absf
  // CHECK:   arith.cmpf olt
  // CHECK:   arith.select
  // CHECK:   math.exp
  // CHECK: linalg.generic {{.*}} ins(%[[MAX]] : tensor<4xf32>) outs(%[[SUM]] : tensor<4xf32>)
  // CHECK:   math.log
  %s = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x8xf32>) outs(%s0 at (m) by lse : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %s : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @sqdev
func.func @sqdev(%x: tensor<4x8xf32>, %s0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4x8xf32>)
  // CHECK: %[[COUNT:.*]] = arith.sitofp
  // CHECK: linalg.generic {{.*}} ins(%arg0, %[[SUM]], %[[COUNT]] :
  // CHECK:   %[[MEAN:.*]] = arith.divf
  // CHECK:   %[[DEV:.*]] = arith.subf %{{.*}}, %[[MEAN]]
  // CHECK:   arith.mulf %[[DEV]], %[[DEV]]
  %s = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x8xf32>) outs(%s0 at (m) by sqdev : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %s : tensor<4xf32>
}

// -----

// A group is reduced by a generic of its own, whose result all points read.
// CHECK-LABEL: func @group
func.func @group(%x: tensor<4x8xf32>, %y0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[G:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x8xf32>)
  // CHECK:   arith.mulf
  // CHECK:   arith.maximumf
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg0, %[[G]] : tensor<4x8xf32>, tensor<4xf32>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.subf
  %y = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x8xf32>) outs(%y0 at (m, n) : tensor<4x8xf32>) {
  ^bb0(%v: f32):
    %sq = arith.mulf %v, %v : f32
    %g = coda.group_reduce max %sq over (n) : f32
    %d = arith.subf %v, %g : f32
    coda.yield %d : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

// No operand of the reduction has the columns: an empty tensor gives the size.
// CHECK-LABEL: func @index_only
func.func @index_only(%y0: tensor<4x?xf32>, %s0: tensor<4xf32>) -> (tensor<4x?xf32>, tensor<4xf32>) {
  // CHECK: %[[SHAPE:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SHAPE]] : tensor<?xf32>)
  // CHECK:   linalg.index 1
  %y, %s = coda.map rows(m) columns(n) outs(%y0 at (m, n) : tensor<4x?xf32>, %s0 at (m) by add : tensor<4xf32>) {
    %n = coda.index n : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    coda.yield %f, %f : f32, f32
  }
  return %y, %s : tensor<4x?xf32>, tensor<4xf32>
}
