// RUN: coda-opt %s --coda-cpu-prepare | FileCheck %s

// The caller's tensor stays as it is. A product into bf16 is formed in f32 and
// rounded once.
// CHECK-LABEL: func @narrow
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16> {bufferization.writable = false}
func.func @narrow(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
  // CHECK: %[[ACC:.*]] = linalg.generic {{.*}} ins(%[[X]], {{.*}} outs({{.*}} : tensor<4x16xf32>)
  // CHECK:   arith.addf {{.*}} : f32
  // CHECK: linalg.generic {{.*}} ins(%[[ACC]] : tensor<4x16xf32>)
  // CHECK-NOT: arith.addf
  // CHECK:   arith.truncf
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x16xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>) outs(%z : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// An init that is not zero is added after the sum.
// CHECK-LABEL: func @init
func.func @init(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %c: tensor<4x16xf16>) -> tensor<4x16xf16> {
  // CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4x16xf32>)
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x16xf16>)
  // CHECK:   arith.extf
  // CHECK:   arith.addf {{.*}} : f32
  // CHECK:   arith.truncf
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x16xf16>) outs(%c : tensor<4x16xf16>) -> tensor<4x16xf16>
  return %y : tensor<4x16xf16>
}
