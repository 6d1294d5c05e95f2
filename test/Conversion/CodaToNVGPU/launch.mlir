// RUN: coda-opt %s --convert-coda-to-nvgpu | FileCheck %s

// Each parameter of the plan is one call; sizes come from the memrefs.

// CHECK-LABEL: func.func @scale(
// CHECK-SAME:    %[[X:.*]]: memref<?x256xbf16>, %[[Y:.*]]: memref<?x256xbf16>)
// CHECK:         llvm.call @coda_rt_args_begin(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK:         scf.if
// CHECK:           llvm.call @coda_rt_args_i32
// CHECK:           memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:           llvm.call @coda_rt_args_pointer
// CHECK:           memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:           llvm.call @coda_rt_args_pointer
// CHECK:           llvm.call @coda_rt_args_launch
// CHECK-NOT:     coda.map
// CHECK:       gpu.module @coda_kernels
// CHECK:         llvm.func @scale_map
func.func @scale(%x: memref<?x256xbf16>, %y: memref<?x256xbf16>) {
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xbf16>)
      outs(%y at (m, n) : memref<?x256xbf16>) {
  ^bb0(%a: bf16):
    %s = arith.addf %a, %a : bf16
    coda.yield %s : bf16
  }
  return
}
