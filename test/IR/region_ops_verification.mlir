// RUN: coda-opt %s -split-input-file -verify-diagnostics

func.func @index_c1(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) coda.map has no dim 'z'}}
    %i = coda.index z : index
    coda.yield %v : f32
  }
  return
}

// -----

func.func @index_c1_member(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) dim 'p' is a member, expected a batch, row or column}}
    %i = coda.index p : index
    coda.yield %v : f32
  }
  return
}

// -----

func.func @index_type(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{result #0 must be index, but got 'i32'}}
    %i = "coda.index"() {dim = "m"} : () -> i32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @index_without_dim(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{requires attribute 'dim'}}
    %i = "coda.index"() : () -> index
    coda.yield %v : f32
  }
  return
}

// -----

func.func @index_outside() {
  // expected-error @below {{must stand in coda.gemm or coda.map}}
  %i = coda.index m : index
  return
}

// -----

func.func @index_nested(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    %c = arith.constant true
    %i = scf.if %c -> index {
      // expected-error @below {{must stand in coda.gemm or coda.map}}
      %j = coda.index m : index
      scf.yield %j : index
    } else {
      %j = arith.constant 0 : index
      scf.yield %j : index
    }
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_c1(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) coda.map has no dim 'z'}}
    %g = coda.group_reduce add %v over (n, z) : f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_c1_row(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) dim 'm' is a row, expected a column}}
    %g = coda.group_reduce add %v over (m) : f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_c1_member(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) dim 'p' is a member, expected a column}}
    %g = coda.group_reduce add %v over (p) : f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_c1_twice(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{(C1) dim 'n' named twice}}
    %g = coda.group_reduce max %v over (n, n) : f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_type(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    %h = arith.truncf %v : f32 to f16
    // expected-error @below {{operand #0 must be 32-bit float, but got 'f16'}}
    %g = coda.group_reduce add %h over (n) : f16
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_kind(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{attribute 'kind' failed to satisfy constraint}}
    %g = "coda.group_reduce"(%v) {dims = ["n"], kind = 7 : i32} : (f32) -> f32
    coda.yield %v : f32
  }
  return
}

// -----

func.func @group_reduce_outside(%v: f32) {
  // expected-error @below {{must stand in coda.gemm or coda.map}}
  %g = coda.group_reduce add %v over (n) : f32
  return
}

// -----

func.func @yield_outside() {
  // expected-error @below {{expects parent op to be one of 'coda.gemm, coda.map'}}
  coda.yield
}

// -----

func.func @yield_in_the_middle(%x: tensor<4x16x2xf32>, %y: tensor<4x16xf32>) {
  %r = coda.map rows(m) columns(n) members(p) ins(%x at (m, n, p) : tensor<4x16x2xf32>) outs(%y at (m, n) : tensor<4x16xf32>) {
  ^bb0(%v: f32, %w: f32):
    // expected-error @below {{must be the last operation in the parent block}}
    coda.yield %v : f32
    coda.yield %v : f32
  }
  return
}
