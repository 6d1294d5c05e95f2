// RUN: coda-opt %s --math-extend-to-supported-types --arith-emulate-unsupported-floats="source-types=bf16" --coda-cpu-keep-roundings --canonicalize | FileCheck %s

// The sum is rounded before the product reads it.
// CHECK-LABEL: func @two_ops
func.func @two_ops(%a: bf16, %b: bf16) -> bf16 {
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  // CHECK: arith.extf {{.*}} : bf16 to f32
  // CHECK: arith.mulf {{.*}} : f32
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  %s = arith.addf %a, %b : bf16
  %p = arith.mulf %s, %b : bf16
  return %p : bf16
}
