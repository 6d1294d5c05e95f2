// Gate and up, scaled by each row's rstd and rounded, and silu(gate) * up. The
// weight is [gate; up], and so are the stored pre-activations of a row.
func.func @swiglu(%x: memref<?x4096xbf16>, %w: memref<2x11008x4096xbf16>, %rstd: memref<?xf32>,
                  %z: memref<?x2x11008xbf16>, %y: memref<?x11008xbf16>) {
  coda.gemm rows(m) columns(f) members(p) contracts(k)
      lhs(%x at (m, k) : memref<?x4096xbf16>) rhs(%w at (p, f, k) : memref<2x11008x4096xbf16>)
      ins(%rstd at (m) : memref<?xf32>)
      outs(%z at (m, p, f) : memref<?x2x11008xbf16>, %y at (m, f) : memref<?x11008xbf16>) {
  ^bb0(%ga: f32, %ua: f32, %r: f32):
    %one = arith.constant 1.0 : f32
    %gs = arith.mulf %ga, %r : f32
    %us = arith.mulf %ua, %r : f32
    %g16 = arith.truncf %gs : f32 to bf16
    %u16 = arith.truncf %us : f32 to bf16
    %g = arith.extf %g16 : bf16 to f32
    %u = arith.extf %u16 : bf16 to f32
    %n = arith.negf %g : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %a = arith.mulf %g, %s : f32
    %p = arith.mulf %a, %u : f32
    %p16 = arith.truncf %p : f32 to bf16
    coda.yield %g16, %u16, %p16 : bf16, bf16, bf16
  }
  return
}
