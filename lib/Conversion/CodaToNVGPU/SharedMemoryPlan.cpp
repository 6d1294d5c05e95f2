//===- SharedMemoryPlan.cpp - What lies where in shared memory -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemoryPlan.h"

#include "FragmentLayout.h"

using namespace mlir::coda;

static constexpr int64_t elementBytes = 2;

SharedMemoryPlan::SharedMemoryPlan(const Schedule &schedule,
                                   const ScheduleDemand &demand) {
  stages = schedule.stages;
  lhsBytes = schedule.rows * schedule.contracts * elementBytes;
  rhsBytes = schedule.columns * schedule.contracts * elementBytes;
  stageBytes = lhsBytes + rhsBytes;

  bufferBytes = schedule.getRowsPerConsumer() * fragment::rowBytes;
  subtiles = demand.getPointColumns(schedule) / fragment::subtileColumns;
  loadBuffers = demand.tileLoads * subtiles;
  storeBuffers = demand.getStoresWithoutLoad() == 0 ? 0 : schedule.storeBuffers;
  consumerBytes = (loadBuffers + storeBuffers) * bufferBytes;

  buffersOffset = stages * stageBytes;
  fullOffset = buffersOffset + hopper::consumers * consumerBytes;
  emptyOffset = fullOffset + stages * barrierBytes;
  loadedOffset = emptyOffset + stages * barrierBytes;
  totalBytes = loadedOffset + hopper::consumers * loadBuffers * barrierBytes;
}
