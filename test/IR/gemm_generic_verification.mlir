// RUN: coda-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// What the assembly of coda.gemm cannot say, in the generic form: attributes and maps.

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @dim_kinds_too_short(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'dim_kinds' has 2 elements, expected one for each of 3 dims}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @dim_names_empty(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'dim_kinds' has 3 elements, expected one for each of 0 dims}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = [], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
func.func @indexing_maps_too_short(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'indexing_maps' has 2 elements, expected one for each of 3 operands}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @combiners_too_long(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'combiners' has 2 elements, expected one for each of 1 outs}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>, #coda.combiner<add>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @updates_empty(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'updates' has 0 elements, expected one for each of 1 outs}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_names(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C1) dim 'm' declared twice}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "m", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c1_order(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C1) dims must be ordered by kind: 'n' is a row after column 'm'}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<column>, #coda.dim_kind<row>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#short = affine_map<(m, k) -> (m, k)>
func.func @gemm_c2_dims(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of lhs is over 2 dims and 0 symbols, expected 3 dims and 0 symbols}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#short, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#symbol = affine_map<(m, n, k)[s] -> (m, s)>
func.func @gemm_c2_symbols(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of lhs is over 3 dims and 1 symbols, expected 3 dims and 0 symbols}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#symbol, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#shifted = affine_map<(m, n, k) -> (m, k + 1)>
func.func @gemm_c2_expression(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of lhs must consist of dims and 0}}
  // expected-note @below {{map: affine_map<(d0, d1, d2) -> (d0, d2 + 1)>}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#shifted, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#one = affine_map<(m, n, k) -> (n, 1)>
func.func @gemm_c2_constant(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of rhs #0 must consist of dims and 0}}
  // expected-note @below {{map: affine_map<(d0, d1, d2) -> (d1, 1)>}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #one, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}
