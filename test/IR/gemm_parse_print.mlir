// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-local-scope %s | coda-opt | FileCheck %s

// The example of the op's description.
// CHECK-LABEL: func @bias
func.func @bias(%x: tensor<?x256xbf16>, %w: tensor<704x256xbf16>, %bias: tensor<704xf32>, %y0: tensor<?x704xbf16>) -> tensor<?x704xbf16> {
  // CHECK: coda.gemm rows(m) columns(n) contracts(k) lhs(%{{.*}} at (m, k) : tensor<?x256xbf16>) rhs(%{{.*}} at (n, k) : tensor<704x256xbf16>) ins(%{{.*}} at (n) : tensor<704xf32>) outs(%{{.*}} at (m, n) : tensor<?x704xbf16>) {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[V:.*]] = arith.addf %[[ACC]], %[[B]] : f32
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[V]] : f32 to bf16
  // CHECK-NEXT: coda.yield %[[R]] : bf16
  // CHECK-NEXT: }
  %y = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%w at (n, k) : tensor<704x256xbf16>)
      ins(%bias at (n) : tensor<704xf32>) outs(%y0 at (m, n) : tensor<?x704xbf16>) {
  ^bb0(%acc: f32, %b: f32):
    %v = arith.addf %acc, %b : f32
    %r = arith.truncf %v : f32 to bf16
    coda.yield %r : bf16
  }
  return %y : tensor<?x704xbf16>
}

// All kinds of dims, several of each; 0 over size 1 in lhs, ins and outs; two rhs, of which one names the member.
// CHECK-LABEL: func @every_kind
func.func @every_kind(%x: tensor<2x3x1x4x5x6x7xf16>, %w: tensor<2x3x8x9x2x6x7xf16>, %v: tensor<7x6x9x8x3x2xf16>,
                      %t: tensor<1x8x1xf64>, %y: tensor<1x2x3x4x5x8x9x2xf16>) -> tensor<1x2x3x4x5x8x9x2xf16> {
  // CHECK: coda.gemm batches(b, c) rows(m, o) columns(n, q) members(p) contracts(k, l)
  // CHECK-SAME: lhs(%{{[^ ]*}} at (b, c, 0, m, o, k, l) : tensor<2x3x1x4x5x6x7xf16>)
  // CHECK-SAME: rhs(%{{[^ ]*}} at (b, c, n, q, p, k, l) : tensor<2x3x8x9x2x6x7xf16>, %{{[^ ]*}} at (l, k, q, n, c, b) : tensor<7x6x9x8x3x2xf16>)
  // CHECK-SAME: ins(%{{[^ ]*}} at (0, n, 0) : tensor<1x8x1xf64>)
  // CHECK-SAME: outs(%{{[^ ]*}} at (0, b, c, m, o, n, q, p) : tensor<1x2x3x4x5x8x9x2xf16>)
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f64):
  %r = coda.gemm batches(b, c) rows(m, o) columns(n, q) members(p) contracts(k, l)
      lhs(%x at (b, c, 0, m, o, k, l) : tensor<2x3x1x4x5x6x7xf16>)
      rhs(%w at (b, c, n, q, p, k, l) : tensor<2x3x8x9x2x6x7xf16>, %v at (l, k, q, n, c, b) : tensor<7x6x9x8x3x2xf16>)
      ins(%t at (0, n, 0) : tensor<1x8x1xf64>)
      outs(%y at (0, b, c, m, o, n, q, p) : tensor<1x2x3x4x5x8x9x2xf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %i: f64):
    %i32 = arith.truncf %i : f64 to f32
    %s0 = arith.mulf %a0, %a2 : f32
    %s1 = arith.mulf %a1, %i32 : f32
    %r0 = arith.truncf %s0 : f32 to f16
    %r1 = arith.truncf %s1 : f32 to f16
    coda.yield %r0, %r1 : f16, f16
  }
  return %r : tensor<1x2x3x4x5x8x9x2xf16>
}

