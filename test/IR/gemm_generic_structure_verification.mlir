// RUN: coda-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// What the assembly of coda.gemm cannot say, in the generic form: operands, regions and results.

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @segments_too_large(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{operand count (3) does not match with the total size (7) specified in attribute 'operandSegmentSizes'}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 5>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @segments_negative(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{'operandSegmentSizes' attribute cannot have negative elements}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, -1, 2, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @two_lhs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C7) expected at least one rhs, found none}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 2, 0, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @empty_region(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @two_blocks(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expects region #0 to have 0 or 1 blocks}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  ^bb1:
    coda.yield
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @empty_block(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expects a non-empty block}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c10_other_terminator(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C10) region must end with coda.yield}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    "test.terminator"() : () -> ()
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @no_terminator(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    // expected-error @below {{block with no terminator}}
    %m = coda.index m : index
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @no_arguments(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C9) region has 0 arguments, expected 1}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
    coda.yield
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c13_unregistered(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    // expected-error @below {{'test.op' op (C13) in the region of coda.gemm must be free of memory effects}}
    %v = "test.op"(%acc) : (f32) -> f32
    coda.yield %v : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @result_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expected type of operand #2 ('tensor<4x16xf32>') to match type of corresponding result ('tensor<4x17xf32>')}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x17xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_no_result(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C15) has 0 results, expected 1: one for each tensor in outs}}
  "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> ()
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_two_results(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C15) has 2 results, expected 1: one for each tensor in outs}}
  %r:2 = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @gemm_c15_result_of_memref(%x: memref<4x8xbf16>, %w: memref<16x8xbf16>, %y: memref<4x16xf32>) {
  // expected-error @below {{(C15) has 1 results, expected 0: one for each tensor in outs}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = [#coda.combiner<store>], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (memref<4x8xbf16>, memref<16x8xbf16>, memref<4x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @combiner_of_wrong_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{attribute 'combiners' failed to satisfy constraint: array of combiners}}
  %r = "coda.gemm"(%x, %w, %y) <{
    dim_names = ["m", "n", "k"], dim_kinds = [#coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<contract>], indexing_maps = [#x, #w, #y],
    combiners = ["store"], updates = array<i1: false>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }) : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}
