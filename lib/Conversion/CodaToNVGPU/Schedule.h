//===- Schedule.h - Choice and legality of schedules -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a product is cut into tiles for one Hopper multiprocessor, and the one
// place that judges whether it can be.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_SCHEDULE_H
#define CODA_LIB_CONVERSION_CODATONVGPU_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace mlir::coda {

/// What a multiprocessor of compute capability 9.0 offers a block.
namespace hopper {
inline constexpr int64_t maxSharedMemory = 232448;
inline constexpr int64_t consumers = 2;
/// `setmaxnreg` of the warpgroups.
inline constexpr int64_t producerRegisters = 24;
inline constexpr int64_t consumerRegisters = 240;
/// Registers a consumer needs beside its accumulators: addresses, loop state
/// and the values of one sub-tile of the epilogue.
inline constexpr int64_t reservedRegisters = 80;
inline constexpr int64_t maxProductColumns = 256;
} // namespace hopper

struct Schedule {
  /// Tile of one block. Columns count all accumulators of a point.
  int64_t rows = 128;
  int64_t columns = 256;
  int64_t contracts = 64;
  int64_t stages = 4;
  int64_t cluster = 1;
  bool pingPong = false;
  /// Buffers of each consumer for tiles on their way out.
  int64_t storeBuffers = 2;

  int64_t getRowsPerConsumer() const { return rows / hopper::consumers; }
};

/// What the schedule has to serve. Elements of lhs and rhs have 16 bits.
struct ScheduleDemand {
  /// Accumulators of one point: members and right-hand sides.
  int64_t accumulators = 1;
  /// 16-bit tiles of a point that are prefetched, and that are stored, through
  /// shared memory.
  int64_t tileLoads = 0;
  int64_t tileStores = 1;
  /// Points of a row, when known.
  std::optional<int64_t> columns;

  int64_t getPointColumns(const Schedule &schedule) const {
    return schedule.columns / accumulators;
  }
  /// Stored tiles that cannot reuse the buffer of a prefetched one.
  int64_t getStoresWithoutLoad() const {
    return tileStores > tileLoads ? tileStores - tileLoads : 0;
  }
};

/// Why a schedule is illegal, in words, or nothing.
std::optional<std::string> findScheduleError(const Schedule &schedule,
                                             const ScheduleDemand &demand);

/// The default schedule: a tile as large as the columns deserve, as many stages
/// and store buffers as fit. The other alternative says why there is none.
std::variant<Schedule, std::string>
chooseSchedule(const ScheduleDemand &demand);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_SCHEDULE_H
