// RUN: coda-opt %s --coda-to-nvgpu --split-input-file --verify-diagnostics

// Host code that would touch device memory is refused before anything runs.

func.func @load(%x: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{would touch device memory on the host}}
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  return %v : f32
}

// -----

func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %init = tensor.empty() : tensor<4x8xf32>
  // expected-error @below {{would touch device memory on the host}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// expected-error @below {{handles a buffer in device memory whose elements have no fixed size: 'memref<4xcomplex<f32>>'}}
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}
