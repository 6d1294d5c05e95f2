// RUN: coda-run %s --entry=first_norm --device=emulator --size=0=37 --schedules=5 --check
// RUN: coda-run %s --entry=softmax_row --device=emulator --size=0=33 --schedules=5 --check

// Map kernels that reduce groups in their region.

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

