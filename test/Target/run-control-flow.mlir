// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --entry=same --size=0=4 | FileCheck %s --check-prefix=SAME
// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --entry=branch --size=0=4 | FileCheck %s --check-prefix=BRANCH
// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --entry=loop --size=0=4 > %t
// RUN: FileCheck %s --check-prefix=LOOP --input-file=%t
// RUN: grep -c cuMemAlloc %t > %t.allocated
// RUN: grep -c cuMemFree %t > %t.freed
// RUN: diff %t.allocated %t.freed

// Calls, branches and loops of host code: results are buffers of their own, the
// module is loaded once, and all that was allocated is freed.

// SAME-COUNT-2: cuMemcpyDtoD 128
// SAME-COUNT-2: cuMemcpyDtoH 128

// BRANCH: result0      tensor<4x8xf32>

// LOOP:     cuModuleLoadDataEx
// LOOP:     cuLaunchKernelEx
// LOOP-NOT: cuModule
// LOOP:     result0      tensor<4x8xf32>

func.func private @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %init = tensor.empty(%m) : tensor<?x8xf32>
  %y = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<?x8xf32>) outs(%init at (m, n) : tensor<?x8xf32>) {
  ^bb0(%a: f32):
    %p = arith.addf %a, %a : f32
    coda.yield %p : f32
  }
  return %y : tensor<?x8xf32>
}
func.func @same(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  return %x, %x : tensor<?x8xf32>, tensor<?x8xf32>
}
func.func @loop(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?x8xf32> {
    %y = func.call @twice(%t) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
func.func @branch(%x: tensor<?x8xf32>, %c: i1) -> tensor<?x8xf32> {
  %r = scf.if %c -> tensor<?x8xf32> {
    %y = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
