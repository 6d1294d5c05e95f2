// A kernel written by hand: a projection, the residual stream, and the half of
// the next RMSNorm that can be done before the whole row is known.
//
//   sum        = x W' + residual            stored: it is the next residual
//   scaled     = sum * gamma                stored: the next product's input
//   square_sum = sum over the row of sum^2  the statistic, finished elsewhere
//
// The reciprocal root of the statistic scales rows, so the next product applies
// it to its accumulators (see gemm_rstd_swiglu.mlir).
//
//   coda-run examples/gemm_residual_rmsnorm.mlir --size=0=48 --check

func.func @gemm_residual_rmsnorm(%x: tensor<?x704xbf16>, %weight: tensor<256x704xbf16>, %residual: tensor<?x256xbf16>,
                                 %gamma: tensor<256xbf16>)
    -> (tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x704xbf16>
  %tile_init = tensor.empty(%tokens) : tensor<?x256xbf16>
  %row_init = tensor.empty(%tokens) : tensor<?xf32>
  %sum, %scaled, %square_sum = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x704xbf16>)
      rhs(%weight at (n, k) : tensor<256x704xbf16>)
      ins(%residual at (m, n) : tensor<?x256xbf16>,
          %gamma at (n) : tensor<256xbf16>)
      outs(%tile_init at (m, n) : tensor<?x256xbf16>,
           %tile_init at (m, n) : tensor<?x256xbf16>,
           %row_init at (m) by add : tensor<?xf32>) {
  ^bb0(%acc: f32, %res: bf16, %g: bf16):
    %res32 = arith.extf %res : bf16 to f32
    %g32 = arith.extf %g : bf16 to f32
    %s = arith.addf %acc, %res32 : f32
    %square = arith.mulf %s, %s : f32
    %sg = arith.mulf %s, %g32 : f32
    %s16 = arith.truncf %s : f32 to bf16
    %sg16 = arith.truncf %sg : f32 to bf16
    coda.yield %s16, %sg16, %square : bf16, bf16, f32
  }
  return %sum, %scaled, %square_sum : tensor<?x256xbf16>, tensor<?x256xbf16>, tensor<?xf32>
}
