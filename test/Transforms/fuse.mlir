// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-fuse,canonicalize,cse))' | FileCheck %s

// The value that is also returned stays as a store of its own.
// CHECK-LABEL: func @two_stores
func.func @two_stores(%a: tensor<?x32xf32>, %w: tensor<16x32xf32>, %c0: tensor<?x16xf32>, %bias: tensor<16xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  // CHECK: %[[R:.*]]:2 = coda.gemm rows(m) columns(n) contracts(k)
  // CHECK-SAME: ins(%{{.*}} at (n) : tensor<16xf32>)
  // CHECK-SAME: outs(%{{.*}} at (m, n) : tensor<?x16xf32>, %{{.*}} at (m, n) : tensor<?x16xf32>)
  // CHECK: (%[[ACC:.*]]: f32, %[[B:.*]]: f32):
  // CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[B]]
  // CHECK: coda.yield %[[ACC]], %[[S]]
  // CHECK-NOT: coda.map
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<?x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<?x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %d = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<?x16xf32>, %bias at (n) : tensor<16xf32>) outs(%c0 at (m, n) : tensor<?x16xf32>) {
  ^bb0(%v: f32, %b: f32):
    %s = arith.addf %v, %b : f32
    coda.yield %s : f32
  }
  return %c, %d : tensor<?x16xf32>, tensor<?x16xf32>
}

// A consumer that sees the product transposed stores it transposed, and its
// other operand is read at the matching place.
// CHECK-LABEL: func @transposed
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x8xf32>
func.func @transposed(%x: tensor<16x8xf32>, %a: tensor<8x32xf32>, %w: tensor<16x32xf32>) -> tensor<16x8xf32> {
  // CHECK: coda.gemm rows(m) columns(n) contracts(k)
  // CHECK-SAME: ins(%[[X]] at (n, m) : tensor<16x8xf32>) outs(%{{.*}} at (n, m) : tensor<16x8xf32>)
  %c0 = tensor.empty() : tensor<8x16xf32>
  %d0 = tensor.empty() : tensor<16x8xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %d = coda.map rows(i) columns(j) ins(%c at (j, i) : tensor<8x16xf32>, %x at (i, j) : tensor<16x8xf32>) outs(%d0 at (i, j) : tensor<16x8xf32>) {
  ^bb0(%v: f32, %u: f32):
    %s = arith.addf %v, %u : f32
    coda.yield %s : f32
  }
  return %d : tensor<16x8xf32>
}

// Both operands are the product itself.
// CHECK-LABEL: func @square
func.func @square(%a: tensor<8x32xf32>, %w: tensor<16x32xf32>, %c0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: (%[[ACC:.*]]: f32):
  // CHECK: %[[S:.*]] = arith.mulf %[[ACC]], %[[ACC]]
  // CHECK: coda.yield %[[S]] : f32
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %d = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>, %c at (m, n) : tensor<8x16xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.mulf %u, %v : f32
    coda.yield %s : f32
  }
  return %d : tensor<8x16xf32>
}

// Products that share lhs and meet become one; the index keeps its dim.
// CHECK-LABEL: func @siblings
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x32xbf16>, %[[G:[^:]*]]: tensor<16x32xbf16>, %[[U:[^:]*]]: tensor<32x16xbf16>
func.func @siblings(%a: tensor<8x32xbf16>, %g: tensor<16x32xbf16>, %u: tensor<32x16xbf16>) -> tensor<8x16xf32> {
  // CHECK: coda.gemm rows(m) columns(n) contracts(k) lhs(%[[A]] at (m, k) : tensor<8x32xbf16>)
  // CHECK-SAME: rhs(%[[G]] at (n, k) : tensor<16x32xbf16>, %[[U]] at (k, n) : tensor<32x16xbf16>)
  // CHECK: coda.index n : index
  // CHECK-NOT: coda.gemm
  %c0 = tensor.empty() : tensor<8x16xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xbf16>) rhs(%g at (n, k) : tensor<16x32xbf16>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %d = coda.gemm rows(r) columns(s) contracts(t) lhs(%a at (r, t) : tensor<8x32xbf16>) rhs(%u at (t, s) : tensor<32x16xbf16>) outs(%c0 at (r, s) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    %i = coda.index s : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %v = arith.addf %acc, %f : f32
    coda.yield %v : f32
  }
  %e = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>, %d at (m, n) : tensor<8x16xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    coda.yield %p : f32
  }
  return %e : tensor<8x16xf32>
}

// A reduction of the product is a reduced result of it; what needs the finished
// sum stays outside, with the scale computed inside.
// CHECK-LABEL: func @row_statistic
func.func @row_statistic(%a: tensor<8x32xf32>, %w: tensor<16x32xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[C:.*]]:2 = coda.gemm {{.*}}outs(%{{.*}} at (m, n) : tensor<8x16xf32>, %{{.*}} at (m) by add : tensor<8xf32>)
  // CHECK: %[[R:.*]] = coda.map {{.*}}%[[C]]#1 at (m) : tensor<8xf32>
  // CHECK: math.rsqrt
  // CHECK: return %[[R]]
  %c0 = tensor.empty() : tensor<8x16xf32>
  %s0 = tensor.empty() : tensor<8xf32>
  %c = coda.gemm rows(m) columns(n) contracts(k) lhs(%a at (m, k) : tensor<8x32xf32>) rhs(%w at (n, k) : tensor<16x32xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  %s = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>) outs(%s0 at (m) by add : tensor<8xf32>) {
  ^bb0(%v: f32):
    %q = arith.mulf %v, %v : f32
    coda.yield %q : f32
  }
  %r = coda.map rows(m) ins(%s at (m) : tensor<8xf32>) outs(%s0 at (m) : tensor<8xf32>) {
  ^bb0(%v: f32):
    %q = math.rsqrt %v : f32
    coda.yield %q : f32
  }
  %y = coda.map rows(m) columns(n) ins(%c at (m, n) : tensor<8x16xf32>, %r at (m) : tensor<8xf32>) outs(%c0 at (m, n) : tensor<8x16xf32>) {
  ^bb0(%v: f32, %q: f32):
    %p = arith.mulf %v, %q : f32
    coda.yield %p : f32
  }
  return %y : tensor<8x16xf32>
}
