// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// The example of the op's description.
// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<?x256xf32>, %h0: tensor<?x256xf32>, %r0: tensor<?xf32>) -> (tensor<?x256xf32>, tensor<?xf32>) {
  // CHECK: %[[R:.*]]:2 = coda.map rows(m) columns(n) ins(%{{[^ ]*}} at (m, n) : tensor<?x256xf32>) outs(%{{[^ ]*}} at (m, n) : tensor<?x256xf32>, %{{[^ ]*}} at (m) by max : tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
  // CHECK: %[[SQ:.*]] = arith.mulf %[[V]], %[[V]] : f32
  // CHECK-NEXT: coda.group_reduce add %[[SQ]] over (n) : f32
  // CHECK: coda.yield %{{.*}}, %{{.*}} : f32, f32
  // CHECK: return %[[R]]#0, %[[R]]#1
  %h, %r = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x256xf32>) outs(%h0 at (m, n) : tensor<?x256xf32>, %r0 at (m) by max : tensor<?xf32>) {
  ^bb0(%v: f32):
    %width = arith.constant 256.0 : f32
    %sq = arith.mulf %v, %v : f32
    %ss = coda.group_reduce add %sq over (n) : f32
    %ms = arith.divf %ss, %width : f32
    %rs = math.rsqrt %ms : f32
    %y = arith.mulf %v, %rs : f32
    coda.yield %y, %rs : f32, f32
  }
  return %h, %r : tensor<?x256xf32>, tensor<?xf32>
}

// Members give one argument, or one yielded value, for each tuple of the members that an operand names.
// CHECK-LABEL: func @members
func.func @members(%x: tensor<2x4x3xf32>, %t: tensor<3xi8>, %y: tensor<4x2xf32>, %z: tensor<4xf32>) -> tensor<4x2xf32> {
  // CHECK: coda.map rows(m) members(p, q) ins(%{{[^ ]*}} at (p, m, q) : tensor<2x4x3xf32>, %{{[^ ]*}} at (q) : tensor<3xi8>)
  // CHECK-SAME: outs(update %{{[^ ]*}} at (m, p) : tensor<4x2xf32>, %{{[^ ]*}} at (m) : tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%{{[^ ]*}}: f32, %{{[^ ]*}}: f32, %{{[^ ]*}}: f32, %{{[^ ]*}}: f32, %{{[^ ]*}}: f32, %[[LAST:[^ ]*]]: f32, %{{[^ ]*}}: i8, %{{[^ ]*}}: i8, %{{[^ ]*}}: i8, %[[OLD0:[^ ]*]]: f32, %[[OLD1:[^ ]*]]: f32):
  // CHECK-NEXT: coda.yield %[[OLD1]], %[[OLD0]], %[[LAST]] : f32, f32, f32
  %r:2 = coda.map rows(m) members(p, q) ins(%x at (p, m, q) : tensor<2x4x3xf32>, %t at (q) : tensor<3xi8>)
      outs(update %y at (m, p) : tensor<4x2xf32>, %z at (m) : tensor<4xf32>) {
  ^bb0(%x00: f32, %x01: f32, %x02: f32, %x10: f32, %x11: f32, %x12: f32, %t0: i8, %t1: i8, %t2: i8, %o0: f32, %o1: f32):
    coda.yield %o1, %o0, %x12 : f32, f32, f32
  }
  return %r#0 : tensor<4x2xf32>
}

// No ins, no dims, no outs.
// CHECK-LABEL: func @almost_nothing
func.func @almost_nothing(%y: tensor<f32>, %m: memref<2xf32>, %s: f32) -> tensor<f32> {
  // CHECK: coda.map outs(%{{.*}} at () : tensor<f32>) {
  // CHECK-NEXT: constant
  %r = coda.map outs(%y at () : tensor<f32>) {
    %c = arith.constant 1.0 : f32
    coda.yield %c : f32
  }
  // CHECK: coda.map ins(%{{.*}} at () : f32) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32):
  // CHECK-NEXT: coda.yield{{$}}
  coda.map ins(%s at () : f32) {
  ^bb0(%v: f32):
    coda.yield
  }
  // CHECK: coda.map batches(b) outs(%{{.*}} at (b) : memref<2xf32>) attributes {numerics = #coda.numerics<bitwise>} {
  coda.map batches(b) outs(%m at (b) : memref<2xf32>) attributes {numerics = #coda.numerics<bitwise>} {
    %c = arith.constant 1.0 : f32
    coda.yield %c : f32
  }
  // CHECK: coda.map {
  // CHECK-NEXT: coda.yield{{$}}
  coda.map {
    coda.yield
  }
  return %r : tensor<f32>
}
