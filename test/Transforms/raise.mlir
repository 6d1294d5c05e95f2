// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-raise,canonicalize,cse))' | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A narrow result is summed in f32 and rounded once.
// CHECK-LABEL: func @transposed_rhs
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x32xbf16>, %[[B:[^:]*]]: tensor<16x32xbf16>
func.func @transposed_rhs(%a: tensor<8x32xbf16>, %b: tensor<16x32xbf16>) -> tensor<8x16xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<8x16xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  // CHECK: coda.gemm rows(m) columns(n) contracts(k)
  // CHECK-SAME: lhs(%[[A]] at (m, k) : tensor<8x32xbf16>) rhs(%[[B]] at (n, k) : tensor<16x32xbf16>)
  // CHECK-SAME: outs(%{{.*}} at (m, n) : tensor<8x16xbf16>)
  // CHECK: (%[[ACC:.*]]: f32):
  // CHECK: %[[R:.*]] = arith.truncf %[[ACC]] : f32 to bf16
  // CHECK: coda.yield %[[R]]
  %c = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %b : tensor<8x32xbf16>, tensor<16x32xbf16>) outs(%init : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %c : tensor<8x16xbf16>
}

// A transpose of a weight is its map.
// CHECK-LABEL: func @transpose_op
// CHECK-SAME: %[[W:[^:]*]]: tensor<16x32xf32>
func.func @transpose_op(%w: tensor<16x32xf32>, %a: tensor<8x32xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<32x16xf32>
  %wt = linalg.transpose ins(%w : tensor<16x32xf32>) outs(%t : tensor<32x16xf32>) permutation = [1, 0]
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK-NOT: linalg
  // CHECK: coda.gemm {{.*}}rhs(%[[W]] at (n, k) : tensor<16x32xf32>)
  %c = linalg.matmul ins(%a, %wt : tensor<8x32xf32>, tensor<32x16xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// Widening casts of both operands are absorbed: the product of the narrow
// values is exact in f32.
// CHECK-LABEL: func @widened_operands
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x32xf16>, %[[B:[^:]*]]: tensor<32x16xf16>
func.func @widened_operands(%a: tensor<8x32xf16>, %b: tensor<32x16xf16>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: coda.gemm {{.*}}lhs(%[[A]] at (m, k) : tensor<8x32xf16>) rhs(%[[B]] at (k, n) : tensor<32x16xf16>)
  %c = linalg.matmul ins(%a, %b : tensor<8x32xf16>, tensor<32x16xf16>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// An initial value is added once, after the sum.
// CHECK-LABEL: func @accumulate
// CHECK-SAME: %[[C:[^:]*]]: tensor<8x16xbf16>
func.func @accumulate(%c: tensor<8x16xbf16>, %a: tensor<8x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<8x16xbf16> {
  // CHECK: coda.gemm {{.*}}outs(update %[[C]] at (m, n)
  // CHECK: (%[[ACC:.*]]: f32, %[[OLD:.*]]: bf16):
  // CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[WIDE]]
  // CHECK: arith.truncf %[[SUM]]
  %r = linalg.matmul ins(%a, %b : tensor<8x32xbf16>, tensor<32x16xbf16>) outs(%c : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %r : tensor<8x16xbf16>
}

// A dim of both operands and the result is a batch; one that the weight lacks
// is a row.
// CHECK-LABEL: func @batches
func.func @batches(%a: tensor<4x8x32xf32>, %b: tensor<4x32x16xf32>, %w: tensor<16x24xf32>) -> tensor<4x8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  // CHECK: coda.gemm batches(b) rows(m) columns(n) contracts(k)
  %c = linalg.batch_matmul ins(%a, %b : tensor<4x8x32xf32>, tensor<4x32x16xf32>) outs(%init : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %empty2 = tensor.empty() : tensor<4x8x24xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  // CHECK: coda.gemm rows(m, m1) columns(n) contracts(k)
  %d = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%c, %w : tensor<4x8x16xf32>, tensor<16x24xf32>) outs(%init2 : tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  return %d : tensor<4x8x24xf32>
}

// Neighbours become maps: elementwise, reductions, indices of the domain.
// CHECK-LABEL: func @neighbours
func.func @neighbours(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: coda.map rows(m) columns(n) ins(%{{.*}} at (m, n) : tensor<8x16xf32>) outs(%{{.*}} at (m, n)
  // CHECK: coda.index n : index
  %scaled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = linalg.index 1 : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %v, %f : f32
    linalg.yield %p : f32
  } -> tensor<8x16xf32>
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: coda.map rows(m) columns(n) {{.*}}outs(%{{.*}} at (m) by add : tensor<8xf32>)
  %sum = linalg.reduce { arith.addf } ins(%scaled : tensor<8x16xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
  return %scaled, %sum : tensor<8x16xf32>, tensor<8xf32>
}

// Without a product there is nothing for coda to do.
// CHECK-LABEL: func @elementwise_only
func.func @elementwise_only(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NOT: coda.
  // CHECK: linalg.generic
  %empty = tensor.empty() : tensor<8x16xf32>
  %r = linalg.exp ins(%a : tensor<8x16xf32>) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
