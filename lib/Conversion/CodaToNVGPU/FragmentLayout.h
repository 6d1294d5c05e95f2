//===- FragmentLayout.h - Where accumulator elements live -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one map from (warp, lane, register) to (row, column) of an m64nN f32
// accumulator of `wgmma`. Loads, pairs, reductions and stores all ask it.
//
//   lane:      0      1      2      3
//   row 0   | 0 1  | 0 1  | 0 1  | 0 1  | 4 5  ...   registers, 8 columns a
//   group row 1   | lanes 4 to 7: the same registers
//    ...
//   row 8   | 2 3  | 2 3  | 2 3  | 2 3  | 6 7  ...
//   row 16  | the next warp
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_FRAGMENTLAYOUT_H
#define CODA_LIB_CONVERSION_CODATONVGPU_FRAGMENTLAYOUT_H

#include <cstdint>

namespace mlir::coda::fragment {

inline constexpr int64_t warpSize = 32;
inline constexpr int64_t warpgroupSize = 128;
/// Rows of one wgmma, and of one warp in it.
inline constexpr int64_t rows = 64;
inline constexpr int64_t warpRows = 16;
/// Rows of a thread lie 8 apart: half 0 and half 1.
inline constexpr int64_t halfDistance = 8;
/// A column group is 8 columns; each thread has 2 neighbours of it.
inline constexpr int64_t groupColumns = 8;
inline constexpr int64_t pairColumns = 2;
/// Lanes that share a row.
inline constexpr int64_t rowLanes = groupColumns / pairColumns;

struct Position {
  int64_t row;
  int64_t column;
};

/// Position of a register of thread `thread` of the warpgroup.
constexpr Position getPosition(int64_t thread, int64_t reg) {
  int64_t warp = thread / warpSize, lane = thread % warpSize;
  return {warpRows * warp + lane / rowLanes + halfDistance * ((reg / 2) % 2),
          groupColumns * (reg / 4) + pairColumns * (lane % rowLanes) + reg % 2};
}

/// The register that holds an element of the pair in a group and half.
constexpr int64_t getRegister(int64_t group, int64_t half, int64_t element) {
  return 4 * group + 2 * half + element;
}

/// Registers of a thread for N columns.
constexpr int64_t getNumRegisters(int64_t columns) { return columns / 2; }

//===----------------------------------------------------------------------===//
// Tiles in shared memory
//===----------------------------------------------------------------------===//

/// Epilogue tiles in shared memory are 64 columns of 16-bit elements wide: one
/// 128-byte row, whose 16-byte chunks are permuted by the copy engine.
inline constexpr int64_t subtileColumns = 64;
inline constexpr int64_t rowBytes = 128;
inline constexpr int64_t chunkBytes = 16;

/// Byte offset of a chunk of a row under the 128-byte swizzle.
constexpr int64_t getSwizzledOffset(int64_t row, int64_t chunk) {
  return row * rowBytes + (chunk ^ (row % 8)) * chunkBytes;
}

} // namespace mlir::coda::fragment

#endif // CODA_LIB_CONVERSION_CODATONVGPU_FRAGMENTLAYOUT_H
