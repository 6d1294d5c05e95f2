// RUN: coda-opt %s --coda-cpu-check-shapes --canonicalize | FileCheck %s

// CHECK-LABEL: func @gemm
// CHECK-SAME: %[[X:.*]]: tensor<?x?xbf16>, %[[W:.*]]: tensor<8x?xbf16>
func.func @gemm(%x: tensor<?x?xbf16>, %w: tensor<8x?xbf16>, %y0: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  // CHECK: cf.assert %{{.*}}, "{{.*}}check-shapes.mlir:[[# @LINE + 6]]:8: 'coda.gemm' op needs one size for dimension 0 of lhs and dimension 0 of outs #0"
  // CHECK: %[[KX:.*]] = tensor.dim %[[X]], %c1
  // CHECK: %[[KW:.*]] = tensor.dim %[[W]], %c1
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[KX]], %[[KW]]
  // CHECK: cf.assert %[[SAME]], "{{.*}}needs one size for dimension 1 of lhs and dimension 1 of rhs #0"
  // CHECK: coda.gemm
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<?x?xbf16>) rhs(%w at (n, k) : tensor<8x?xbf16>) outs(%y0 at (m, n) : tensor<?x8xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return %y : tensor<?x8xbf16>
}

// CHECK-LABEL: func @others
func.func @others(%x: tensor<?x4xf32>, %m: index, %i: index) -> (tensor<2x?x4xf32>, tensor<?x4xf32>, f32) {
  // CHECK: cf.assert %{{.*}}, "{{.*}}'tensor.expand_shape' op needs parts that make up dimension 0"
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, %m, 4] : tensor<?x4xf32> into tensor<2x?x4xf32>
  // CHECK: cf.assert %{{.*}}, "{{.*}}'tensor.extract_slice' op
  %s = tensor.extract_slice %x[%i, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: cf.assert %{{.*}}, "{{.*}}'tensor.extract' op out-of-bounds access"
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%i, %c0] : tensor<?x4xf32>
  return %e, %s, %v : tensor<2x?x4xf32>, tensor<?x4xf32>, f32
}

// Nothing is unknown here.
// CHECK-LABEL: func @static
// CHECK-NOT: cf.assert
func.func @static(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%y : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
