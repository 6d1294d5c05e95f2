// RUN: rm -rf %t && mkdir %t

// bf16 is raw bytes, as ml_dtypes writes it, or uint16 on request. 0x4000 is 2.
// RUN: %python %S/Inputs/make-npy.py %t/raw.npy '<V2' 2x2 H=16384
// RUN: %python %S/Inputs/make-npy.py %t/named.npy bfloat16 2x2 H=16384
// RUN: %python %S/Inputs/make-npy.py %t/uint16.npy '<u2' 2x2 H=16384
// RUN: coda-run %s --no-rewrite --input=0=%t/raw.npy --output=%t | FileCheck %s
// RUN: coda-run %s --no-rewrite --input=0=%t/named.npy | FileCheck %s
// RUN: coda-run %s --no-rewrite --input=0=bf16:%t/uint16.npy | FileCheck %s
// CHECK: result0 tensor<2x2xbf16> mean 4.0000e+00

// A result is an argument again.
// RUN: coda-run %s --no-rewrite --input=0=%t/result0.npy | FileCheck %s --check-prefix=AGAIN
// AGAIN: result0 tensor<2x2xbf16> mean 8.0000e+00

// RUN: not coda-run %s --no-rewrite --input=0=%t/uint16.npy 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: error: argument 0: {{.*}}uint16.npy: the array has type '<u2', expected '<V2' (bf16); write bf16: before the file name to take uint16 as bf16

func.func @double(%x: tensor<2x2xbf16>) -> tensor<2x2xbf16> {
  %empty = tensor.empty() : tensor<2x2xbf16>
  %y = linalg.add ins(%x, %x : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%empty : tensor<2x2xbf16>) -> tensor<2x2xbf16>
  return %y : tensor<2x2xbf16>
}
