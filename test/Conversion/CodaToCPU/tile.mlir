// RUN: coda-opt %s --coda-cpu-tile --split-input-file | FileCheck %s

// Sums over columns that are cut become partials of the tiles and a map that
// adds them; a plain destination is never read.
// CHECK-LABEL: func @partial_sums
// CHECK-SAME: %[[X:.*]]: tensor<?x256xbf16>, %[[W:.*]]: tensor<704x256xbf16>, %{{.*}}: tensor<?x704xbf16>, %[[S0:.*]]: tensor<?xf32>
func.func @partial_sums(%x: tensor<?x256xbf16>, %w: tensor<704x256xbf16>, %y0: tensor<?x704xbf16>, %s0: tensor<?xf32>) -> (tensor<?x704xbf16>, tensor<?xf32>) {
  // CHECK: %[[M:.*]] = tensor.dim %[[X]]
  // CHECK: %[[Y:.*]] = tensor.empty(%{{.*}}) : tensor<?x704xbf16>
  // CHECK: %[[P:.*]] = tensor.empty(%{{.*}}) : tensor<11x?xf32>
  // CHECK: %[[LOOP:.*]]:2 = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, 704) step (64, 64)
  // CHECK-SAME: shared_outs(%[[YO:.*]] = %[[Y]], %[[PO:.*]] = %[[P]])
  // CHECK: %[[ROWS:.*]] = affine.min
  // CHECK: tensor.extract_slice %[[X]][%[[I]], 0] [%[[ROWS]], 256] [1, 1]
  // CHECK: tensor.extract_slice %[[W]][%[[J]], 0] [64, 256] [1, 1]
  // CHECK: %[[TILE:.*]] = affine.apply
  // CHECK: tensor.extract_slice %[[PO]][%[[TILE]], %[[I]]] [1, %[[ROWS]]] [1, 1] : tensor<11x?xf32> to tensor<?xf32>
  // CHECK: coda.gemm rows(m) columns(f) contracts(k)
  // CHECK-SAME: outs(%{{.*}} at (m, f) : tensor<?x64xbf16>, %{{.*}} at (m) by add : tensor<?xf32>)
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %[[YO]][%[[I]], %[[J]]]
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %[[PO]][%[[TILE]], %[[I]]]
  // CHECK: %[[S:.*]] = coda.map rows(m) columns(f) ins(%[[LOOP]]#1 at (f, m) : tensor<11x?xf32>)
  // CHECK-SAME: outs(update %[[S0]] at (m) by add : tensor<?xf32>)
  // CHECK: return %[[LOOP]]#0, %[[S]]
  %y, %s = coda.gemm rows(m) columns(f) contracts(k)
    lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%w at (f, k) : tensor<704x256xbf16>)
    outs(%y0 at (m, f) : tensor<?x704xbf16>, update %s0 at (m) by add : tensor<?xf32>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r, %acc : bf16, f32
  }
  return %y, %s : tensor<?x704xbf16>, tensor<?xf32>
}

// -----

// The index of a point is that of its tile plus where the tile begins.
// CHECK-LABEL: func @index
func.func @index(%y0: tensor<100x4096xi64>) -> tensor<100x4096xi64> {
  // CHECK: scf.forall (%{{.*}}, %[[J:.*]]) =
  // CHECK: coda.map rows(m) columns(n) ins(%[[J]] at () : index)
  // CHECK: ^bb0(%[[BEGIN:.*]]: index):
  // CHECK:   %[[N:.*]] = coda.index n
  // CHECK:   %[[SUM:.*]] = arith.addi %[[N]], %[[BEGIN]]
  // CHECK:   arith.index_cast %[[SUM]]
  %y = coda.map rows(m) columns(n) outs(%y0 at (m, n) : tensor<100x4096xi64>) {
    %n = coda.index n : index
    %i = arith.index_cast %n : index to i64
    coda.yield %i : i64
  }
  return %y : tensor<100x4096xi64>
}

// -----

// A group stays whole, and with it the columns.
// CHECK-LABEL: func @group
func.func @group(%x: tensor<?x4096xf32>, %y0: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  // CHECK: scf.forall (%{{.*}}) = (0) to (%{{.*}}) step (64)
  // CHECK: coda.map {{.*}} : tensor<?x4096xf32>) outs
  %y = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<?x4096xf32>) outs(%y0 at (m, n) : tensor<?x4096xf32>) {
  ^bb0(%v: f32):
    %s = coda.group_reduce add %v over (n) : f32
    coda.yield %s : f32
  }
  return %y : tensor<?x4096xf32>
}

// -----

// Too little work.
// CHECK-LABEL: func @small
// CHECK-NOT: scf.forall
func.func @small(%x: tensor<4x8xf32>, %y0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x8xf32>) outs(%y0 at (m, n) : tensor<4x8xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return %y : tensor<4x8xf32>
}
