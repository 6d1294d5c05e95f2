// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @gemm_c8_ins(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{(C8) ins #0 must not name contract 'k'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      ins(%b at (k) : tensor<8xf32>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32, %b0: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c8_outs(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4x16x8xf32>) {
  // expected-error @below {{(C8) outs #0 must not name contract 'k'}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m, n, k) : tensor<4x16x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c11_column(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xf32>) {
  // expected-error @below {{(C11) outs #0 is stored without column 'n': name it, or say by which combiner it is reduced}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m) : tensor<4xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c11_batch(%x: tensor<2x4x8xbf16>, %w: tensor<2x16x8xbf16>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C11) outs #0 is stored without batch 'b'}}
  %r = coda.gemm batches(b) rows(m) columns(n) contracts(k)
      lhs(%x at (b, m, k) : tensor<2x4x8xbf16>) rhs(%w at (b, n, k) : tensor<2x16x8xbf16>)
      outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c12_type(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xf64>) {
  // expected-error @below {{(C12) outs #0 is reduced into elements of type 'f64', expected f32, bf16 or f16}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m) by add : tensor<4xf64>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c12_integer(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xi32>) {
  // expected-error @below {{(C12) outs #0 is reduced into elements of type 'i32', expected f32, bf16 or f16}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(%y at (m) by max : tensor<4xi32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c12_max(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xf32>) {
  // expected-error @below {{(C12) outs #0 is an update by max, expected a store or add}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(update %y at (m) by max : tensor<4xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c12_lse(%x: tensor<4x8xbf16>, %w: tensor<16x8xbf16>, %y: tensor<4xf32>) {
  // expected-error @below {{(C12) outs #0 is an update by lse, expected a store or add}}
  %r = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<4x8xbf16>) rhs(%w at (n, k) : tensor<16x8xbf16>)
      outs(update %y at (m) by lse : tensor<4xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c16_lhs(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @below {{(C16) outs #0 is the same buffer as lhs}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<8x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
      outs(%x at (m, n) : memref<8x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c16_rhs(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @below {{(C16) outs #0 is the same buffer as rhs #0}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<8x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
      outs(%w at (m, n) : memref<8x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @gemm_c16_outs(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @below {{(C16) outs #1 is the same buffer as outs #0}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<8x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
      outs(%y at (m, n) : memref<8x8xf32>, %y at (m, n) : memref<8x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc, %acc : f32, f32
  }
  return
}

// -----

func.func @gemm_c16_ins(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @below {{(C16) outs #0 is the same buffer as ins #0, but their maps differ}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<8x8xf32>) rhs(%w at (n, k) : memref<8x8xf32>)
      ins(%y at (n, m) : memref<8x8xf32>)
      outs(%y at (m, n) : memref<8x8xf32>) {
  ^bb0(%acc: f32, %v: f32):
    coda.yield %acc : f32
  }
  return
}
