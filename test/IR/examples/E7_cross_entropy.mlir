// RUN: coda-opt %s | coda-opt | FileCheck %s
// RUN: coda-opt --mlir-print-op-generic %s | coda-opt | FileCheck %s

// LM head with soft-cap and padded vocabulary, log-sum-exp and the picked logit; the
// loss of a batch; the gradient of the logits.

// Columns from 1008 on do not exist.
// CHECK-LABEL: func @lm_head
// CHECK: coda.gemm rows(m) columns(n) contracts(k)
// CHECK-SAME: lhs(%{{[^ ]+}} at (m, k) : tensor<?x256xbf16>)
// CHECK-SAME: rhs(%{{[^ ]+}} at (n, k) : tensor<1024x256xbf16>)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xi64>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x1024xbf16>, %{{[^ ]+}} at (m) by lse : tensor<?xf32>,
// CHECK-SAME: %{{[^ ]+}} at (m) by max : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: i64):
// CHECK: coda.yield {{.*}} : bf16, f32, f32
func.func @lm_head(%x: tensor<?x256xbf16>, %w: tensor<1024x256xbf16>, %labels: tensor<?xi64>, %l0: tensor<?x1024xbf16>,
                   %lse0: tensor<?xf32>, %p0: tensor<?xf32>) -> (tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>) {
  %logits, %lse, %pick = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x256xbf16>)
      rhs(%w at (n, k) : tensor<1024x256xbf16>)
      ins(%labels at (m) : tensor<?xi64>)
      outs(%l0 at (m, n) : tensor<?x1024xbf16>, %lse0 at (m) by lse : tensor<?xf32>, %p0 at (m) by max : tensor<?xf32>) {
  ^bb0(%acc: f32, %label: i64):
    %cap = arith.constant 30.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %vocab = arith.constant 1008 : index
    %a = arith.divf %acc, %cap : f32
    %t = math.tanh %a : f32
    %l = arith.mulf %t, %cap : f32
    %l16 = arith.truncf %l : f32 to bf16
    %lf = arith.extf %l16 : bf16 to f32
    %n = coda.index n : index
    %real = arith.cmpi ult, %n, %vocab : index
    %z = arith.select %real, %lf, %ninf : f32
    %ni = arith.index_cast %n : index to i64
    %hit = arith.cmpi eq, %ni, %label : i64
    %pk = arith.select %hit, %z, %ninf : f32
    coda.yield %l16, %z, %pk : bf16, f32, f32
  }
  return %logits, %lse, %pick : tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
}

// Rows with label -100 do not count.
// CHECK-LABEL: func @loss
// CHECK: coda.map rows(m)
// CHECK-SAME: ins(%{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (m) : tensor<?xi64>)
// CHECK-SAME: outs(%{{[^ ]+}} at () by add : tensor<f32>, %{{[^ ]+}} at () by add : tensor<f32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: f32, %{{[^ ]+}}: f32, %{{[^ ]+}}: i64):
// CHECK: coda.yield {{.*}} : f32, f32
func.func @loss(%lse: tensor<?xf32>, %pick: tensor<?xf32>, %labels: tensor<?xi64>, %loss0: tensor<f32>,
                %count0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %loss, %count = coda.map rows(m)
      ins(%lse at (m) : tensor<?xf32>, %pick at (m) : tensor<?xf32>, %labels at (m) : tensor<?xi64>)
      outs(%loss0 at () by add : tensor<f32>, %count0 at () by add : tensor<f32>) {
  ^bb0(%s: f32, %p: f32, %label: i64):
    %ign = arith.constant -100 : i64
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %skip = arith.cmpi eq, %label, %ign : i64
    %d = arith.subf %s, %p : f32
    %li = arith.select %skip, %zero, %d : f32
    %ci = arith.select %skip, %zero, %one : f32
    coda.yield %li, %ci : f32, f32
  }
  return %loss, %count : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @gradient
// CHECK: coda.map rows(m) columns(n)
// CHECK-SAME: ins(%{{[^ ]+}} at (m, n) : tensor<?x1008xbf16>, %{{[^ ]+}} at (m) : tensor<?xf32>, %{{[^ ]+}} at (m) : tensor<?xi64>,
// CHECK-SAME: %{{[^ ]+}} at () : tensor<f32>)
// CHECK-SAME: outs(%{{[^ ]+}} at (m, n) : tensor<?x1008xbf16>, %{{[^ ]+}} at (m) by add : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%{{[^ ]+}}: bf16, %{{[^ ]+}}: f32, %{{[^ ]+}}: i64, %{{[^ ]+}}: f32):
// CHECK: coda.yield {{.*}} : bf16, f32
func.func @gradient(%z: tensor<?x1008xbf16>, %lse: tensor<?xf32>, %labels: tensor<?xi64>, %scale: tensor<f32>,
                    %dl0: tensor<?x1008xbf16>, %zdz0: tensor<?xf32>) -> (tensor<?x1008xbf16>, tensor<?xf32>) {
  %dl, %zdz = coda.map rows(m) columns(n)
      ins(%z at (m, n) : tensor<?x1008xbf16>, %lse at (m) : tensor<?xf32>, %labels at (m) : tensor<?xi64>,
          %scale at () : tensor<f32>)
      outs(%dl0 at (m, n) : tensor<?x1008xbf16>, %zdz0 at (m) by add : tensor<?xf32>) {
  ^bb0(%l16: bf16, %s: f32, %label: i64, %sc: f32):
    %ign = arith.constant -100 : i64
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %l = arith.extf %l16 : bf16 to f32
    %d = arith.subf %l, %s : f32
    %p = math.exp %d : f32
    %n = coda.index n : index
    %ni = arith.index_cast %n : index to i64
    %hit = arith.cmpi eq, %ni, %label : i64
    %oh = arith.select %hit, %one, %zero : f32
    %g = arith.subf %p, %oh : f32
    %gs = arith.mulf %g, %sc : f32
    %skip = arith.cmpi eq, %label, %ign : i64
    %gr = arith.select %skip, %zero, %gs : f32
    %zz = arith.mulf %l, %gr : f32
    %g16 = arith.truncf %gr : f32 to bf16
    coda.yield %g16, %zz : bf16, f32
  }
  return %dl, %zdz : tensor<?x1008xbf16>, tensor<?xf32>
}
