// RUN: coda-opt %s --coda-to-nvgpu --split-input-file --verify-diagnostics

// Host code that would touch device memory is refused before anything runs.

func.func @load(%x: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{would touch device memory on the host}}
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  return %v : f32
}

// -----

func.func @constant(%i: index) -> tensor<4xf32> {
  // expected-error @below {{is a constant in host memory, expected buffers on the device only}}
  %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %t : tensor<4xf32>
}