// Every combiner, update of a store and of a sum. Old values of stores only are arguments.
// CHECK-LABEL: func @every_out
func.func @every_out(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %y: tensor<?x?xf32>, %t: tensor<?x?xi32>, %s: tensor<?xf32>,
                     %g: tensor<bf16>) -> tensor<?x?xf32> {
  // CHECK: %[[R:.*]]:8 = coda.gemm
  // CHECK-SAME: outs(%{{[^ ]*}} at (m, n) : tensor<?x?xf32>,
  // CHECK-SAME: update %{{[^ ]*}} at (n, m) : tensor<?x?xi32>,
  // CHECK-SAME: %{{[^ ]*}} at (m) by add : tensor<?xf32>,
  // CHECK-SAME: update %{{[^ ]*}} at (n) by add : tensor<?xf32>,
  // CHECK-SAME: %{{[^ ]*}} at () by max : tensor<bf16>,
  // CHECK-SAME: %{{[^ ]*}} at (m) by lse : tensor<?xf32>,
  // CHECK-SAME: %{{[^ ]*}} at (m) by sqdev : tensor<?xf32>,
  // CHECK-SAME: %{{[^ ]*}} at (m, n) by add : tensor<?x?xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32):
  // CHECK-NEXT: coda.yield {{.*}} : f32, i32, f32, f32, f32, f32, f32, f32
  %r:8 = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x?xf32>) rhs(%w at (n, k) : tensor<?x?xf32>)
      outs(%y at (m, n) : tensor<?x?xf32>, update %t at (n, m) : tensor<?x?xi32>, %s at (m) by add : tensor<?xf32>,
           update %s at (n) by add : tensor<?xf32>, %g at () by max : tensor<bf16>, %s at (m) by lse : tensor<?xf32>,
           %s at (m) by sqdev : tensor<?xf32>, %y at (m, n) by add : tensor<?x?xf32>) {
  ^bb0(%a: f32, %old: i32):
    coda.yield %a, %old, %a, %a, %a, %a, %a, %a : f32, i32, f32, f32, f32, f32, f32, f32
  }
  return %r#0 : tensor<?x?xf32>
}

// Memrefs, of any layout and memory space, have no results.
// CHECK-LABEL: func @memrefs
func.func @memrefs(%x: memref<?x8xbf16, strided<[?, 1], offset: ?>>, %w: memref<16x8xbf16, 1>, %y: memref<?x16xbf16>, %s: index) {
  // CHECK: {{^ *}}coda.gemm rows(m) columns(n) contracts(k)
  // CHECK-SAME: lhs(%{{[^ ]*}} at (m, k) : memref<?x8xbf16, strided<[?, 1], offset: ?>>)
  // CHECK-SAME: rhs(%{{[^ ]*}} at (n, k) : memref<16x8xbf16, 1>)
  // CHECK-SAME: ins(%[[Y:[^ ]*]] at (m, n) : memref<?x16xbf16>, %{{[^ ]*}} at () : index)
  // CHECK-SAME: outs(%[[Y]] at (m, n) : memref<?x16xbf16>)
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x8xbf16, strided<[?, 1], offset: ?>>) rhs(%w at (n, k) : memref<16x8xbf16, 1>)
      ins(%y at (m, n) : memref<?x16xbf16>, %s at () : index) outs(%y at (m, n) : memref<?x16xbf16>) {
  ^bb0(%a: f32, %old: bf16, %i: index):
    coda.yield %old : bf16
  }
  return
}

// CHECK-LABEL: func @attributes
func.func @attributes(%x: tensor<4x8xf8E4M3FN>, %w: tensor<16x8xf8E5M2>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // CHECK: outs(%{{.*}} at (m, n) : tensor<4x16xf32>)
  // CHECK-SAME: attributes {note = "kept", numerics = #coda.numerics<algebraic>,
  // CHECK-SAME: schedule = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 2, mode = pingpong>} {
  %r = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<4x8xf8E4M3FN>)
      rhs(%w at (n, k) : tensor<16x8xf8E5M2>) outs(%y at (m, n) : tensor<4x16xf32>)
      attributes {numerics = #coda.numerics<algebraic>, note = "kept",
                  schedule = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 2, mode = pingpong>} {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %r : tensor<4x16xf32>
}

// A kind without dims prints no clause; keywords are names like any other.
// CHECK-LABEL: func @keywords_as_names
func.func @keywords_as_names(%x: tensor<8xf32>, %w: tensor<8xf32>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: coda.gemm contracts(update) lhs(%{{.*}} at (update) : tensor<8xf32>) rhs(%{{.*}} at (update) : tensor<8xf32>) outs(%{{.*}} at () : tensor<f32>)
  %r = coda.gemm batches() rows() contracts(update) lhs(%x at (update) : tensor<8xf32>)
      rhs(%w at (update) : tensor<8xf32>) outs(%y at () : tensor<f32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return %r : tensor<f32>
}
