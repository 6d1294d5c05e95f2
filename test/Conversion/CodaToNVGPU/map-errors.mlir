// RUN: coda-opt %s --convert-coda-to-nvgpu=kernels-only=true --split-input-file --verify-diagnostics

func.func @reduced_rows(%x: memref<?x256xf32>, %y: memref<256xf32>) {
  // expected-error @below {{has no GPU kernel: outs #0 is reduced over something else than whole rows}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xf32>)
      outs(%y at (n) by add : memref<256xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return
}

// -----

func.func @deviation(%x: memref<?x256xf32>, %y: memref<?xf32>) {
  // expected-error @below {{has no GPU kernel: outs #0 is reduced by sqdev, but only add and max are lowered}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xf32>)
      outs(%y at (m) by sqdev : memref<?xf32>) {
  ^bb0(%a: f32):
    coda.yield %a : f32
  }
  return
}

// -----

func.func @no_function(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  // expected-error @below {{has no GPU kernel}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xf32>)
      outs(%y at (m, n) : memref<?x256xf32>) {
  ^bb0(%a: f32):
    %s = math.atan %a : f32
    coda.yield %s : f32
  }
  return
}

// -----

func.func @rounding(%x: memref<?x256xf32>, %y: memref<?x256xbf16>) {
  // expected-error @below {{has no GPU kernel: 'arith.truncf' rounds otherwise than to nearest even}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xf32>)
      outs(%y at (m, n) : memref<?x256xbf16>) {
  ^bb0(%a: f32):
    %s = arith.truncf %a toward_zero : f32 to bf16
    coda.yield %s : bf16
  }
  return
}

// -----

func.func @wide_integer(%x: memref<?x256xi64>, %y: memref<?x256xf32>) {
  // expected-error @below {{has no GPU kernel: 'arith.extsi' has type i128, but only f16, bf16, f32, f64 and integers of up to 64 bits are lowered}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xi64>)
      outs(%y at (m, n) : memref<?x256xf32>) {
  ^bb0(%a: i64):
    %w = arith.extsi %a : i64 to i128
    %s = arith.sitofp %w : i128 to f32
    coda.yield %s : f32
  }
  return
}

// -----

func.func @element(%x: memref<?x256xi24>, %y: memref<?x256xi24>) {
  // expected-error @below {{has no GPU kernel: ins #0 has elements of type 'i24', expected f16, bf16, f32, f64, index or an integer of 8 to 64 bits}}
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x256xi24>)
      outs(%y at (m, n) : memref<?x256xi24>) {
  ^bb0(%a: i24):
    coda.yield %a : i24
  }
  return
}
