// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-raise))' -remark-format=emitRemark -remarks-filter='coda-raise' -verify-diagnostics -o /dev/null

func.func @uninitialised(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %empty = tensor.empty() : tensor<8x16xf32>
  // expected-remark @+1 {{its initial value is an uninitialised tensor.empty}}
  %c = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

func.func @mixed_types(%a: tensor<8x32xf32>, %b: tensor<32x16xbf16>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-remark @+1 {{elements of different types, f32 and bf16}}
  %d = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xbf16>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

func.func @f64(%a: tensor<8x32xf64>, %b: tensor<32x16xf64>, %c: tensor<8x16xf64>) -> tensor<8x16xf64> {
  // expected-remark @+1 {{elements of type f64, expected bf16, f16 or f32}}
  %d = linalg.matmul ins(%a, %b : tensor<8x32xf64>, tensor<32x16xf64>) outs(%c : tensor<8x16xf64>) -> tensor<8x16xf64>
  return %d : tensor<8x16xf64>
}

// The body reads another element of the product: a tile may not own it.
func.func @captured_extract(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>, %init: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  // expected-remark @+1 {{elements of other points}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x16xf32>) outs(%init : tensor<8x16xf32>) {
  ^bb0(%u: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.constant 0 : index
    %first = tensor.extract %c[%i, %k] : tensor<8x16xf32>
    %p = arith.subf %u, %first : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
