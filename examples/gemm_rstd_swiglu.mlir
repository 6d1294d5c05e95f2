// A kernel written by hand: the gate and up projections of a Llama MLP with
// everything around them in one launch.
//
// The input x was multiplied by the norm's weight where it was produced, but
// not yet by the reciprocal RMS of its row: a scale of a row moves past the
// product, so it is applied to the accumulators here. The weight is stacked
// [gate; up], and its rows are named (p, f) with p a member of size 2. The
// region therefore sees both accumulators of a channel, and no weight is
// repacked: tensor.expand_shape costs nothing.
//
//   coda-run examples/gemm_rstd_swiglu.mlir --size=0=48 --check
//   coda-compile examples/gemm_rstd_swiglu.mlir --emit=ptx

func.func @gemm_rstd_swiglu(%x: tensor<?x256xbf16>, %weight: tensor<1408x256xbf16>, %square_sum: tensor<?xf32>)
    -> (tensor<?x2x704xbf16>, tensor<?x704xbf16>) {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %stacked = tensor.expand_shape %weight [[0, 1], [2]] output_shape [2, 704, 256]
      : tensor<1408x256xbf16> into tensor<2x704x256xbf16>
  %pre_init = tensor.empty(%tokens) : tensor<?x2x704xbf16>
  %out_init = tensor.empty(%tokens) : tensor<?x704xbf16>
  %pre, %out = coda.gemm rows(m) columns(f) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<?x256xbf16>)
      rhs(%stacked at (p, f, k) : tensor<2x704x256xbf16>)
      ins(%square_sum at (m) : tensor<?xf32>)
      outs(%pre_init at (m, p, f) : tensor<?x2x704xbf16>,
           %out_init at (m, f) : tensor<?x704xbf16>) {
  ^bb0(%gate_acc: f32, %up_acc: f32, %ss: f32):
    // Depends on the row only, so it is computed once for each row.
    %width = arith.constant 256.0 : f32
    %eps = arith.constant 1.0e-6 : f32
    %mean = arith.divf %ss, %width : f32
    %shifted = arith.addf %mean, %eps : f32
    %rstd = math.rsqrt %shifted : f32

    %gate = arith.mulf %gate_acc, %rstd : f32
    %up = arith.mulf %up_acc, %rstd : f32

    // silu(gate) * up
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %gate : f32
    %exp = math.exp %minus : f32
    %denominator = arith.addf %exp, %one : f32
    %sigmoid = arith.divf %one, %denominator : f32
    %silu = arith.mulf %gate, %sigmoid : f32
    %product = arith.mulf %silu, %up : f32

    // Both pre-activations are stored for the backward pass.
    %gate16 = arith.truncf %gate : f32 to bf16
    %up16 = arith.truncf %up : f32 to bf16
    %product16 = arith.truncf %product : f32 to bf16
    coda.yield %gate16, %up16, %product16 : bf16, bf16, bf16
  }
  return %pre, %out : tensor<?x2x704xbf16>, tensor<?x704xbf16>
}
