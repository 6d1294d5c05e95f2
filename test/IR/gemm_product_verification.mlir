// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @gemm_c6_missing(%x: tensor<8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C6) lhs must name row 'm'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (k) : tensor<8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c6_batch(%x: tensor<4x8xbf16>, %w: tensor<2x16x8xbf16>, %y: tensor<2x4x16xf32>) {
  // expected-error @below {{(C6) lhs must name batch 'b'}}
  %r = coda.gemm batches(b) rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (b, n, k) : tensor<2x16x8xbf16>)
      outs(%y at (b, m, n) : tensor<2x4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c6_column(%x: tensor<4x16x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C6) lhs must not name column 'n'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, n, k) : tensor<4x16x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c6_member(%x: tensor<4x2x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C6) lhs must not name member 'p'}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, p, k) : tensor<4x2x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c7_missing(%x: tensor<4x8xbf16>, %w: tensor<16xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C7) rhs #0 must name contract 'k'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n) : tensor<16xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c7_row(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %v: tensor<16x4x8xbf16>) {
  // expected-error @below {{(C7) rhs #1 must not name row 'm'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>, %v at (n, m, k) : tensor<16x4x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c7_none(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C7) expected at least one rhs, found none}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%old: f32):
    coda.yield %old : f32
  }
  return
}

// -----

func.func @gemm_c14_type(%x: tensor<4x8xf64>, %w: tensor<16x8xf64>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C14) lhs has elements of type 'f64', expected bf16, f16, f32, f8E4M3FN or f8E5M2}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xf64>) rhs(%w at (n, k) : tensor<16x8xf64>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c14_integer(%x: tensor<4x8xi8>, %w: tensor<16x8xi8>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C14) lhs has elements of type 'i8', expected bf16}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xi8>) rhs(%w at (n, k) : tensor<16x8xi8>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c14_differ(%x: tensor<4x8xbf16>, %w: tensor<16x8xf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C14) element types of a product differ: lhs has 'bf16', rhs #0 has 'f16'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c14_float8(%x: tensor<4x8xf8E4M3FN>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C14) element types of a product differ: lhs has 'f8E4M3FN', rhs #0 has 'bf16'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xf8E4M3FN>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}
