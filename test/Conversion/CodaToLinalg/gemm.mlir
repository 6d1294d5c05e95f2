// RUN: coda-opt %s --convert-coda-to-linalg --split-input-file | FileCheck %s

// One contraction for each rhs, then one generic for each result; a value of
// the region that no result needs is not computed.
// CHECK-LABEL: func @two_rhs
func.func @two_rhs(%x: tensor<?x256xbf16>, %wg: tensor<704x256xbf16>, %wu: tensor<704x256xbf16>, %y0: tensor<?x704xbf16>, %z0: tensor<704x?xf32>) -> (tensor<?x704xbf16>, tensor<704x?xf32>) {
  // CHECK: %[[DIM:.*]] = tensor.dim %arg0
  // CHECK: %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x704xf32>
  // CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] : tensor<?x704xf32>)
  // CHECK: %[[G:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 {{.*}} outs(%[[ZERO]]
  // CHECK:   arith.extf
  // CHECK:   arith.extf
  // CHECK:   arith.mulf {{.*}} : f32
  // CHECK:   arith.addf {{.*}} : f32
  // CHECK: %[[U:.*]] = linalg.generic {{.*}} ins(%arg0, %arg2
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[G]], %[[U]] : {{.*}} outs(%arg3
  // CHECK:   arith.mulf
  // CHECK:   arith.truncf
  // CHECK: linalg.generic {{.*}} ins(%[[U]] : tensor<?x704xf32>) outs(%arg4
  // CHECK-NOT: arith.mulf
  // CHECK: return
  %y, %z = coda.gemm rows(m) columns(f) contracts(k)
    lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%wg at (f, k) : tensor<704x256xbf16>, %wu at (f, k) : tensor<704x256xbf16>)
    outs(%y0 at (m, f) : tensor<?x704xbf16>, %z0 at (f, m) : tensor<704x?xf32>) {
  ^bb0(%g: f32, %u: f32):
    %p = arith.mulf %g, %u : f32
    %p16 = arith.truncf %p : f32 to bf16
    coda.yield %p16, %u : bf16, f32
  }
  return %y, %z : tensor<?x704xbf16>, tensor<704x?xf32>
}

// -----

// A member is a constant where it is read, a loop and a select where it is
// stored.
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 1)>
// CHECK-DAG: #[[$STORE:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: func @members
func.func @members(%x: tensor<4x8xf32>, %w: tensor<2x6x8xf32>, %y0: tensor<4x2x6xf32>) -> tensor<4x2x6xf32> {
  // CHECK: %[[ACC:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6x2xf32>)
  // CHECK: linalg.generic {indexing_maps = [#[[$FIRST]], #[[$SECOND]], #[[$STORE]]]
  // CHECK-SAME: ins(%[[ACC]], %[[ACC]]
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32)
  // CHECK:   %[[S:.*]] = arith.addf %[[A]], %[[B]]
  // CHECK:   %[[P:.*]] = linalg.index 2
  // CHECK:   %[[EQ:.*]] = arith.cmpi eq, %[[P]]
  // CHECK:   %[[SEL:.*]] = arith.select %[[EQ]], %[[S]], %[[B]]
  // CHECK:   linalg.yield %[[SEL]]
  %y = coda.gemm rows(m) columns(f) members(p) contracts(k) lhs(%x at (m, k) : tensor<4x8xf32>) rhs(%w at (p, f, k) : tensor<2x6x8xf32>)
    outs(%y0 at (m, p, f) : tensor<4x2x6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    coda.yield %s, %b : f32, f32
  }
  return %y : tensor<4x2x6xf32>
}

// -----

// Buffers are read first and written last.
// CHECK-LABEL: func @buffers
func.func @buffers(%x: memref<4x8xf32>, %w: memref<6x8xf32>, %y: memref<4x6xf32>, %m: memref<4xf32>) {
  // CHECK-DAG: %[[X:.*]] = bufferization.to_tensor %arg0 restrict
  // CHECK-DAG: %[[Y:.*]] = bufferization.to_tensor %arg2 restrict
  // CHECK-NOT: to_tensor %arg3
  // CHECK: linalg.generic
  // CHECK: %[[R0:.*]] = linalg.generic {{.*}} outs(%[[Y]]
  // CHECK: %[[R1:.*]] = linalg.generic
  // CHECK: %[[B0:.*]] = bufferization.to_buffer %[[R0]] read_only
  // CHECK: memref.copy %[[B0]], %arg2
  // CHECK: %[[B1:.*]] = bufferization.to_buffer %[[R1]] read_only
  // CHECK: memref.copy %[[B1]], %arg3
  coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : memref<4x8xf32>) rhs(%w at (n, k) : memref<6x8xf32>)
    outs(update %y at (m, n) : memref<4x6xf32>, %m at (m) by max : memref<4xf32>) {
  ^bb0(%acc: f32, %old: f32):
    %s = arith.addf %acc, %old : f32
    coda.yield %s, %s : f32, f32
  }
  return
}

// -----

// Without rows and columns a product is one number.
// CHECK-LABEL: func @dot
func.func @dot(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%arg0, %arg1
  // CHECK: linalg.generic {{.*}} iterator_types = []} {{.*}} outs(%arg2
  %r = coda.gemm contracts(k) lhs(%x at (k) : tensor<8xf32>) rhs(%y at (k) : tensor<8xf32>) outs(%z at () : tensor<f32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return %r : tensor<f32>
}
