// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// A value stored at two types, and a transposed store that accumulates.

// CHECK-LABEL: func @transposed_store
// CHECK: coda.gemm rows(m) columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (k, m) : tensor<?x?xf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (k, n) : tensor<?x?xf16>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x?xf16>, %{{[^ ]+}} at (m, n) : tensor<?x?xf32>,
// CHECK-SAME: update %{{[^ ]+}} at (n, m) : tensor<?x?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : f16, f32, f32
func.func @transposed_store(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %lo0: tensor<?x?xf16>, %hi0: tensor<?x?xf32>,
                            %c: tensor<?x?xf32>) -> (tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %lo, %hi, %ct = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%a at (k, m) : tensor<?x?xf16>)
      rhs(%b at (k, n) : tensor<?x?xf16>)
      outs(%lo0 at (m, n) : tensor<?x?xf16>, %hi0 at (m, n) : tensor<?x?xf32>, update %c at (n, m) : tensor<?x?xf32>) {
  ^bb0(%acc: f32, %old: f32):
    %l = arith.truncf %acc : f32 to f16
    %h = arith.extf %l : f16 to f32
    %s = arith.addf %old, %acc : f32
    coda.yield %l, %h, %s : f16, f32, f32
  }
  return %lo, %hi, %ct : tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf32>
}
