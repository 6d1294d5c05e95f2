//===- SharedMemoryPlan.h - What lies where in shared memory -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets in bytes from the start of a block's shared memory:
//
//   stage 0: lhs tile | rhs tile, stage 1: ...
//   consumer 0: buffers of prefetched tiles | store buffers, consumer 1: ...
//   barriers: full, one for each stage | empty | loaded, one for each buffer of
//   prefetched tiles of each consumer
//
// Every tile starts at a multiple of 1024 bytes, which the 128-byte swizzle
// needs.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_SHAREDMEMORYPLAN_H
#define CODA_LIB_CONVERSION_CODATONVGPU_SHAREDMEMORYPLAN_H

#include "Schedule.h"

namespace mlir::coda {

struct SharedMemoryPlan {
  SharedMemoryPlan(const Schedule &schedule, const ScheduleDemand &demand);

  static constexpr int64_t alignment = 1024;
  static constexpr int64_t barrierBytes = 8;

  int64_t stages;
  int64_t lhsBytes;
  int64_t rhsBytes;
  int64_t stageBytes;

  /// One sub-tile of a consumer: its rows by 64 columns.
  int64_t bufferBytes;
  /// Sub-tiles of a tile of points.
  int64_t subtiles;
  int64_t loadBuffers;
  int64_t storeBuffers;
  int64_t consumerBytes;

  int64_t buffersOffset;
  int64_t fullOffset;
  int64_t emptyOffset;
  int64_t loadedOffset;
  int64_t totalBytes;

  int64_t getLoadBuffer(int64_t load, int64_t subtile) const {
    return load * subtiles + subtile;
  }
  int64_t getStoreBuffer(int64_t index) const { return loadBuffers + index; }
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_SHAREDMEMORYPLAN_H
