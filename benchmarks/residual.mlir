// H = X W^T + residual, H * gamma for the next product, and the row sums of H^2
// for its RMSNorm.
func.func @residual(%x: memref<?x11008xbf16>, %w: memref<4096x11008xbf16>, %res: memref<?x4096xbf16>,
                    %gamma: memref<4096xf32>, %h: memref<?x4096xbf16>, %hg: memref<?x4096xbf16>,
                    %ss: memref<?xf32>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x11008xbf16>) rhs(%w at (n, k) : memref<4096x11008xbf16>)
      ins(%res at (m, n) : memref<?x4096xbf16>, %gamma at (n) : memref<4096xf32>)
      outs(%h at (m, n) : memref<?x4096xbf16>, %hg at (m, n) : memref<?x4096xbf16>,
           %ss at (m) by add : memref<?xf32>) {
  ^bb0(%acc: f32, %r: bf16, %g: f32):
    %rf = arith.extf %r : bf16 to f32
    %v = arith.addf %acc, %rf : f32
    %v16 = arith.truncf %v : f32 to bf16
    %vg = arith.mulf %v, %g : f32
    %vg16 = arith.truncf %vg : f32 to bf16
    %sq = arith.mulf %v, %v : f32
    coda.yield %v16, %vg16, %sq : bf16, bf16, f32
  }
  return
}
