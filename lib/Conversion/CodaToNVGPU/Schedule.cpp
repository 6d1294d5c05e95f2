//===- Schedule.cpp - Choice and legality of schedules -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "FragmentLayout.h"
#include "SharedMemoryPlan.h"

#include "llvm/ADT/Twine.h"

using namespace mlir::coda;
using llvm::Twine;

/// "<what> is <found>, but <expected>".
static std::string mismatch(const char *what, int64_t found,
                            const Twine &expected) {
  return (Twine(what) + " is " + Twine(found) + ", but " + expected).str();
}

static std::optional<std::string> findFormError(const Schedule &schedule) {
  if (schedule.pingPong)
    return "mode is pingpong, but only cooperative kernels are generated";
  if (schedule.cluster != 1)
    return mismatch("cluster", schedule.cluster,
                    "only clusters of 1 block are generated");
  if (schedule.contracts != 64)
    return mismatch("the tile's contract size", schedule.contracts,
                    "128-byte rows of 16-bit elements make it 64");
  int64_t rowUnit = hopper::consumers * fragment::rows;
  if (schedule.rows < rowUnit || schedule.rows % rowUnit != 0)
    return mismatch("the tile's row count", schedule.rows,
                    "two consumers of 64-row products need a multiple of " +
                        Twine(rowUnit));
  constexpr int64_t maxBox = 256;
  if (schedule.rows > maxBox)
    return mismatch("the tile's row count", schedule.rows,
                    "one bulk copy moves at most " + Twine(maxBox) + " rows");
  // With a single stage a tile could not arrive while another is multiplied.
  if (schedule.stages < 2)
    return mismatch("the number of stages", schedule.stages,
                    "at least 2 are needed");
  return std::nullopt;
}

static std::optional<std::string>
findColumnError(const Schedule &schedule, const ScheduleDemand &demand) {
  if (schedule.columns <= 0 || schedule.columns > hopper::maxProductColumns)
    return mismatch("the tile's column count", schedule.columns,
                    "a product has 1 to " + Twine(hopper::maxProductColumns) +
                        " columns");
  // The accumulators of a point are a multiple of 64 columns apart, so that
  // they sit in one thread and every sub-tile of points is whole.
  int64_t unit = demand.accumulators * fragment::subtileColumns;
  if (schedule.columns % unit != 0)
    return mismatch("the tile's column count", schedule.columns,
                    Twine(demand.accumulators) +
                        " accumulators of 64-column sub-tiles need a "
                        "multiple of " +
                        Twine(unit));
  return std::nullopt;
}

static std::optional<std::string>
findResourceError(const Schedule &schedule, const ScheduleDemand &demand) {
  int64_t accumulators = schedule.getRowsPerConsumer() / fragment::rows *
                         fragment::getNumRegisters(schedule.columns);
  int64_t limit = hopper::consumerRegisters - hopper::reservedRegisters;
  if (accumulators > limit)
    return mismatch("the number of accumulator registers of a thread",
                    accumulators, "at most " + Twine(limit) + " are free");
  if (demand.getStoresWithoutLoad() != 0 && schedule.storeBuffers < 1)
    return mismatch("the number of store buffers", schedule.storeBuffers,
                    "at least 1 is needed");
  int64_t bytes = SharedMemoryPlan(schedule, demand).totalBytes;
  if (bytes > hopper::maxSharedMemory)
    return mismatch("shared memory in bytes", bytes,
                    "a block has at most " + Twine(hopper::maxSharedMemory));
  return std::nullopt;
}

std::optional<std::string>
mlir::coda::findScheduleError(const Schedule &schedule,
                              const ScheduleDemand &demand) {
  if (auto error = findFormError(schedule))
    return error;
  if (auto error = findColumnError(schedule, demand))
    return error;
  return findResourceError(schedule, demand);
}

/// The widest tile whose last column block is not mostly empty.
static int64_t choosePointColumns(const ScheduleDemand &demand) {
  int64_t widest = hopper::maxProductColumns / demand.accumulators /
                   fragment::subtileColumns * fragment::subtileColumns;
  if (!demand.columns)
    return widest;
  int64_t needed = fragment::subtileColumns;
  while (needed < *demand.columns && needed < widest)
    needed *= 2;
  return std::min(needed, widest);
}

std::variant<Schedule, std::string>
mlir::coda::chooseSchedule(const ScheduleDemand &demand) {
  Schedule schedule;
  schedule.columns = choosePointColumns(demand) * demand.accumulators;
  if (schedule.columns == 0)
    return mismatch("the number of accumulators", demand.accumulators,
                    "at most 4 fit a tile of 256 columns");
  // A stage hides more latency than a second store buffer.
  constexpr int64_t maxStages = 6;
  std::optional<std::string> error;
  for (int64_t stages = maxStages; stages >= 2; --stages) {
    for (int64_t buffers : {2, 1}) {
      schedule.stages = stages;
      schedule.storeBuffers = buffers;
      error = findScheduleError(schedule, demand);
      if (!error)
        return schedule;
    }
  }
  return *error;
}
