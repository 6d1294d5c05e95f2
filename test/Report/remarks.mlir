// RUN: coda-compile %s --emit=coda -o %t | FileCheck %s

// Every fusion and every refusal is listed with the op of the input and where it stands.

// CHECK-LABEL: @tail
// CHECK: fused (
// CHECK: [[# @LINE + 14]]:{{[0-9]+}} linalg.exp {{.*}}[coda-
// CHECK-LABEL: @integers
// CHECK-NEXT: memory-bound passes 0 -> 0
// CHECK: refused (1)
// CHECK-NEXT: [[# @LINE + 18]]:{{[0-9]+}} linalg.matmul {{.*}}reason: {{.*}} [coda-raise]

func.func @tail(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %y0 = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%y0 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%init : tensor<8x32xf32>) -> tensor<8x32xf32>
  // The first line of an op is where it stands.
  //
  //
  %z = linalg.exp ins(%y : tensor<8x32xf32>) outs(%y0 : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %z : tensor<8x32xf32>
}

func.func @integers(%x: tensor<8x16xi8>, %w: tensor<16x32xi8>) -> tensor<8x32xi32> {
  %zero = arith.constant 0 : i32
  %y0 = tensor.empty() : tensor<8x32xi32>
  %init = linalg.fill ins(%zero : i32) outs(%y0 : tensor<8x32xi32>) -> tensor<8x32xi32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xi8>, tensor<16x32xi8>) outs(%init : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %y : tensor<8x32xi32>
}
