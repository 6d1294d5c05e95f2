// RUN: coda-opt %s | coda-opt | FileCheck %s

// CHECK-LABEL: module attributes
module attributes {
  // CHECK-SAME: test.combiners = [#coda.combiner<store>, #coda.combiner<add>, #coda.combiner<max>, #coda.combiner<lse>, #coda.combiner<sqdev>]
  test.combiners = [#coda.combiner<store>, #coda.combiner<add>, #coda.combiner<max>, #coda.combiner<lse>, #coda.combiner<sqdev>],
  // CHECK-SAME: test.kinds = [#coda.dim_kind<batch>, #coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<member>, #coda.dim_kind<contract>]
  test.kinds = [#coda.dim_kind<batch>, #coda.dim_kind<row>, #coda.dim_kind<column>, #coda.dim_kind<member>, #coda.dim_kind<contract>],
  // CHECK-SAME: test.numerics = [#coda.numerics<bitwise>, #coda.numerics<algebraic>, #coda.numerics<relaxed>]
  test.numerics = [#coda.numerics<bitwise>, #coda.numerics<algebraic>, #coda.numerics<relaxed>],
  // CHECK-SAME: test.schedule = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 1, mode = cooperative>
  test.schedule = #coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 1, mode = cooperative>
} {
}
