// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @gemm_c9_few(%x: tensor<4x8xbf16>, %w: tensor<16x2x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C9) region has 1 arguments, expected 2}}
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x2x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c9_accumulator(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xbf16>) {
  // expected-error @below {{(C9) argument #0 of the region is 'bf16', expected 'f32' for rhs #0}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xbf16>) {
  ^bb0(%acc: bf16):
    coda.yield %acc : bf16
  }
  return
}

// -----

func.func @gemm_c9_ins(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<16xbf16>) {
  // expected-error @below {{(C9) argument #1 of the region is 'f32', expected 'bf16' for ins #0}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (n) : tensor<16xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c9_update(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C9) region has 1 arguments, expected 2}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(update %y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c9_update_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf16>) {
  // expected-error @below {{(C9) argument #1 of the region is 'f32', expected 'f16' for outs #0}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(update %y at (m, n) : tensor<4x16xf16>) {
  ^bb0(%acc: f32, %old: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c9_reduced_update(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C9) region has 2 arguments, expected 1}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(update %y at (m, n) by add : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %old: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c10_count(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    // expected-error @below {{(C10) has 2 values, expected 1}}
    coda.yield %acc, %acc : f32, f32
  }
  return
}

// -----

func.func @gemm_c10_members(%x: tensor<4x8xbf16>, %w: tensor<16x2x8xbf16>, %y: tensor<4x16x2xf32>) {
  %r = coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, p, k) : tensor<16x2x8xbf16>)
      outs(%y at (m, n, p) : tensor<4x16x2xf32>) {
  ^bb0(%a0: f32, %a1: f32):
    // expected-error @below {{(C10) has 1 values, expected 2}}
    coda.yield %a0 : f32
  }
  return
}

// -----

func.func @gemm_c10_store(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xbf16>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xbf16>) {
  ^bb0(%acc: f32):
    // expected-error @below {{(C10) value #0 is 'f32', expected 'bf16' for outs #0}}
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c10_reduction(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xbf16>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m) by add : tensor<4xbf16>) {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to bf16
    // expected-error @below {{(C10) value #0 is 'bf16', expected 'f32' for outs #0}}
    coda.yield %t : bf16
  }
  return
}

// -----

func.func @gemm_c13_effects(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    // expected-error @below {{'memref.alloca' op (C13) in the region of coda.gemm must be free of memory effects}}
    %m = memref.alloca() : memref<1xf32>
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c13_speculatable(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    %i = arith.fptosi %acc : f32 to i32
    // expected-error @below {{'arith.divsi' op (C13) in the region of coda.gemm must be speculatable}}
    %d = arith.divsi %i, %i : i32
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c13_region(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    %c = arith.constant true
    // expected-error @below {{'scf.if' op (C13) in the region of coda.gemm must have no region}}
    %v = scf.if %c -> f32 {
      scf.yield %acc : f32
    } else {
      scf.yield %acc : f32
    }
    coda.yield %v : f32
  }
  return
}

// -----

func.func @gemm_c13_scalars(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>) {
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    // expected-error @below {{'vector.broadcast' op (C13) in the region of coda.gemm must work on scalars}}
    %v = vector.broadcast %acc : f32 to vector<4xf32>
    coda.yield %acc : f32
  }
  return
}
