// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// Backward passes: SwiGLU, a chain of products into one gradient, RMSNorm, and the
// gradient of a weight.

// The member is named by saved and stored tensors only: one accumulator.
// CHECK-LABEL: func @d_swiglu
// CHECK: coda.gemm rows(m) columns(f) members(p) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (k, f) : tensor<256x704xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m, p, f) : tensor<?x2x704xbf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, p, f) : tensor<?x2x704xbf16>, %{{[^ ]+}} at (m, f) : tensor<?x704xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (m) by add : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, bf16, bf16, f32
func.func @d_swiglu(%dx: tensor<?x256xbf16>, %wd: tensor<256x704xbf16>, %zs: tensor<?x2x704xbf16>,
                    %dz0: tensor<?x2x704xbf16>, %y0: tensor<?x704xbf16>, %zdz0: tensor<?xf32>)
    -> (tensor<?x2x704xbf16>, tensor<?x704xbf16>, tensor<?xf32>) {
  %dz, %y, %zdz = coda.gemm rows(m) columns(f) members(p) contracts(k)
      lhs(%dx at (m, k) : tensor<?x256xbf16>)
      rhs(%wd at (k, f) : tensor<256x704xbf16>)
      ins(%zs at (m, p, f) : tensor<?x2x704xbf16>)
      outs(%dz0 at (m, p, f) : tensor<?x2x704xbf16>, %y0 at (m, f) : tensor<?x704xbf16>,
           %zdz0 at (m) by add : tensor<?xf32>) {
  ^bb0(%dy: f32, %g16: bf16, %u16: bf16):
    %one = arith.constant 1.0 : f32
    %g = arith.extf %g16 : bf16 to f32
    %u = arith.extf %u16 : bf16 to f32
    %n = arith.negf %g : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %h = arith.mulf %g, %s : f32
    %yv = arith.mulf %h, %u : f32
    %du = arith.mulf %dy, %h : f32
    %c = arith.subf %one, %s : f32
    %gc = arith.mulf %g, %c : f32
    %k1 = arith.addf %gc, %one : f32
    %sk = arith.mulf %s, %k1 : f32
    %du1 = arith.mulf %dy, %u : f32
    %dg = arith.mulf %du1, %sk : f32
    %p0 = arith.mulf %g, %dg : f32
    %p1 = arith.mulf %u, %du : f32
    %pz = arith.addf %p0, %p1 : f32
    %dg16 = arith.truncf %dg : f32 to bf16
    %du16 = arith.truncf %du : f32 to bf16
    %y16 = arith.truncf %yv : f32 to bf16
    coda.yield %dg16, %du16, %y16, %pz : bf16, bf16, bf16, f32
  }
  return %dz, %y, %zdz : tensor<?x2x704xbf16>, tensor<?x704xbf16>, tensor<?xf32>
}

// Two contract dims; the old value is added after the rounding.
// CHECK-LABEL: func @dx_chain
// CHECK: coda.gemm rows(b, t) columns(n) contracts(h, d)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, h, t, d) : tensor<2x2x48x64xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, d, n) : tensor<2x64x256xbf16>)
// CHECK-SAME: outs(update %{{[^ ]+}} at (b, t, n) : tensor<2x48x256xbf16>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16
func.func @dx_chain(%dk: tensor<2x2x48x64xbf16>, %wk: tensor<2x64x256xbf16>, %da1: tensor<2x48x256xbf16>)
    -> tensor<2x48x256xbf16> {
  %da2 = coda.gemm rows(b, t) columns(n) contracts(h, d)
      lhs(%dk at (b, h, t, d) : tensor<2x2x48x64xbf16>)
      rhs(%wk at (h, d, n) : tensor<2x64x256xbf16>)
      outs(update %da1 at (b, t, n) : tensor<2x48x256xbf16>) {
  ^bb0(%acc: f32, %old: bf16):
    %p = arith.truncf %acc : f32 to bf16
    %v = arith.addf %p, %old : bf16
    coda.yield %v : bf16
  }
  return %da2 : tensor<2x48x256xbf16>
}

