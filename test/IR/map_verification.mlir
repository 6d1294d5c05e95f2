// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @map_c2(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C2) map of ins #0 has 1 results, expected 2, the rank of 'tensor<4x16xf32>'}}
  %r = coda.map rows(m) columns(n) ins(%x at (m) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c3(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C3) outs #0 has a 0 over dimension 1, expected size 1, found 16}}
  %r = coda.map rows(m) outs(%y at (m, 0) : tensor<4x16xf32>) {
    %v = arith.constant 0.0 : f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c4(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %z: tensor<5xf32>) {
  // expected-error @below {{(C4) sizes of dim 'm' differ: ins #0 has 4, ins #1 has 5}}
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>, %z at (m) : tensor<5xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c4_unnamed(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C4) dim 'b' is named by no operand}}
  %r = coda.map batches(b) rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c5(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C5) member 'n' must have a static size of 1 to 8, found 16}}
  %r = coda.map rows(m) members(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c8(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C8) ins #0 must not name contract 'k'}}
  %r = coda.map rows(m) contracts(k) ins(%x at (m, k) : tensor<4x16xf32>) outs(%y at (m, k) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c9(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  // expected-error @below {{(C9) argument #0 of the region is 'f64', expected 'f32' for ins #0}}
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f64):
    %t = arith.truncf %v : f64 to f32
    coda.yield %t : f32
  }
  return
}

// -----

func.func @map_c10(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    // expected-error @below {{(C10) has 0 values, expected 1}}
    coda.yield
  }
  return
}

// -----

func.func @map_c11(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{(C11) outs #0 is stored without column 'n'}}
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%s at (m) : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c12(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{(C12) outs #0 is an update by sqdev, expected a store or add}}
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(update %s at (m) by sqdev : tensor<4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c13(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32):
    // expected-error @below {{'func.call' op (C13) in the region of coda.map must be free of memory effects}}
    %w = func.call @callee(%v) : (f32) -> f32
    coda.yield %w : f32
  }
  return
}

func.func private @callee(f32) -> f32

// -----

func.func @map_c15(%x: tensor<4x16xf32>, %y: memref<4x16xf32>) {
  // expected-error @below {{(C15) shaped operands must all be tensors or all memrefs: outs #0 is 'memref<4x16xf32>'}}
  coda.map rows(m) columns(n) ins(%x at (m, n) : tensor<4x16xf32>) outs(%y at (m, n) : memref<4x16xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}

// -----

func.func @map_c16(%x: memref<4x4xf32>) {
  // expected-error @below {{(C16) outs #0 is the same buffer as ins #0, but their maps differ}}
  coda.map rows(m) columns(n) ins(%x at (n, m) : memref<4x4xf32>) outs(%x at (m, n) : memref<4x4xf32>) {
  ^bb0(%v: f32):
    coda.yield %v : f32
  }
  return
}
