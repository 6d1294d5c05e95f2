// Host code that stock tools lowered runs on the runtime alone. The driver is a
// fake that prints what it is asked.

// The stock runner cannot load instrumented libraries.
// UNSUPPORTED: sanitizer

// RUN: %mlir-opt %s -pass-pipeline="builtin.module(gpu-to-llvm)" \
// RUN:   | env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so \
// RUN:     FAKE_CUDA_TRACE=1 %mlir-runner --entry-point-result=void \
// RUN:     --shared-libs=%coda_lib_dir/libcoda_runtime.so | FileCheck %s

// CHECK:      cuStreamCreate
// CHECK-NEXT: cuMemAlloc 64
// CHECK-NEXT: cuMemset 16 x 4 bytes of 0x3f800000
// CHECK:      cuModuleLoadDataEx
// CHECK:      cuModuleGetFunction scale
// CHECK-NEXT: cuLaunchKernelEx {{.*}} grid 4 1 1 block 32 1 1 shared 64 stream {{.*}} number 7
// CHECK-NEXT: cuLaunchKernelEx {{.*}} grid 8 1 1 block 32 1 1 shared 0
// CHECK-NEXT: attribute 4: 2 1 1
// CHECK:      cuMemFree
// CHECK-NEXT: cuStreamSynchronize
// CHECK-NEXT: cuStreamDestroy

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">,
      assembly = ".version 8.3\0A.target sm_90a\0A.address_size 64\0A">]

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %shared = arith.constant 64 : i32
    %none = arith.constant 0 : i64
    %seven = arith.constant 7 : i32
    %one = arith.constant 1.0 : f32
    %t0 = gpu.wait async
    %m, %t1 = gpu.alloc async [%t0] () : memref<16xf32>
    %t2 = gpu.memset async [%t1] %m, %one : memref<16xf32>, f32
    %t3 = gpu.launch_func async [%t2] @kernels::@scale
        blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)
        dynamic_shared_memory_size %shared
        args(%none : i64, %none : i64, %seven : i32)
    %t4 = gpu.launch_func async [%t3] @kernels::@scale
        clusters in (%c2, %c1, %c1)
        blocks in (%c8, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%none : i64, %none : i64, %seven : i32)
    %t5 = gpu.dealloc async [%t4] %m : memref<16xf32>
    gpu.wait [%t5]
    return
  }
}
