// Y = X W^T in bf16.
func.func @plain(%x: memref<?x4096xbf16>, %w: memref<4096x4096xbf16>,
                 %y: memref<?x4096xbf16>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x4096xbf16>) rhs(%w at (n, k) : memref<4096x4096xbf16>)
      outs(%y at (m, n) : memref<?x4096xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}
