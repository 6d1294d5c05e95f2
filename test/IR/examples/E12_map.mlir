// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// coda.map: what has no product next to it.

// CHECK-LABEL: func @first_norm
// CHECK: coda.map rows(m) columns(n)
// CHECK-SAME: ins(%{{[^ ]+}} at (m, n) : tensor<?x256xbf16>, %{{[^ ]+}} at (n) : tensor<256xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x256xbf16>, %{{[^ ]+}} at (m) by max : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, f32
func.func @first_norm(%x: tensor<?x256xbf16>, %gamma: tensor<256xbf16>, %h0: tensor<?x256xbf16>, %r0: tensor<?xf32>)
    -> (tensor<?x256xbf16>, tensor<?xf32>) {
  %h, %r = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x256xbf16>, %gamma at (n) : tensor<256xbf16>)
      outs(%h0 at (m, n) : tensor<?x256xbf16>, %r0 at (m) by max : tensor<?xf32>) {
  ^bb0(%xv: bf16, %gm: bf16):
    %d = arith.constant 256.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %xf = arith.extf %xv : bf16 to f32
    %sq = arith.mulf %xf, %xf : f32
    %ss = coda.group_reduce add %sq over (n) : f32
    %ms = arith.divf %ss, %d : f32
    %me = arith.addf %ms, %eps : f32
    %rs = math.rsqrt %me : f32
    %nx = arith.mulf %xf, %rs : f32
    %n16 = arith.truncf %nx : f32 to bf16
    %hv = arith.mulf %n16, %gm : bf16
    coda.yield %hv, %rs : bf16, f32
  }
  return %h, %r : tensor<?x256xbf16>, tensor<?xf32>
}

// A group is a whole row of dynamic size.
// CHECK-LABEL: func @softmax_row
// CHECK: coda.map rows(b, h, t) columns(s)
// CHECK-SAME: ins(%{{[^ ]+}} at (b, h, t, s) : tensor<2x4x48x?xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, h, t, s) : tensor<2x4x48x?xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16
func.func @softmax_row(%sc: tensor<2x4x48x?xf32>, %p0: tensor<2x4x48x?xbf16>) -> tensor<2x4x48x?xbf16> {
  %p = coda.map rows(b, h, t) columns(s)
      ins(%sc at (b, h, t, s) : tensor<2x4x48x?xf32>)
      outs(%p0 at (b, h, t, s) : tensor<2x4x48x?xbf16>) {
  ^bb0(%v: f32):
    %mx = coda.group_reduce max %v over (s) : f32
    %d = arith.subf %v, %mx : f32
    %e = math.exp %d : f32
    %z = coda.group_reduce add %e over (s) : f32
    %q = arith.divf %e, %z : f32
    %q16 = arith.truncf %q : f32 to bf16
    coda.yield %q16 : bf16
  }
  return %p : tensor<2x4x48x?xbf16>
}

// Log-sum-exp of partial ones, and squared deviations from (sum, sqdev, count) of parts.
// CHECK-LABEL: func @finish_split_reductions
// CHECK: coda.map rows(m) columns(j)
// CHECK-SAME: ins(%{{[^ ]+}} at (m, j) : tensor<?x?xf32>, %{{[^ ]+}} at (m, j) : tensor<?x?xf32>,
// CHECK-SAME: %{{[^ ]+}} at (m, j) : tensor<?x?xf32>, %{{[^ ]+}} at (j) : tensor<?xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m) by lse : tensor<?xf32>, %{{[^ ]+}} at (m) by add : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f32, f32
func.func @finish_split_reductions(%lp: tensor<?x?xf32>, %sp: tensor<?x?xf32>, %qp: tensor<?x?xf32>,
                                   %cnt: tensor<?xf32>, %lse0: tensor<?xf32>, %sd0: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %lse, %sd = coda.map rows(m) columns(j)
      ins(%lp at (m, j) : tensor<?x?xf32>, %sp at (m, j) : tensor<?x?xf32>, %qp at (m, j) : tensor<?x?xf32>,
          %cnt at (j) : tensor<?xf32>)
      outs(%lse0 at (m) by lse : tensor<?xf32>, %sd0 at (m) by add : tensor<?xf32>) {
  ^bb0(%l: f32, %s: f32, %q: f32, %c: f32):
    %st = coda.group_reduce add %s over (j) : f32
    %ct = coda.group_reduce add %c over (j) : f32
    %mu = arith.divf %st, %ct : f32
    %mj = arith.divf %s, %c : f32
    %dm = arith.subf %mj, %mu : f32
    %d2 = arith.mulf %dm, %dm : f32
    %w = arith.mulf %d2, %c : f32
    %v = arith.addf %q, %w : f32
    coda.yield %l, %v : f32, f32
  }
  return %lse, %sd : tensor<?xf32>, tensor<?xf32>
}

// dz = R' dy from the saved rotated output; the sum of z * dz equals that of y * dy and
// adds to what other ops collected.
// CHECK-LABEL: func @d_rope
// CHECK: coda.map rows(b, t) columns(h, j) members(p)
// CHECK-SAME: ins(%{{[^ ]+}} at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>, %{{[^ ]+}} at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (t, p, j) : tensor<48x2x32xf32>, %{{[^ ]+}} at (t, p, j) : tensor<48x2x32xf32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (b, t, h, p, j) : tensor<2x48x4x2x32xbf16>, update %{{[^ ]+}} at (b, t) by add : tensor<2x48xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, bf16, f32
func.func @d_rope(%y: tensor<2x4x48x2x32xbf16>, %dy: tensor<2x4x48x2x32xbf16>, %cos: tensor<48x2x32xf32>,
                  %sin: tensor<48x2x32xf32>, %dz0: tensor<2x48x4x2x32xbf16>, %zdz0: tensor<2x48xf32>)
    -> (tensor<2x48x4x2x32xbf16>, tensor<2x48xf32>) {
  %dz, %zdz = coda.map rows(b, t) columns(h, j) members(p)
      ins(%y at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>, %dy at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>,
          %cos at (t, p, j) : tensor<48x2x32xf32>, %sin at (t, p, j) : tensor<48x2x32xf32>)
      outs(%dz0 at (b, t, h, p, j) : tensor<2x48x4x2x32xbf16>, update %zdz0 at (b, t) by add : tensor<2x48xf32>) {
  ^bb0(%y0: bf16, %y1: bf16, %d0: bf16, %d1: bf16, %c0: f32, %c1: f32, %s0: f32, %s1: f32):
    %e0 = arith.extf %y0 : bf16 to f32
    %e1 = arith.extf %y1 : bf16 to f32
    %f0 = arith.extf %d0 : bf16 to f32
    %f1 = arith.extf %d1 : bf16 to f32
    %a0 = arith.mulf %f0, %c0 : f32
    %b0 = arith.mulf %f1, %s1 : f32
    %z0 = arith.addf %a0, %b0 : f32
    %a1 = arith.mulf %f1, %c1 : f32
    %b1 = arith.mulf %f0, %s0 : f32
    %z1 = arith.subf %a1, %b1 : f32
    %p0 = arith.mulf %e0, %f0 : f32
    %p1 = arith.mulf %e1, %f1 : f32
    %ps = arith.addf %p0, %p1 : f32
    %o0 = arith.truncf %z0 : f32 to bf16
    %o1 = arith.truncf %z1 : f32 to bf16
    coda.yield %o0, %o1, %ps : bf16, bf16, f32
  }
  return %dz, %zdz : tensor<2x48x4x2x32xbf16>, tensor<2x48xf32>
}
