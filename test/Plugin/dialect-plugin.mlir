// REQUIRES: plugins
// RUN: %mlir-opt %s --load-dialect-plugin=%coda_lib_dir/CodaPlugin.so | FileCheck %s

// The stock tool reads and prints the dialect.

// CHECK-LABEL: func.func @double
func.func @double(%x: tensor<?x8xf32>, %y0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: coda.map rows(m) columns(n)
  %y = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x8xf32>) outs(%y0 at (m, n) : tensor<?x8xf32>) {
  ^bb0(%v: f32):
    %two = arith.addf %v, %v : f32
    coda.yield %two : f32
  }
  return %y : tensor<?x8xf32>
}
