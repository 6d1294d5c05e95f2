// The second half of a Llama layer in linalg on tensors, as a frontend would
// leave it: output projection of attention, residual, RMSNorm, SwiGLU, down
// projection, residual. Tokens are dynamic, d = 512, f = 1408, weights are
// [out, in], activations are bf16, products and statistics are f32.
//
//   coda-compile examples/llama_mlp.mlir --emit=coda
//   coda-run examples/llama_mlp.mlir --size=0=64 --check

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#acc = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

func.func @llama_mlp(%attention: tensor<?x512xbf16>, %stream: tensor<?x512xbf16>,
                     %w_o: tensor<512x512xbf16>, %gamma: tensor<512xbf16>,
                     %w_gate: tensor<1408x512xbf16>, %w_up: tensor<1408x512xbf16>,
                     %w_down: tensor<512x1408xbf16>) -> tensor<?x512xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tokens = tensor.dim %attention, %c0 : tensor<?x512xbf16>
  %d_f32 = tensor.empty(%tokens) : tensor<?x512xf32>
  %d_bf16 = tensor.empty(%tokens) : tensor<?x512xbf16>
  %f_f32 = tensor.empty(%tokens) : tensor<?x1408xf32>
  %f_bf16 = tensor.empty(%tokens) : tensor<?x1408xbf16>
  %rows = tensor.empty(%tokens) : tensor<?xf32>
  %d_zero = linalg.fill ins(%zero : f32) outs(%d_f32 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %f_zero = linalg.fill ins(%zero : f32) outs(%f_f32 : tensor<?x1408xf32>) -> tensor<?x1408xf32>
  %rows_zero = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>

  // Output projection, added to the residual stream.
  %o = linalg.matmul indexing_maps = [#lhs, #rhs, #acc]
      ins(%attention, %w_o : tensor<?x512xbf16>, tensor<512x512xbf16>)
      outs(%d_zero : tensor<?x512xf32>) -> tensor<?x512xf32>
  %o_bf16 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%o : tensor<?x512xf32>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: f32, %out: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>
  %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%o_bf16, %stream : tensor<?x512xbf16>, tensor<?x512xbf16>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: bf16, %s: bf16, %out: bf16):
    %t = arith.addf %v, %s : bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>

  // RMSNorm: a mean of squares over the row, its reciprocal root, the weight.
  %h_f32 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x512xbf16>) outs(%d_f32 : tensor<?x512xf32>) {
  ^bb0(%v: bf16, %out: f32):
    %t = arith.extf %v : bf16 to f32
    linalg.yield %t : f32
  } -> tensor<?x512xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h_f32 : tensor<?x512xf32>) outs(%rows_zero : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.mulf %v, %v : f32
    %u = arith.addf %sum, %t : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  %rstd = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%squares : tensor<?xf32>) outs(%rows : tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32):
    %width = arith.constant 512.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %mean = arith.divf %v, %width : f32
    %shifted = arith.addf %mean, %eps : f32
    %t = math.rsqrt %shifted : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %normed = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h_f32, %rstd : tensor<?x512xf32>, tensor<?xf32>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: f32, %r: f32, %out: bf16):
    %t = arith.mulf %v, %r : f32
    %u = arith.truncf %t : f32 to bf16
    linalg.yield %u : bf16
  } -> tensor<?x512xbf16>
  %x = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%normed, %gamma : tensor<?x512xbf16>, tensor<512xbf16>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: bf16, %g: bf16, %out: bf16):
    %t = arith.mulf %v, %g : bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>

  // SwiGLU: silu(gate) * up.
  %gate = linalg.matmul indexing_maps = [#lhs, #rhs, #acc]
      ins(%x, %w_gate : tensor<?x512xbf16>, tensor<1408x512xbf16>)
      outs(%f_zero : tensor<?x1408xf32>) -> tensor<?x1408xf32>
  %up = linalg.matmul indexing_maps = [#lhs, #rhs, #acc]
      ins(%x, %w_up : tensor<?x512xbf16>, tensor<1408x512xbf16>)
      outs(%f_zero : tensor<?x1408xf32>) -> tensor<?x1408xf32>
  %silu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%gate : tensor<?x1408xf32>) outs(%f_f32 : tensor<?x1408xf32>) {
  ^bb0(%v: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %s = arith.addf %one, %e : f32
    %t = arith.divf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x1408xf32>
  %act = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%silu, %up : tensor<?x1408xf32>, tensor<?x1408xf32>) outs(%f_bf16 : tensor<?x1408xbf16>) {
  ^bb0(%g: f32, %u: f32, %out: bf16):
    %t = arith.mulf %g, %u : f32
    %v = arith.truncf %t : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<?x1408xbf16>

  // Down projection, added to the residual stream.
  %down = linalg.matmul indexing_maps = [#lhs, #rhs, #acc]
      ins(%act, %w_down : tensor<?x1408xbf16>, tensor<512x1408xbf16>)
      outs(%d_zero : tensor<?x512xf32>) -> tensor<?x512xf32>
  %down_bf16 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%down : tensor<?x512xf32>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: f32, %out: bf16):
    %t = arith.truncf %v : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%down_bf16, %h : tensor<?x512xbf16>, tensor<?x512xbf16>) outs(%d_bf16 : tensor<?x512xbf16>) {
  ^bb0(%v: bf16, %s: bf16, %out: bf16):
    %t = arith.addf %v, %s : bf16
    linalg.yield %t : bf16
  } -> tensor<?x512xbf16>
  return %y : tensor<?x512xbf16>
}
