// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --size=0=48 --size=1=48 | FileCheck %s
// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   coda-run %s --device=cuda --size=0=0 --size=1=0 | FileCheck %s --check-prefix=EMPTY
// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_FAIL=cuLaunchKernelEx \
// RUN:   not coda-run %s --device=cuda --size=0=48 --size=1=48 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so FAKE_CUDA_TRACE=1 \
// RUN:   not coda-run %s --device=cuda --size=0=48 --size=1=47 2>&1 | FileCheck %s --check-prefix=SIZES

// The host code of a program with two kernels, on a driver that prints what it
// is asked: buffers are allocated, counters zeroed, and kernels launched in
// order.

// CHECK:     cuMemAlloc 12288
// CHECK:     cuMemcpyHtoD 12288
// CHECK:     cuModuleLoadDataEx
// CHECK:     cuModuleGetFunction program_gemm{{$}}
// CHECK:     cuMemset 32 x 1 bytes of 0
// CHECK:     cuTensorMapEncodeTiled type 9 rank 2 address {{.*}} dims 128 48 stride 256 box 64 {{.*}} swizzle 3
// CHECK:     cuLaunchKernelEx {{.*}} block 384 1 1
// CHECK-NOT: cuModuleLoadDataEx
// CHECK:     cuModuleGetFunction program_map{{$}}
// CHECK:     cuLaunchKernelEx {{.*}} grid 48 1 1 block 256 1 1 shared 0
// CHECK:     cuMemFree
// CHECK:     cuCtxSynchronize
// CHECK:     cuMemcpyDtoH 24576
// CHECK:     result0      tensor<48x256xbf16>

// EMPTY-NOT: cuLaunchKernelEx
// EMPTY:     result0      tensor<0x256xbf16>

// SIZES-NOT: cuLaunchKernelEx
// SIZES:     error:

// FAIL: coda_rt_args_launch: {{.*}}kernel 'program_gemm'

func.func @program(%x: tensor<?x128xbf16>, %w: tensor<256x128xbf16>, %r: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x128xbf16>
  %tile = tensor.empty(%m) : tensor<?x256xbf16>
  %row = tensor.empty(%m) : tensor<?xf32>
  %sum, %square = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x128xbf16>) rhs(%w at (n, k) : tensor<256x128xbf16>)
      ins(%r at (m, n) : tensor<?x256xbf16>)
      outs(%tile at (m, n) : tensor<?x256xbf16>, %row at (m) by add : tensor<?xf32>) {
  ^bb0(%acc: f32, %old: bf16):
    %o = arith.extf %old : bf16 to f32
    %s = arith.addf %acc, %o : f32
    %q = arith.mulf %s, %s : f32
    %s16 = arith.truncf %s : f32 to bf16
    coda.yield %s16, %q : bf16, f32
  }
  %init = tensor.empty(%m) : tensor<?x256xbf16>
  %y = coda.map rows(m) columns(n)
      ins(%sum at (m, n) : tensor<?x256xbf16>, %square at (m) : tensor<?xf32>)
      outs(%init at (m, n) : tensor<?x256xbf16>) {
  ^bb0(%a: bf16, %b: f32):
    %wide = arith.extf %a : bf16 to f32
    %scale = math.rsqrt %b : f32
    %p = arith.mulf %wide, %scale : f32
    %p16 = arith.truncf %p : f32 to bf16
    coda.yield %p16 : bf16
  }
  return %y : tensor<?x256xbf16>
}
