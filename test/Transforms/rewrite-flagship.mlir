// REQUIRES: corpus
// RUN: coda-opt %corpus/gc/llama2_oproj_rms_swiglu_bf16.mlir --coda-rewrite | FileCheck %s
// RUN: coda-opt %corpus/gc/llama2_oproj_rms_swiglu_bf16.mlir --coda-rewrite | coda-opt --coda-rewrite | FileCheck %s
// RUN: coda-opt %corpus/gc/llama2_oproj_rms_swiglu_bf16.mlir --coda-rewrite=numerics=bitwise | FileCheck %s --check-prefix=BITWISE

// 24 memory-bound passes become one.

// The output projection adds the residual, and leaves the next norm's statistic
// and its input, multiplied by the weight.
// CHECK: %[[X:.*]]:3 = coda.gemm
// CHECK-SAME: outs(%{{.*}} at (m, n) : tensor<32x4096xbf16>, %{{.*}} at (m) by add : tensor<32xf32>, %{{.*}} at (m, n) : tensor<32x4096xbf16>)

// Gate and up are one product; it applies the norm's scale and SwiGLU, with
// every rounding of the source.
// CHECK: %[[Y:.*]] = coda.gemm
// CHECK-SAME: lhs(%[[X]]#2 at (m, k) : tensor<32x4096xbf16>)
// CHECK-SAME: rhs(%{{.*}} at (n, k) : tensor<11008x4096xbf16>, %{{.*}} at (n, k) : tensor<11008x4096xbf16>)
// CHECK-SAME: ins(%[[X]]#1 at (m) : tensor<32xf32>
// CHECK: math.exp %{{.*}} : bf16
// CHECK: arith.divf %{{.*}} : bf16

// CHECK: %[[Z:.*]]:2 = coda.gemm
// CHECK-SAME: lhs(%[[Y]] at (m, k) : tensor<32x11008xbf16>)
// CHECK-SAME: ins(%[[X]]#0 at (m, n) : tensor<32x4096xbf16>)

// The one pass that is left: the last norm is a result, and needs its row.
// CHECK: coda.map {{.*}}%[[Z]]#1 at (m) : tensor<32xf32>
// CHECK-NOT: coda.{{gemm|map}}
// CHECK-NOT: linalg.
// CHECK: return

// Moving a scale past a product moves a rounding.
// BITWISE: coda.gemm {{.*}}by add
// BITWISE: %[[N:.*]] = coda.map
// BITWISE: coda.gemm {{.*}}lhs(%[[N]] at
