// RUN: coda-run %s --entry=square_sum --device=emulator --size=0=37 --size=1=33 --schedules=5 --check
// RUN: coda-run %s --entry=square_sum --device=emulator --size=0=1 --size=1=1000 --schedules=5 --check
// RUN: coda-run %s --entry=max_and_store --device=emulator --size=0=37 --schedules=5 --check
// RUN: coda-run %s --entry=rotate --device=emulator --size=0=37 --schedules=5 --check
// RUN: coda-run %s --entry=row_max --device=emulator --size=0=1000 --schedules=5 --check
// RUN: coda-run %s --entry=zero_map --device=emulator --schedules=5 --check

// Map kernels on the emulated GPU: rows reduced by add and max, results that are
// updated and transposed, members.

func.func @square_sum(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %init = tensor.empty(%m) : tensor<?xf32>
  %y = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x?xbf16>)
      outs(%init at (m) by add : tensor<?xf32>) {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    %p = arith.mulf %w, %w : f32
    coda.yield %p : f32
  }
  return %y : tensor<?xf32>
}
func.func @max_and_store(%x: memref<?x96xf32>, %old: memref<?xf32>, %z: memref<96x?xbf16>) {
  coda.map rows(m) columns(n)
      ins(%x at (m, n) : memref<?x96xf32>)
      outs(update %old at (m) by add : memref<?xf32>, %z at (n, m) : memref<96x?xbf16>) {
  ^bb0(%a: f32):
    %n = coda.index n : index
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %a, %f : f32
    %t = arith.truncf %s : f32 to bf16
    coda.yield %a, %t : f32, bf16
  }
  return
}
func.func @rotate(%x: tensor<?x64x2xbf16>, %c: tensor<?x64xf32>, %s: tensor<?x64xf32>) -> tensor<?x64x2xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64x2xbf16>
  %init = tensor.empty(%m) : tensor<?x64x2xbf16>
  %y = coda.map rows(m) columns(n) members(p)
      ins(%x at (m, n, p) : tensor<?x64x2xbf16>, %c at (m, n) : tensor<?x64xf32>, %s at (m, n) : tensor<?x64xf32>)
      outs(%init at (m, n, p) : tensor<?x64x2xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %cos: f32, %sin: f32):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %0 = arith.mulf %a32, %cos : f32
    %1 = arith.mulf %b32, %sin : f32
    %2 = arith.subf %0, %1 : f32
    %3 = arith.mulf %a32, %sin : f32
    %4 = arith.mulf %b32, %cos : f32
    %5 = arith.addf %3, %4 : f32
    %6 = arith.truncf %2 : f32 to bf16
    %7 = arith.truncf %5 : f32 to bf16
    coda.yield %6, %7 : bf16, bf16
  }
  return %y : tensor<?x64x2xbf16>
}
func.func @row_max(%x: tensor<?x96xf32>) -> (tensor<?xbf16>, tensor<?x96xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %init = tensor.empty(%m) : tensor<?xbf16>
  %init2 = tensor.empty(%m) : tensor<?x96xf32>
  %y, %z = coda.map rows(m) columns(n)
      ins(%x at (m, n) : tensor<?x96xf32>)
      outs(%init at (m) by max : tensor<?xbf16>, %init2 at (m, n) : tensor<?x96xf32>) {
  ^bb0(%a: f32):
    %t = arith.mulf %a, %a : f32
    coda.yield %a, %t : f32, f32
  }
  return %y, %z : tensor<?xbf16>, tensor<?x96xf32>
}

// A dimension of size 1 is read at 0.
func.func @zero_map(%x: memref<4x8xf32>, %s: memref<4x1xf32>, %y: memref<4x8xf32>) {
  coda.map rows(m) columns(n) ins(%x at (m, n) : memref<4x8xf32>, %s at (m, 0) : memref<4x1xf32>) outs(%y at (m, n) : memref<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    coda.yield %r : f32
  }
  return
}
