// A failure of the runtime ends host code from stock tools with a line that
// says why, and exit code 1.

// The stock runner cannot load instrumented libraries.
// UNSUPPORTED: sanitizer

// RUN: %mlir-opt %s -pass-pipeline="builtin.module(gpu-to-llvm)" -o %t.mlir
// RUN: not env CODA_CUDA_LIBRARY=/nowhere/libcuda.so.1 \
// RUN:   %mlir-runner %t.mlir --entry-point-result=void \
// RUN:   --shared-libs=%coda_lib_dir/libcoda_runtime.so 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING
// MISSING: coda runtime: mgpuStreamCreate: missing driver: cannot open the CUDA driver '/nowhere/libcuda.so.1'

// RUN: not env CODA_CUDA_LIBRARY=%coda_lib_dir/libcoda_fake_cuda.so \
// RUN:   FAKE_CUDA_SM=80 %mlir-runner %t.mlir --entry-point-result=void \
// RUN:   --shared-libs=%coda_lib_dir/libcoda_runtime.so 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARCH
// ARCH: coda runtime: mgpuModuleGetFunction: wrong architecture: needs sm_90a, found sm_80 (fake H200)

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">,
      assembly = ".version 8.3\0A.target sm_90a\0A.address_size 64\0A">]

  func.func @main() {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %t1 = gpu.launch_func async [%t0] @kernels::@scale
        blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.wait [%t1]
    return
  }
}
