// RUN: coda-opt %s --convert-coda-to-nvgpu=kernels-only=true --split-input-file --verify-diagnostics

// What has no kernel is refused with a reason before anything runs.

func.func @mixed_orders(%x: memref<?x256xbf16>, %w: memref<256x512xbf16>, %v: memref<512x256xbf16>, %y: memref<?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: rhs #0 and rhs #1 are not contiguous along dims of the same kind}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>)
      rhs(%w at (k, n) : memref<256x512xbf16>, %v at (n, k) : memref<512x256xbf16>)
      outs(%y at (m, n) : memref<?x512xbf16>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.truncf %p : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @f32_product(%x: memref<?x256xf32>, %w: memref<512x256xf32>, %y: memref<?x512xf32>) {
  // expected-error @below {{has no Hopper kernel: lhs has elements that are not bf16 or f16}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xf32>) rhs(%w at (n, k) : memref<512x256xf32>)
      outs(%y at (m, n) : memref<?x512xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @stride(%x: memref<?x250xbf16>, %w: memref<512x250xbf16>, %y: memref<?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: lhs has a stride of 500 bytes, but a tensor map needs a multiple of 16}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x250xbf16>) rhs(%w at (n, k) : memref<512x250xbf16>)
      outs(%y at (m, n) : memref<?x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @rows_apart(%x: memref<4x8x?x256xbf16>, %w: memref<512x8x256xbf16>, %y: memref<4x?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: lhs does not keep its contract dims together and in order}}
  coda.gemm rows(b, t) columns(n) contracts(h, k)
      lhs(%x at (b, h, t, k) : memref<4x8x?x256xbf16>) rhs(%w at (n, h, k) : memref<512x8x256xbf16>)
      outs(%y at (b, t, n) : memref<4x?x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @not_contiguous(%x: memref<4x64x256xbf16, strided<[32768, 256, 1]>>, %w: memref<512x256xbf16>,
                          %y: memref<4x64x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: lhs has row dims that its layout does not make contiguous}}
  coda.gemm rows(b, t) columns(n) contracts(k)
      lhs(%x at (b, t, k) : memref<4x64x256xbf16, strided<[32768, 256, 1]>>)
      rhs(%w at (n, k) : memref<512x256xbf16>) outs(%y at (b, t, n) : memref<4x64x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @batches(%x: memref<4x?x256xbf16>, %w: memref<4x512x256xbf16>, %y: memref<4x?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: batched products are not lowered}}
  coda.gemm batches(b) rows(m) columns(n) contracts(k)
      lhs(%x at (b, m, k) : memref<4x?x256xbf16>) rhs(%w at (b, n, k) : memref<4x512x256xbf16>)
      outs(%y at (b, m, n) : memref<4x?x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @empty_contract(%x: memref<?x0xbf16>, %w: memref<512x0xbf16>, %y: memref<?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: its contract size is 0, which no tensor map describes}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x0xbf16>) rhs(%w at (n, k) : memref<512x0xbf16>)
      outs(%y at (m, n) : memref<?x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @column_sum(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %s: memref<512xf32>) {
  // expected-error @below {{has no Hopper kernel: outs #0 is reduced over row dim 'm', but only columns are reduced}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      outs(%s at (n) by add : memref<512xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @head_sum(%x: memref<?x256xbf16>, %w: memref<8x64x256xbf16>, %s: memref<?x8xf32>) {
  // expected-error @below {{has no Hopper kernel: outs #0 keeps column dim 'h', but only whole rows are reduced}}
  coda.gemm rows(m) columns(h, j) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (h, j, k) : memref<8x64x256xbf16>)
      outs(%s at (m, h) by add : memref<?x8xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @lse(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %s: memref<?xf32>) {
  // expected-error @below {{has no Hopper kernel: outs #0 is reduced by lse, but only add and max are lowered}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      outs(%s at (m) by lse : memref<?xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}

// -----

func.func @no_approximation(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %y: memref<?x512xf32>) {
  // expected-error @below {{has no Hopper kernel: 'math.erf' has no PTX approximation here}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      outs(%y at (m, n) : memref<?x512xf32>) {
  ^bb0(%acc: f32):
    %r = math.erf %acc : f32
    coda.yield %r : f32
  }
  return
}

// -----

func.func @group(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %y: memref<?x512xf32>) {
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      outs(%y at (m, n) : memref<?x512xf32>) {
  ^bb0(%acc: f32):
    // expected-error @below {{'coda.group_reduce' op is not lowered to the GPU here; split it into a reduced result and a coda.map}}
    %r = coda.group_reduce add %acc over (n) : f32
    coda.yield %r : f32
  }
  return
}

// -----

func.func @too_many(%x: memref<?x256xbf16>, %w: memref<5x512x256xbf16>, %y: memref<?x5x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: the number of accumulators is 5, but at most 4 fit a tile of 256 columns}}
  coda.gemm rows(m) columns(n) members(p) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (p, n, k) : memref<5x512x256xbf16>)
      outs(%y at (m, p, n) : memref<?x5x512xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32):
    %0 = arith.truncf %a : f32 to bf16
    %1 = arith.truncf %b : f32 to bf16
    %2 = arith.truncf %c : f32 to bf16
    %3 = arith.truncf %d : f32 to bf16
    %4 = arith.truncf %e : f32 to bf16
    coda.yield %0, %1, %2, %3, %4 : bf16, bf16, bf16, bf16, bf16
  }
  return
}

// -----

func.func @illegal_schedule(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %y: memref<?x512xbf16>) {
  // expected-error @below {{has no Hopper kernel: its schedule is illegal: the number of accumulator registers of a thread is 256, but at most 160 are free}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      outs(%y at (m, n) : memref<?x512xbf16>)
      attributes {schedule = #coda.schedule<tile = [256, 256, 64], stages = 2, cluster = 1, mode = cooperative>} {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return
}

// -----

func.func @tensors(%x: tensor<?x256xbf16>, %w: tensor<512x256xbf16>, %y: tensor<?x512xbf16>) -> tensor<?x512xbf16> {
  // expected-error @below {{has no Hopper kernel: its operands are tensors; bufferize it first}}
  %0 = coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%w at (n, k) : tensor<512x256xbf16>)
      outs(%y at (m, n) : tensor<?x512xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return %0 : tensor<?x512xbf16>
}

// -----

func.func @bits(%x: memref<?x256xbf16>, %w: memref<512x256xbf16>, %mask: memref<?x512xi1>, %y: memref<?x512xf32>) {
  // expected-error @below {{has no Hopper kernel: ins #0 has elements that are not whole bytes of a float or an integer that PTX knows}}
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%x at (m, k) : memref<?x256xbf16>) rhs(%w at (n, k) : memref<512x256xbf16>)
      ins(%mask at (m, n) : memref<?x512xi1>) outs(%y at (m, n) : memref<?x512xf32>) {
  ^bb0(%acc: f32, %b: i1):
    %z = arith.constant 0.0 : f32
    %r = arith.select %b, %acc, %z : f32
    coda.yield %r : f32
  }
  return
}

// -----

func.func @matrix_times_vector(%x: memref<128x64xbf16>, %v: memref<64xbf16>, %y: memref<128xf32>) {
  // expected-error @below {{has no Hopper kernel: it has no column dims, but its tiles are rows x columns}}
  coda.gemm rows(m) contracts(k)
      lhs(%x at (m, k) : memref<128x64xbf16>) rhs(%v at (k) : memref<64xbf16>)
      outs(%y at (m) : memref<128xf32>) {
  ^bb0(%acc: f32):
    coda.yield %acc : f32
  }
  return
}
