// RUN: coda-opt %s --canonicalize | FileCheck %s

// The cast states the size 1 that reading at 0 relies on.
// CHECK-LABEL: func @cast2
// CHECK: memref.cast
// CHECK: coda.map
func.func @cast2(%s: memref<?xf32>, %y: memref<4x8xf32>) {
  %c = memref.cast %s : memref<?xf32> to memref<1xf32>
  coda.map rows(m) columns(n) ins(%c at (0) : memref<1xf32>) outs(%y at (m, n) : memref<4x8xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return
}

// A cast that only forgets is looked through.
// CHECK-LABEL: func @forgets
// CHECK-NOT: memref.cast
func.func @forgets(%s: memref<8xf32>, %y: memref<8xf32>) {
  %c = memref.cast %s : memref<8xf32> to memref<?xf32>
  coda.map rows(m) ins(%c at (m) : memref<?xf32>) outs(%y at (m) : memref<8xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return
}
