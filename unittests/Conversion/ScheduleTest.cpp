//===- ScheduleTest.cpp - Choice and legality of schedules -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "SharedMemoryPlan.h"

#include "gtest/gtest.h"
#include <functional>

using namespace mlir::coda;

namespace {

void forEachDemand(const std::function<void(const ScheduleDemand &)> &visit) {
  for (int64_t accumulators = 1; accumulators <= 8; ++accumulators)
    for (int64_t loads = 0; loads <= 5; ++loads)
      for (int64_t stores = 0; stores <= 5; ++stores)
        visit({accumulators, loads, stores, std::nullopt});
}

void forEachSchedule(const std::function<void(const Schedule &)> &visit) {
  for (int64_t rows = 64; rows <= 320; rows += 64)
    for (int64_t columns = 0; columns <= 320; columns += 32)
      for (int64_t stages = 1; stages <= 8; ++stages)
        for (int64_t buffers = 0; buffers <= 2; ++buffers)
          visit({rows, columns, 64, stages, 1, false, buffers});
}

/// The layout of a legal schedule: regions in order, aligned, inside the limit.
void checkPlan(const Schedule &schedule, const ScheduleDemand &demand) {
  SharedMemoryPlan plan(schedule, demand);
  EXPECT_EQ(plan.lhsBytes % SharedMemoryPlan::alignment, 0);
  EXPECT_EQ(plan.rhsBytes / demand.accumulators % SharedMemoryPlan::alignment,
            0);
  EXPECT_EQ(plan.bufferBytes % SharedMemoryPlan::alignment, 0);
  EXPECT_EQ(plan.buffersOffset, schedule.stages * plan.stageBytes);
  EXPECT_EQ(plan.fullOffset, plan.buffersOffset + 2 * plan.consumerBytes);
  EXPECT_EQ(plan.emptyOffset - plan.fullOffset, 8 * schedule.stages);
  EXPECT_EQ(plan.loadedOffset - plan.emptyOffset, 8 * schedule.stages);
  EXPECT_EQ(plan.totalBytes - plan.loadedOffset, 16 * plan.loadBuffers);
  EXPECT_LE(plan.totalBytes, hopper::maxSharedMemory);
  EXPECT_EQ(plan.subtiles * 64 * demand.accumulators, schedule.columns);
  // Every stored tile has a buffer.
  EXPECT_TRUE(demand.tileStores <= demand.tileLoads || plan.storeBuffers > 0);
}

/// Legality spelled out a second time, from the hardware's point of view.
bool fits(const Schedule &schedule, const ScheduleDemand &demand) {
  int64_t points = schedule.columns / demand.accumulators;
  if (schedule.rows % 128 != 0 || schedule.stages < 2 ||
      schedule.columns == 0 || schedule.columns > 256 ||
      schedule.columns % (64 * demand.accumulators) != 0)
    return false;
  if (schedule.rows / 128 * schedule.columns / 2 > 160)
    return false;
  int64_t extra = std::max<int64_t>(0, demand.tileStores - demand.tileLoads);
  if (extra > 0 && schedule.storeBuffers == 0)
    return false;
  int64_t subtiles = points / 64;
  int64_t buffers =
      demand.tileLoads * subtiles + (extra > 0 ? schedule.storeBuffers : 0);
  int64_t bytes = schedule.stages * (schedule.rows + schedule.columns) * 128 +
                  buffers * schedule.rows * 128 + 16 * schedule.stages +
                  16 * demand.tileLoads * subtiles;
  return bytes <= 232448;
}

TEST(Schedule, LegalityIsExactAndExplained) {
  int64_t legal = 0;
  forEachDemand([&](const ScheduleDemand &demand) {
    forEachSchedule([&](const Schedule &schedule) {
      std::optional<std::string> error = findScheduleError(schedule, demand);
      EXPECT_EQ(!error, fits(schedule, demand));
      if (error)
        EXPECT_FALSE(error->empty());
      else
        checkPlan(schedule, demand);
      legal += !error;
    });
  });
  EXPECT_GT(legal, 1000);
}

TEST(Schedule, ChoiceIsLegal) {
  forEachDemand([&](ScheduleDemand demand) {
    for (int64_t columns : {1, 8, 64, 65, 100, 129, 4096}) {
      demand.columns = columns;
      auto choice = chooseSchedule(demand);
      if (auto *schedule = std::get_if<Schedule>(&choice))
        EXPECT_FALSE(findScheduleError(*schedule, demand));
      else
        EXPECT_FALSE(std::get<std::string>(choice).empty());
    }
  });
}

/// The measured structures of the recipe.
TEST(Schedule, ChoiceForTheMeasuredKernels) {
  auto choose = [](ScheduleDemand demand) {
    return std::get<Schedule>(chooseSchedule(demand));
  };
  Schedule plain = choose({1, 0, 1, 4096});
  EXPECT_EQ(plain.rows, 128);
  EXPECT_EQ(plain.columns, 256);
  EXPECT_EQ(plain.stages, 4);
  Schedule swiglu = choose({2, 0, 3, 11008});
  EXPECT_EQ(swiglu.columns, 256);
  EXPECT_EQ(swiglu.stages, 4);
  Schedule residual = choose({1, 1, 2, 4096});
  EXPECT_EQ(residual.columns, 256);
  EXPECT_EQ(residual.stages, 3);
  EXPECT_EQ(residual.storeBuffers, 1);
}

TEST(Schedule, ReasonsNameTheLimit) {
  ScheduleDemand demand;
  auto reason = [&](Schedule schedule) {
    return findScheduleError(schedule, demand).value_or("");
  };
  Schedule schedule;
  schedule.stages = 5;
  EXPECT_EQ(reason(schedule), "shared memory in bytes is 278608, but a block "
                              "has at most 232448");
  schedule = {};
  schedule.rows = 256;
  EXPECT_EQ(reason(schedule), "the number of accumulator registers of a thread "
                              "is 256, but at most 160 are free");
  schedule = {};
  schedule.rows = 192;
  EXPECT_EQ(reason(schedule), "the tile's row count is 192, but two consumers "
                              "of 64-row products need a multiple of 128");
  schedule = {};
  schedule.pingPong = true;
  EXPECT_EQ(reason(schedule),
            "mode is pingpong, but only cooperative kernels are generated");
  schedule = {};
  schedule.columns = 192;
  demand.accumulators = 2;
  EXPECT_EQ(reason(schedule),
            "the tile's column count is 192, but 2 accumulators of 64-column "
            "sub-tiles need a multiple of 128");
}

} // namespace