// One store is updated and one is plain; a reduction adds to its old contents.
// CHECK-LABEL: func @d_rms_norm
// CHECK: coda.gemm rows(b, t) columns(n) contracts(h, d)
// CHECK-SAME: lhs(%{{[^ ]+}} at (b, h, t, d) : tensor<2x4x48x64xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (h, d, n) : tensor<4x64x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (b, t, n) : tensor<2x48x256xbf16>, %{{[^ ]+}} at (b, t, n) : tensor<2x48x256xbf16>,
// CHECK-SAME: %{{[^ ]+}} at (n) : tensor<256xbf16>, %{{[^ ]+}} at (b, t) : tensor<2x48xf32>,
// CHECK-SAME: %{{[^ ]+}} at (b, t) : tensor<2x48xf32>)
// CHECK-SAME: outs(update %{{[^ ]+}} at (b, t, n) : tensor<2x48x256xbf16>, %{{[^ ]+}} at (b, t, n) : tensor<2x48x256xbf16>,
// CHECK-SAME: update %{{[^ ]+}} at (n) by add : tensor<256xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: bf16, %{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: bf16):
// CHECK: coda.yield {{.*}} : bf16, bf16, f32
func.func @d_rms_norm(%dq: tensor<2x4x48x64xbf16>, %wq: tensor<4x64x256xbf16>, %da2: tensor<2x48x256xbf16>,
                      %x: tensor<2x48x256xbf16>, %gamma: tensor<256xbf16>, %r: tensor<2x48xf32>, %s: tensor<2x48xf32>,
                      %dres: tensor<2x48x256xbf16>, %a0: tensor<2x48x256xbf16>, %dg0: tensor<256xf32>)
    -> (tensor<2x48x256xbf16>, tensor<2x48x256xbf16>, tensor<256xf32>) {
  %dxn, %a, %dg = coda.gemm rows(b, t) columns(n) contracts(h, d)
      lhs(%dq at (b, h, t, d) : tensor<2x4x48x64xbf16>)
      rhs(%wq at (h, d, n) : tensor<4x64x256xbf16>)
      ins(%da2 at (b, t, n) : tensor<2x48x256xbf16>, %x at (b, t, n) : tensor<2x48x256xbf16>,
          %gamma at (n) : tensor<256xbf16>, %r at (b, t) : tensor<2x48xf32>, %s at (b, t) : tensor<2x48xf32>)
      outs(update %dres at (b, t, n) : tensor<2x48x256xbf16>, %a0 at (b, t, n) : tensor<2x48x256xbf16>,
           update %dg0 at (n) by add : tensor<256xf32>) {
  ^bb0(%acc: f32, %part: bf16, %xv: bf16, %gm: bf16, %rs: f32, %sv: f32, %old: bf16):
    %p = arith.truncf %acc : f32 to bf16
    %da16 = arith.addf %p, %part : bf16
    %da = arith.extf %da16 : bf16 to f32
    %xf = arith.extf %xv : bf16 to f32
    %gf = arith.extf %gm : bf16 to f32
    %n = arith.mulf %xf, %rs : f32
    %dag = arith.mulf %da, %gf : f32
    %ns = arith.mulf %n, %sv : f32
    %df = arith.subf %dag, %ns : f32
    %dx = arith.mulf %df, %rs : f32
    %dx16 = arith.truncf %dx : f32 to bf16
    %sum = arith.addf %dx16, %old : bf16
    %ng = arith.mulf %n, %gf : f32
    %a16 = arith.truncf %ng : f32 to bf16
    %dgv = arith.mulf %da, %n : f32
    coda.yield %sum, %a16, %dgv : bf16, bf16, f32
  }
  return %dxn, %a, %dg : tensor<2x48x256xbf16>, tensor<2x48x256xbf16>, tensor<256xf32>
}

// A member of other ops is a row here: kinds belong to an op, not to a tensor.
// CHECK-LABEL: func @d_weight
// CHECK: coda.gemm rows(p, f) columns(k) contracts(m)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, p, f) : tensor<?x2x704xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: outs(update %{{[^ ]+}} at (p, f, k) : tensor<2x704x256xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f32
func.func @d_weight(%dz: tensor<?x2x704xbf16>, %an: tensor<?x256xbf16>, %dw: tensor<2x704x256xf32>)
    -> tensor<2x704x256xf32> {
  %dw1 = coda.gemm rows(p, f) columns(k) contracts(m)
      lhs(%dz at (m, p, f) : tensor<?x2x704xbf16>)
      rhs(%an at (m, k) : tensor<?x256xbf16>)
      outs(update %dw at (p, f, k) : tensor<2x704x256xf32>) {
  ^bb0(%acc: f32, %old: f32):
    %v = arith.addf %acc, %old : f32
    coda.yield %v : f32
  }
  return %dw1 : tensor<2x704x256xf32>
}
