// RUN: rm -rf %t && mkdir %t

// Arguments from files, results to files; format versions 1, 2 and 3.
// RUN: %python %S/Inputs/make-npy.py %t/x.npy '<f4' 3x4 f=2 v2
// RUN: %python %S/Inputs/make-npy.py %t/b.npy '<f4' 4 f=0.5 v3
// RUN: coda-run %s --no-rewrite --input=0=%t/x.npy --input=1=%t/b.npy --output=%t/out | FileCheck %s --check-prefix=FILES
// FILES: result0 tensor<3x4xf32> mean 2.5000e+00 rms 2.5000e+00 min 2.5000e+00 max 2.5000e+00
// RUN: coda-run %s --no-rewrite --input=0=%t/out/result0.npy --input=1=%t/b.npy | FileCheck %s --check-prefix=AGAIN
// AGAIN: result0 tensor<3x4xf32> mean 3.0000e+00

// Random arguments: the seed decides, and every '?' that is the same dim follows one.
// RUN: coda-run %s --no-rewrite --size=0=5 --seed=1 --output=%t/one > %t/one.txt
// RUN: coda-run %s --no-rewrite --size=0=5 --seed=1 --output=%t/same > %t/same.txt
// RUN: coda-run %s --no-rewrite --size=0=5 --seed=2 > %t/two.txt
// RUN: cmp %t/one/result0.npy %t/same/result0.npy
// RUN: diff %t/one.txt %t/same.txt
// RUN: not diff %t/one.txt %t/two.txt

// RUN: coda-run %s --no-rewrite --size=0=0 | FileCheck %s --check-prefix=EMPTY
// EMPTY: result0 tensor<0x4xf32>

// RUN: coda-run %s --no-rewrite --size=0=64 --time | FileCheck %s --check-prefix=TIME
// TIME: unfused median {{[0-9.]+}} ms, {{[0-9.]+}} to {{[0-9.]+}} ms in 20 runs

func.func @add_row(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%m) : tensor<?x4xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x4xf32>, tensor<4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%v: f32, %w: f32, %out: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %sum : tensor<?x4xf32>
}
