# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that several tests use."""

import pytest

LINEAR = """
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>, %b: tensor<32xf32>) -> tensor<?x32xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%m) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.matmul indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  %narrow = tensor.empty(%m) : tensor<?x32xbf16>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %b : tensor<?x32xf32>, tensor<32xf32>) outs(%narrow : tensor<?x32xbf16>) {
  ^bb0(%acc: f32, %bias: f32, %out: bf16):
    %sum = arith.addf %acc, %bias : f32
    %rounded = arith.truncf %sum : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<?x32xbf16>
  return %result : tensor<?x32xbf16>
}
"""

TWO_FUNCTIONS = """
func.func @scale(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> ()>, affine_map<(n) -> (n)>],
      iterator_types = ["parallel"]} ins(%x, %s : tensor<4xf32>, f32) outs(%empty : tensor<4xf32>) {
  ^bb0(%v: f32, %f: f32, %out: f32):
    %p = arith.mulf %v, %f : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %y, %s : tensor<4xf32>, f32
}

func.func @fill(%m: memref<2x3xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%m : memref<2x3xf32>)
  return
}
"""


@pytest.fixture(scope="package")
def linear() -> str:
    """x w' + b, rounded to bf16."""
    return LINEAR


@pytest.fixture(scope="package")
def two_functions() -> str:
    """A function with a scalar, and one that writes to its argument."""
    return TWO_FUNCTIONS
