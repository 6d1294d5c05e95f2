// RUN: coda-compile %s -o %t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: coda-compile %s --emit=nvvm -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=NVVM --input-file=%t.mlir

// For every kernel, its schedule and what it needs.

// CHECK: @linear
// CHECK-NEXT: memory-bound passes 1 -> 0
// CHECK: kernels
// CHECK-NEXT: linear_gemm
// CHECK-NEXT: schedule tile {{[0-9]+x[0-9]+}}x64, {{[0-9]+}} stages, cluster of 1, {{cooperative|pingpong}}
// CHECK-NEXT: registers 24 of a producer thread, 240 of a consumer
// CHECK-NEXT: shared memory {{[0-9]+}} bytes
// CHECK-NEXT: threads 384

// PTX: .target sm_90a
// PTX: .visible .entry linear_gemm(
// PTX: wgmma.mma_async
// NVVM: gpu.module
// NVVM: nvvm.wgmma

func.func @linear(%x: tensor<256x128xbf16>, %w: tensor<512x128xbf16>, %r: tensor<256x512xbf16>) -> tensor<256x512xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<256x512xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<256x512xbf16>) -> tensor<256x512xbf16>
  %product = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<256x128xbf16>, tensor<512x128xbf16>) outs(%init : tensor<256x512xbf16>) -> tensor<256x512xbf16>
  %y = linalg.add ins(%product, %r : tensor<256x512xbf16>, tensor<256x512xbf16>) outs(%empty : tensor<256x512xbf16>) -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
