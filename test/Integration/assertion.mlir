// A failed assertion is an error, not the end of the process.
// RUN: not coda-run %s --no-rewrite --size=0=40 2>&1 | FileCheck %s
// CHECK: error: assertion failed: index out of range

func.func @take(%x: tensor<?xi64>, %t: tensor<10xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %never = arith.constant -9 : i64
    %ok = arith.cmpi slt, %i, %never : i64
    cf.assert %ok, "index out of range"
    %zero = arith.constant 0 : index
    %v = tensor.extract %t[%zero] : tensor<10xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
