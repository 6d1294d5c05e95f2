// RUN: coda-opt %s --pass-pipeline='builtin.module(func.func(coda-reparameterize,canonicalize,cse))' | FileCheck %s

// (diag(r) X) W = diag(r) (X W), with r in a spelling of its own.
// CHECK-LABEL: func @scale_of_rows
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x256xbf16>, %[[SS:[^:]*]]: tensor<?xf32>
func.func @scale_of_rows(%x: tensor<?x256xbf16>, %ss: tensor<?xf32>, %w: tensor<64x256xbf16>, %h0: tensor<?x256xbf16>, %y0: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  // CHECK: %[[U:.*]] = coda.map rows(m) columns(n) ins(%[[X]] at (m, n) : tensor<?x256xbf16>)
  // CHECK-NOT: divf
  // CHECK: coda.gemm {{.*}}lhs(%[[U]] at (m, k) {{.*}}ins(%[[SS]] at (m) : tensor<?xf32>)
  // CHECK: (%[[ACC:.*]]: f32, %[[S:.*]]: f32):
  // CHECK: %[[ROOT:.*]] = math.sqrt %[[S]] : f32
  // CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[ROOT]] : f32
  // CHECK: %[[V:.*]] = arith.mulf %[[ACC]], %[[R]] : f32
  // CHECK: arith.truncf %[[V]] : f32 to bf16
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<?x256xbf16>, %ss at (m) : tensor<?xf32>) outs(%h0 at (m, n) : tensor<?x256xbf16>) {
  ^bb0(%v: bf16, %s: f32):
    %root = math.sqrt %s : f32
    %f = arith.extf %v : bf16 to f32
    %q = arith.divf %f, %root : f32
    %t = arith.truncf %q : f32 to bf16
    coda.yield %t : bf16
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<?x256xbf16>) rhs(%w at (n, k) : tensor<64x256xbf16>) outs(%y0 at (m, n) : tensor<?x64xbf16>) {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    coda.yield %t : bf16
  }
  return %y : tensor<?x64xbf16>
}

// A scale of the summed dim stays: it does not commute with the product.
// CHECK-LABEL: func @scale_of_contracts
func.func @scale_of_contracts(%x: tensor<8x256xf32>, %g: tensor<256xf32>, %w: tensor<64x256xf32>, %y0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK: coda.map
  // CHECK: arith.mulf
  // CHECK: coda.gemm
  // CHECK-NEXT: (%[[ACC:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[ACC]]
  %h0 = tensor.empty() : tensor<8x256xf32>
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<8x256xf32>, %g at (n) : tensor<256xf32>) outs(%h0 at (m, n) : tensor<8x256xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<8x256xf32>) rhs(%w at (n, k) : tensor<64x256xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %y : tensor<8x64xf32>
}

// A shift is no factor.
// CHECK-LABEL: func @shift_of_rows
func.func @shift_of_rows(%x: tensor<8x256xf32>, %mu: tensor<8xf32>, %w: tensor<64x256xf32>, %y0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK: arith.subf
  // CHECK: coda.gemm
  // CHECK-NEXT: (%[[ACC:.*]]: f32):
  // CHECK-NEXT: coda.yield %[[ACC]]
  %h0 = tensor.empty() : tensor<8x256xf32>
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<8x256xf32>, %mu at (m) : tensor<8xf32>) outs(%h0 at (m, n) : tensor<8x256xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.subf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (m, k) : tensor<8x256xf32>) rhs(%w at (n, k) : tensor<64x256xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %y : tensor<8x64xf32>
}

// The rows of the product are the columns of the map: its scale of columns
// moves, and so does nothing else.
// CHECK-LABEL: func @transposed_lhs
// CHECK-SAME: %[[R:[^:]*]]: tensor<8xf32>
func.func @transposed_lhs(%r: tensor<8xf32>, %x: tensor<256x8xf32>, %w: tensor<64x256xf32>, %y0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK: coda.gemm {{.*}}lhs(%{{.*}} at (k, m) : tensor<256x8xf32>) {{.*}}ins(%[[R]] at (m) : tensor<8xf32>)
  %h0 = tensor.empty() : tensor<256x8xf32>
  %h = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<256x8xf32>, %r at (n) : tensor<8xf32>) outs(%h0 at (m, n) : tensor<256x8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %s : f32
    coda.yield %q : f32
  }
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%h at (k, m) : tensor<256x8xf32>) rhs(%w at (n, k) : tensor<64x256xf32>) outs(%y0 at (m, n) : tensor<8x64xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %y : tensor<8x64xf32>
}
