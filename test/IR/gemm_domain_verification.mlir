// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @gemm_c2_rank(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of lhs has 1 results, expected 2, the rank of 'tensor<4x8xbf16>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c2_twice(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<16x16xf32>) {
  // expected-error @below {{(C2) map of ins #0 names dim 'n' twice}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n, n) : tensor<16x16xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c2_scalar(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: f32) {
  // expected-error @below {{(C2) map of ins #0 has 1 results, expected 0, the rank of 'f32'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n) : f32)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c3(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{(C3) ins #0 has a 0 over dimension 0, expected size 1, found 2}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (0) : tensor<2xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c3_dynamic(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{(C3) ins #0 has a 0 over dimension 0, expected size 1, found ?}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (0) : tensor<?xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c4_contracts(%x: tensor<4x8xbf16>, %w: tensor<16x9xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C4) sizes of dim 'k' differ: lhs has 8, rhs #0 has 9}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x9xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c4_out(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x17xf32>) {
  // expected-error @below {{(C4) sizes of dim 'n' differ: rhs #0 has 16, outs #0 has 17}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x17xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c4_unnamed(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C4) dim 'z' is named by no operand}}
  %r = coda.gemm rows(m, z) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_large(%x: tensor<4x8xbf16>, %w: tensor<16x9x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) member 'p' must have a static size of 1 to 8, found 9}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x9x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_zero(%x: tensor<4x8xbf16>, %w: tensor<16x0x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) member 'p' must have a static size of 1 to 8, found 0}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x0x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_dynamic(%x: tensor<4x8xbf16>, %w: tensor<16x?x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) member 'p' must have a static size of 1 to 8, found ?}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x?x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_accumulators(%x: tensor<4x8xbf16>, %w: tensor<16x3x3x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) right-hand sides have 9 accumulators, expected at most 8}}
  %r = coda.gemm rows(m) columns(n) members(p, q) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, q, k) : tensor<16x3x3x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_accumulators_of_all(%x: tensor<4x8xbf16>, %w: tensor<16x5x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) right-hand sides have 10 accumulators, expected at most 8}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x5x8xbf16>, %w at (n, p, k) : tensor<16x5x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c5_tuples(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<8x8x8x8xf32>) {
  // expected-error @below {{(C5) members have at least 512 tuples of indices, expected at most 64}}
  %r = coda.gemm rows(m) columns(n) members(p, q, s, t) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (p, q, s, t) : tensor<8x8x8x8xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_mixed(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: memref<16xf32>) {
  // expected-error @below {{(C15) shaped operands must all be tensors or all memrefs: ins #0 is 'memref<16xf32>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n) : memref<16xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_unranked(%x: tensor<*xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C15) lhs must be a ranked tensor or a memref, found 'tensor<*xbf16>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<*xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_vector(%x: tensor<4x8xbf16>, %w: vector<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C15) rhs #0 must be a ranked tensor or a memref, found 'vector<16x8xbf16>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : vector<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_ins(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: vector<16xf32>) {
  // expected-error @below {{(C15) ins #0 must be a ranked tensor, a memref or a scalar, found 'vector<16xf32>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n) : vector<16xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_elements(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<16xcomplex<f32>>) {
  // expected-error @below {{(C15) ins #0 must have scalar elements, found 'tensor<16xcomplex<f32>>'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n) : tensor<16xcomplex<f32>>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: complex<f32>):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c15_scalar_lhs(%x: bf16, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{operand #0 must be shaped of any type values, but got 'bf16'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at () : bf16) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}
