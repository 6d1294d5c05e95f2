// A kernel written by hand: the query projection with rotate-half RoPE, stored
// by heads.
//
// A head's 64 channels are (p, j): channel j and channel 32 + j turn together,
// so p is a member of size 2 and the region receives both. The result map puts
// the head before the token, which is the layout that attention wants; no
// transpose is left.
//
//   coda-run examples/qkv_rope.mlir --check

func.func @query_rope(%x: tensor<2x48x256xbf16>, %weight: tensor<256x256xbf16>, %cos: tensor<48x32xf32>, %sin: tensor<48x32xf32>)
    -> tensor<2x4x48x2x32xbf16> {
  %heads = tensor.expand_shape %weight [[0, 1, 2], [3]] output_shape [4, 2, 32, 256]
      : tensor<256x256xbf16> into tensor<4x2x32x256xbf16>
  %init = tensor.empty() : tensor<2x4x48x2x32xbf16>
  %query = coda.gemm rows(b, t) columns(h, j) members(p) contracts(k)
      lhs(%x at (b, t, k) : tensor<2x48x256xbf16>)
      rhs(%heads at (h, p, j, k) : tensor<4x2x32x256xbf16>)
      ins(%cos at (t, j) : tensor<48x32xf32>, %sin at (t, j) : tensor<48x32xf32>)
      outs(%init at (b, h, t, p, j) : tensor<2x4x48x2x32xbf16>) {
  ^bb0(%lo: f32, %hi: f32, %c: f32, %s: f32):
    %lo_c = arith.mulf %lo, %c : f32
    %hi_s = arith.mulf %hi, %s : f32
    %hi_c = arith.mulf %hi, %c : f32
    %lo_s = arith.mulf %lo, %s : f32
    %new_lo = arith.subf %lo_c, %hi_s : f32
    %new_hi = arith.addf %hi_c, %lo_s : f32
    %lo16 = arith.truncf %new_lo : f32 to bf16
    %hi16 = arith.truncf %new_hi : f32 to bf16
    coda.yield %lo16, %hi16 : bf16, bf16
  }
  return %query : tensor<2x4x48x2x32xbf16>
}
