// RUN: coda-opt %s --convert-coda-to-nvgpu | FileCheck %s

// Names of functions may have characters that names of PTX may not.

// CHECK: llvm.func @main_graph_1_map(
// CHECK: llvm.func @main_graph_1_map_1(
// CHECK: llvm.func @k_2_map(
func.func @"main.graph-1"(%x: memref<4x8xf32>) {
  coda.map rows(m) columns(n) outs(%x at (m, n) : memref<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    coda.yield %zero : f32
  }
  return
}
func.func @"main graph 1"(%x: memref<4x8xf32>) {
  coda.map rows(m) columns(n) outs(%x at (m, n) : memref<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    coda.yield %zero : f32
  }
  return
}
func.func @"2"(%x: memref<4x8xf32>) {
  coda.map rows(m) columns(n) outs(%x at (m, n) : memref<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    coda.yield %zero : f32
  }
  return
}
