// Constants on the device live as long as the process, where no leak checker
// finds them.
// UNSUPPORTED: sanitizer

// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --seed=1 | FileCheck %s

// A constant is uploaded; who returns it gets a copy.

// CHECK: cuMemAlloc 16
// CHECK: cuMemcpyHtoD 16
// CHECK: cuMemAlloc 16
// CHECK: cuMemcpyDtoD 16
// CHECK: cuMemcpyDtoH 16
// CHECK: result0 {{.*}} mean 2.5
func.func @constant() -> tensor<4xf32> {
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %t : tensor<4xf32>
}
