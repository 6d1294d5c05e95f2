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
