// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @name_twice(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{dim 'm' declared twice}}
  %r = coda.gemm rows(m) columns(n, m) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @clauses_out_of_order(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expected lhs after batches, rows, columns, members, contracts, in this order}}
  %r = coda.gemm columns(n) rows(m) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @clause_twice(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expected lhs after}}
  %r = coda.gemm rows(m) rows(o) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_lhs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected lhs after}}
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @two_lhs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected one lhs, found 2}}
      lhs(%x at (m, k) : tensor<4x8xbf16>, %x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @ins_after_outs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{expected '{' to begin a region}}
      outs(%y at (m, n) : tensor<4x16xf32>) ins(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @unknown_dim(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{unknown dim 'l'}}
      lhs(%x at (m, l) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @constant_in_map(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected a dim or 0, found 1}}
      lhs(%x at (m, 1) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @negative_in_map(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected a dim or 0, found -1}}
      lhs(%x at (m, -1) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @huge_in_map(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{integer value too large}}
      lhs(%x at (m, 99999999999999999999999) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @expression_in_map(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected ')' in indexing map}}
      lhs(%x at (m, k + 1) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_map(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected 'at'}}
      lhs(%x : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected ':'}}
      lhs(%x at (m, k))
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @update_of_lhs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{expected SSA operand}}
      lhs(update %x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @by_of_rhs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
  // expected-error @below {{expected ':'}}
      rhs(%w at (n, k) by add : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @unknown_combiner(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{expected add, max, lse or sqdev after 'by', found 'mul'}}
      outs(%y at (m, n) by mul : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @store_as_combiner(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{expected add, max, lse or sqdev after 'by', found 'store'}}
      outs(%y at (m, n) by store : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_combiner(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{expected valid keyword}}
      outs(%y at (m, n) by : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @wrong_type(
    // expected-note @below {{prior use here}}
    %x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
  // expected-error @below {{use of value '%x' expects different type than prior uses: 'tensor<4x9xbf16>' vs 'tensor<4x8xbf16>'}}
      lhs(%x at (m, k) : tensor<4x9xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @attribute_of_a_clause(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{attribute 'dim_names' is given by the clauses}}
      outs(%y at (m, n) : tensor<4x16xf32>) attributes {dim_names = ["a"]} {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @segments(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{attribute 'operandSegmentSizes' is given by the clauses}}
      outs(%y at (m, n) : tensor<4x16xf32>) attributes {operandSegmentSizes = array<i32: 1, 2, 0, 0>} {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @attribute_of_another_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{attribute 'numerics' failed to satisfy constraint}}
      outs(%y at (m, n) : tensor<4x16xf32>) attributes {numerics = 3} {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_region(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
  // expected-error @below {{expected '{' to begin a region}}
      outs(%y at (m, n) : tensor<4x16xf32>)
  return
}

// -----

func.func @empty_region(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{expects a non-empty block}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  }
  return
}

// -----

func.func @number_of_results(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{operation defines 1 results but was provided 2 to bind}}
  %r:2 = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}
