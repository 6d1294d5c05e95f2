// RUN: coda-compile %s --emit=coda -o %t | FileCheck %s

// What a pass is, and what is listed beside.

// Transposed weight, product, row scale that is computed from a statistic, bias.
// CHECK-LABEL: @static
// CHECK-NEXT: memory-bound passes 3 -> {{[0-9]}}
// CHECK: not counted {{.*}}on row statistics, {{.*}}on weights only
func.func @static(%x: tensor<64x32xf32>, %w: tensor<48x32xf32>, %b: tensor<48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  // On weights only.
  %wt0 = tensor.empty() : tensor<32x48xf32>
  %wt = linalg.transpose ins(%w : tensor<48x32xf32>) outs(%wt0 : tensor<32x48xf32>) permutation = [1, 0]
  %y0 = tensor.empty() : tensor<64x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%y0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.matmul ins(%x, %wt : tensor<64x32xf32>, tensor<32x48xf32>) outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
  // A pass: reads an activation.
  %s0 = tensor.empty() : tensor<64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<64x48xf32>) outs(%s1 : tensor<64xf32>) dimensions = [1]
  // On row statistics.
  %r = linalg.rsqrt ins(%s : tensor<64xf32>) outs(%s0 : tensor<64xf32>) -> tensor<64xf32>
  // Passes: write an activation.
  %rb = linalg.broadcast ins(%r : tensor<64xf32>) outs(%y0 : tensor<64x48xf32>) dimensions = [1]
  %z = linalg.mul ins(%y, %rb : tensor<64x48xf32>, tensor<64x48xf32>) outs(%y0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %z : tensor<64x48xf32>
}

// Bytes of memory traffic are a formula of the sizes: x, w, y, then y, y.
// CHECK-LABEL: @dynamic
// CHECK-NEXT: memory-bound passes 1 -> 0
// CHECK: with 1024 for every dynamic size
// CHECK-NEXT: before 704*d0 + 6144
// CHECK-NEXT: after 320*d0 + 6144
func.func @dynamic(%x: tensor<?x32xf32>, %w: tensor<32x48xf32>) -> tensor<?x48xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x32xf32>
  %y0 = tensor.empty(%m) : tensor<?x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%y0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x48xf32>) outs(%init : tensor<?x48xf32>) -> tensor<?x48xf32>
  %z = linalg.exp ins(%y : tensor<?x48xf32>) outs(%y0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %z : tensor<?x48xf32>
}
