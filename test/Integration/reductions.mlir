// RUN: coda-run %s --no-rewrite --entry=special_values | FileCheck %s --check-prefix=SPECIAL
// RUN: coda-run %s --no-rewrite --entry=large_mean | FileCheck %s --check-prefix=MEAN
// RUN: coda-run %s --no-rewrite --entry=empty --size=0=0 | FileCheck %s --check-prefix=EMPTY
// RUN: coda-run %s --no-rewrite --entry=no_contract --size=0=0 | FileCheck %s --check-prefix=CONTRACT
// RUN: coda-run %s --no-rewrite --entry=tiled --size=0=100 | FileCheck %s --check-prefix=TILED

func.func private @lse(%x: tensor<2xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = coda.map columns(n) ins(%x at (n) : tensor<2xf32>) outs(%e at () by lse : tensor<f32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %r : tensor<f32>
}

// All -inf gives -inf, a +inf gives +inf, a NaN stays, and large values do not
// overflow: log(2 exp(1000)) = 1000.69.
// SPECIAL: result0 {{.*}} min -inf
// SPECIAL: result1 {{.*}} min inf
// SPECIAL: result2 {{.*}} mean {{-?}}nan
// SPECIAL: result3 {{.*}} mean 1.0007e+03
func.func @special_values() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %lowest = arith.constant dense<0xFF800000> : tensor<2xf32>
  %highest = arith.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
  %nan = arith.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %large = arith.constant dense<1000.0> : tensor<2xf32>
  %0 = call @lse(%lowest) : (tensor<2xf32>) -> tensor<f32>
  %1 = call @lse(%highest) : (tensor<2xf32>) -> tensor<f32>
  %2 = call @lse(%nan) : (tensor<2xf32>) -> tensor<f32>
  %3 = call @lse(%large) : (tensor<2xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// 100000 +- 1: the square of the mean would swallow the deviations. A bf16 buffer
// is rounded once: 4 ones and the old 256 give 260, not 256.
// MEAN: result0 {{.*}} mean 4.0000e+00
// MEAN: result1 tensor<bf16>{{.*}} mean 2.6000e+02
func.func @large_mean() -> (tensor<f32>, tensor<bf16>) {
  %x = arith.constant dense<[99999.0, 100001.0, 99999.0, 100001.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<f32>
  %old = arith.constant dense<256.0> : tensor<bf16>
  %sq, %sum = coda.map columns(n) ins(%x at (n) : tensor<4xf32>)
      outs(%e at () by sqdev : tensor<f32>, update %old at () by add : tensor<bf16>) {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    coda.yield %v, %one : f32, f32
  }
  return %sq, %sum : tensor<f32>, tensor<bf16>
}

// Nothing to reduce gives the identity of the combiner.
// EMPTY: result0 {{.*}} min  0.0000e+00
// EMPTY: result1 {{.*}} min -inf
// EMPTY: result2 {{.*}} min -inf
// EMPTY: result3 {{.*}} min  0.0000e+00
func.func @empty(%x: tensor<3x?xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %0:4 = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<3x?xf32>)
      outs(%e at (m) by add : tensor<3xf32>, %e at (m) by max : tensor<3xf32>,
           %e at (m) by lse : tensor<3xf32>, %e at (m) by sqdev : tensor<3xf32>) {
  ^bb0(%v: f32):
    coda.yield %v, %v, %v, %v : f32, f32, f32, f32
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CONTRACT: result0 tensor<2x3xf32>{{.*}} min  1.0000e+00 max  1.0000e+00
func.func @no_contract(%x: tensor<2x?xbf16>, %w: tensor<3x?xbf16>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<2x?xbf16>) rhs(%w at (n, k) : tensor<3x?xbf16>)
      outs(%e at (m, n) : tensor<2x3xf32>) {
  ^bb0(%acc: f32):
    %one = arith.constant 1.0 : f32
    %v = arith.addf %acc, %one : f32
    coda.yield %v : f32
  }
  return %y : tensor<2x3xf32>
}

// Tiles know where they are: the largest column index and the sum of all, over
// more columns than a tile has; a tile has 64 rows, too.
// TILED: result0 tensor<100xf32>{{.*}} min  2.9990e+03 max  2.9990e+03
// TILED: result1 tensor<3000xf32>{{.*}} min  4.9500e+03 max  4.9500e+03
func.func @tiled(%x: tensor<?x8xf32>) -> (tensor<?xf32>, tensor<3000xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %e1 = tensor.empty() : tensor<3000xf32>
  %w = arith.constant dense<1.0> : tensor<3000x8xf32>
  %0:2 = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<?x8xf32>) rhs(%w at (n, k) : tensor<3000x8xf32>)
      outs(%e0 at (m) by max : tensor<?xf32>, %e1 at (n) by add : tensor<3000xf32>) {
  ^bb0(%acc: f32):
    %n = coda.index n : index
    %r = coda.index m : index
    %ni = arith.index_cast %n : index to i32
    %ri = arith.index_cast %r : index to i32
    %nf = arith.sitofp %ni : i32 to f32
    %rf = arith.sitofp %ri : i32 to f32
    coda.yield %nf, %rf : f32, f32
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<3000xf32>
}
