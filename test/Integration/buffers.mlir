// Ops on buffers: all operands are read before any result is written, also where
// a result overwrites what another one needs.
// RUN: coda-run %s --no-rewrite | FileCheck %s
// CHECK: result0 tensor<2xf32>{{.*}} mean 6.0000e+00
// CHECK: result1 tensor<2xf32>{{.*}} mean 9.0000e+00

func.func @swap() -> (tensor<2xf32>, tensor<2xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %a = memref.alloc() : memref<2xf32>
  %b = memref.alloc() : memref<2xf32>
  linalg.fill ins(%two : f32) outs(%a : memref<2xf32>)
  linalg.fill ins(%three : f32) outs(%b : memref<2xf32>)
  coda.map rows(m) outs(update %a at (m) : memref<2xf32>, update %b at (m) : memref<2xf32>) {
  ^bb0(%x: f32, %y: f32):
    %xy = arith.mulf %x, %y : f32
    %yy = arith.mulf %y, %y : f32
    coda.yield %xy, %yy : f32, f32
  }
  %ta = bufferization.to_tensor %a restrict : memref<2xf32> to tensor<2xf32>
  %tb = bufferization.to_tensor %b restrict : memref<2xf32> to tensor<2xf32>
  return %ta, %tb : tensor<2xf32>, tensor<2xf32>
}
