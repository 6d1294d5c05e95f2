//===- SharedMemory.cpp - Shared memory of a block and who accessed it ----===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace coda::emulator;

SharedMemory::SharedMemory(size_t bytes, bool withChecks) : data(bytes, 0xff) {
  if (withChecks)
    granules.resize(llvm::divideCeil(bytes, granuleBytes));
}

std::optional<SharedMemory::Conflict>
SharedMemory::checkWriter(const Granule &granule, uint8_t mask, bool isWrite,
                          const Accessor &accessor) {
  bool isUninitialized = !isWrite && (mask & ~granule.initialized);
  if (isUninitialized)
    return Conflict{true, false, "nobody has written these bytes", 0};
  if (!(granule.writtenBytes & mask))
    return std::nullopt;
  if (!accessor.sees(granule.agent, granule.clock)) {
    if (accessor.comesAfter(granule.agent, granule.clock))
      return Conflict{false, true,
                      llvm::formatv("no fence.proxy.async lies between it and "
                                    "the write of line {0}",
                                    granule.line),
                      0};
    return Conflict{false, false,
                    llvm::formatv("nothing orders it after the {0} of line {1}",
                                  granule.isAsync ? "bulk copy" : "write",
                                  granule.line),
                    0};
  }
  // Lanes of a warp are ordered by what they do together.
  bool isOtherLane =
      granule.agent == accessor.agent && !granule.isAsync &&
      granule.epoch == accessor.epoch && granule.lane != Accessor::wholeWarp &&
      accessor.lane != Accessor::wholeWarp && granule.lane != accessor.lane;
  if (isOtherLane)
    return Conflict{false, false,
                    llvm::formatv("nothing orders it after the write of line "
                                  "{0} by lane {1} of the same warp",
                                  granule.line, granule.lane),
                    0};
  return std::nullopt;
}

std::optional<SharedMemory::Conflict>
SharedMemory::checkReaders(size_t first, size_t last,
                           const Accessor &accessor) {
  for (size_t agent = 0; agent < reads.size(); ++agent) {
    const std::vector<Clock> &clocks = reads[agent].clocks;
    if (clocks.empty())
      continue;
    Clock known = accessor.knowledge->generic.get(agent);
    Clock latest = 0;
    for (size_t granule = first; granule < last; ++granule)
      latest = std::max(latest, clocks[granule]);
    if (latest <= known)
      continue;
    size_t granule = first;
    while (clocks[granule] <= known)
      ++granule;
    return Conflict{false, false,
                    llvm::formatv("nothing orders it after a read, the last of "
                                  "which is in line {0}",
                                  reads[agent].line),
                    static_cast<uint32_t>(granule * granuleBytes)};
  }
  return std::nullopt;
}

std::optional<SharedMemory::Conflict>
SharedMemory::access(uint32_t offset, size_t bytes, bool isWrite,
                     const Accessor &accessor) {
  if (granules.empty() || bytes == 0)
    return std::nullopt;
  size_t begin = offset, end = offset + bytes;
  size_t first = begin / granuleBytes;
  size_t last = llvm::divideCeil(end, granuleBytes);
  std::optional<Conflict> conflict;
  if (isWrite)
    conflict = checkReaders(first, last, accessor);

  for (size_t index = first; index < last; ++index) {
    Granule &granule = granules[index];
    size_t from = std::max(begin, index * granuleBytes) % granuleBytes;
    size_t to = std::min(end - index * granuleBytes, granuleBytes);
    uint8_t mask = llvm::maskTrailingOnes<uint8_t>(to - from) << from;
    if (!conflict) {
      conflict = checkWriter(granule, mask, isWrite, accessor);
      if (conflict)
        conflict->offset = std::max(begin, index * granuleBytes);
    }
    if (!isWrite)
      continue;
    bool isSame = granule.agent == accessor.agent &&
                  granule.clock == accessor.clock && granule.writtenBytes;
    granule.lane = !isSame || granule.lane == accessor.lane
                       ? accessor.lane
                       : Accessor::wholeWarp;
    granule.writtenBytes = isSame ? granule.writtenBytes | mask : mask;
    granule.agent = accessor.agent;
    granule.clock = accessor.clock;
    granule.epoch = accessor.epoch;
    granule.line = accessor.line;
    granule.isAsync = accessor.isAsync;
    granule.initialized |= mask;
  }
  if (isWrite)
    return conflict;

  if (accessor.agent >= reads.size())
    reads.resize(accessor.agent + 1);
  Reads &own = reads[accessor.agent];
  if (own.clocks.empty())
    own.clocks.resize(granules.size());
  std::fill(own.clocks.begin() + first, own.clocks.begin() + last,
            accessor.clock);
  own.line = accessor.line;
  return conflict;
}
