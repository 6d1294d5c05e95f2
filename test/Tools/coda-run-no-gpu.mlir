// UNSUPPORTED: cuda-sm90
// RUN: not coda-run %s --device=cuda --output=%t 2>&1 | FileCheck %s
// RUN: not ls %t

// CHECK: error: no CUDA driver: libcuda.so.1 not found

func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
