// RUN: coda-run %s --device=emulator --check

// Powers of numbers of either sign, as CPUs have them: x^3 of a tanh-GELU, and
// exponents that are whole only at run time.
func.func @powers(%x: tensor<40x64xf32>, %y0: tensor<40x64xf32>, %z0: tensor<40x64xf32>) -> (tensor<40x64xf32>, tensor<40x64xf32>) {
  %y, %z = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<40x64xf32>)
      outs(%y0 at (m, n) : tensor<40x64xf32>, %z0 at (m, n) : tensor<40x64xf32>) {
  ^bb0(%a: f32):
    %three = arith.constant 3.0 : f32
    %cube = math.powf %a, %three : f32
    %n = coda.index n : index
    %i = arith.index_cast %n : index to i32
    %four = arith.constant 4 : i32
    %k = arith.remui %i, %four : i32
    %e = arith.uitofp %k : i32 to f32
    %power = math.powf %a, %e : f32
    coda.yield %cube, %power : f32, f32
  }
  return %y, %z : tensor<40x64xf32>, tensor<40x64xf32>
}
