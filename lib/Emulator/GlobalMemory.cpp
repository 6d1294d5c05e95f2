//===- GlobalMemory.cpp - Memory of an emulated GPU and who accessed it ---===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <new>

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// Between two allocations, so that running over the end is seen.
static constexpr uint64_t gap = 4096;
static constexpr uint64_t lastAddress = uint64_t(1) << 49;

llvm::Expected<uint64_t> GlobalMemory::allocate(size_t bytes, bool withChecks) {
  auto allocation = std::make_unique<Allocation>();
  allocation->size = bytes;
  if (bytes >= lastAddress - nextAddress)
    return llvm::createStringError("%zu bytes are more than the device has",
                                   bytes);
  allocation->data.reset(new (std::nothrow) uint8_t[bytes]);
  size_t granules = llvm::divideCeil(bytes, GlobalGranule::bytes);
  if (withChecks)
    allocation->granules.reset(new (std::nothrow) GlobalGranule[granules]);
  if (!allocation->data || (withChecks && !allocation->granules))
    return llvm::createStringError("no host memory for %zu bytes", bytes);
  // Memory that nobody has written gives numbers that stand out.
  std::fill_n(allocation->data.get(), bytes, 0xff);

  std::unique_lock<std::shared_mutex> lock(mutex);
  uint64_t address = nextAddress;
  allocation->base = address;
  nextAddress = llvm::alignTo(address + bytes + gap, alignment);
  allocatedBytes += bytes;
  allocations.emplace(address + bytes, std::move(allocation));
  return address;
}

Allocation *GlobalMemory::find(uint64_t address, size_t bytes) {
  std::shared_lock<std::shared_mutex> lock(mutex);
  // The first that ends after the address is the only one that may hold it.
  auto found = allocations.upper_bound(address);
  if (found == allocations.end() || !found->second->contains(address, bytes))
    return nullptr;
  return found->second.get();
}

llvm::Error GlobalMemory::free(uint64_t address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  for (auto it = allocations.begin(), e = allocations.end(); it != e; ++it) {
    if (it->second->base != address)
      continue;
    allocatedBytes -= it->second->size;
    allocations.erase(it);
    return llvm::Error::success();
  }
  return llvm::createStringError("0x%llx is not an address that was allocated",
                                 static_cast<unsigned long long>(address));
}

std::string GlobalMemory::describe(uint64_t address) {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after != allocations.end() && after->second->base <= address)
    return llvm::formatv("runs over the end of the {0} bytes at {1:x}",
                         after->second->size, after->second->base);
  if (after == allocations.begin())
    return "lies before all allocations";
  const Allocation &before = *std::prev(after)->second;
  return llvm::formatv("lies {0} bytes after the {1} bytes at {2:x}",
                       address - before.base - before.size, before.size,
                       before.base);
}

uint32_t GlobalMemory::reserveBlocks(uint64_t count) {
  uint32_t base = nextBlock - 1;
  nextBlock += count;
  return base;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Calls with each granule of a range, its index and the bytes of it.
template <typename Function>
static void forEachGranule(size_t offset, size_t bytes, Function &&function) {
  for (size_t end = offset + bytes; offset < end;) {
    size_t index = offset / GlobalGranule::bytes;
    size_t next = std::min((index + 1) * GlobalGranule::bytes, end);
    unsigned first = offset % GlobalGranule::bytes;
    uint8_t mask = llvm::maskTrailingOnes<uint8_t>(next - offset) << first;
    if (!function(index, mask))
      return;
    offset = next;
  }
}

void GlobalMemory::markInitialized(Allocation &allocation, uint64_t address,
                                   size_t bytes) {
  if (!allocation.granules)
    return;
  forEachGranule(address - allocation.base, bytes,
                 [&](size_t index, uint8_t mask) {
                   GlobalGranule &granule = allocation.granules[index];
                   uint8_t initialized = granule.initialized | mask;
                   granule = GlobalGranule();
                   granule.initialized = initialized;
                   return true;
                 });
}

std::optional<GlobalMemory::Conflict>
GlobalMemory::access(GlobalGranule &granule, uint8_t mask, AccessMode mode,
                     const GlobalAccessor &by) {
  const Accessor &accessor = by.accessor;
  bool isWrite = mode != AccessMode::Read;
  std::optional<Conflict> conflict;

  bool meetsWriter = granule.writerBlock > by.launchBase &&
                     (granule.writerBytes & mask) &&
                     !(granule.isAtomic && mode == AccessMode::Atomic);
  auto isKnown = [&](uint32_t block, Agent agent, Clock clock) {
    return block != by.block && by.grid->sees(block, agent, clock);
  };
  if (meetsWriter &&
      isKnown(granule.writerBlock, granule.writerAgent, granule.writerClock))
    meetsWriter = false;
  if (meetsWriter && granule.writerBlock != by.block)
    conflict = {false, false,
                llvm::formatv("nothing orders it after a write of block {0}",
                              granule.writerBlock - by.launchBase - 1),
                0};
  else if (meetsWriter &&
           !accessor.sees(granule.writerAgent, granule.writerClock)) {
    bool isProxy =
        accessor.comesAfter(granule.writerAgent, granule.writerClock);
    conflict = {false, isProxy,
                isProxy ? "no fence.proxy.async lies between it and a write of "
                          "the generic proxy"
                        : "nothing orders it after a write in the same block",
                0};
  } else if (meetsWriter && isWrite && granule.writerAgent == accessor.agent &&
             granule.writerClock == accessor.clock &&
             granule.writerLane != accessor.lane &&
             granule.writerLane != Accessor::wholeWarp &&
             accessor.lane != Accessor::wholeWarp)
    conflict = {false, false, "two threads of a warp write the same bytes", 0};

  bool meetsReader = isWrite && granule.readerBlock > by.launchBase &&
                     (granule.readerBytes & mask);
  // Of several readers the last stands for all.
  bool knowsReader =
      isKnown(granule.readerBlock, granule.readerAgent, granule.readerClock);
  if (!conflict && meetsReader && !knowsReader) {
    if (granule.hasSeveralReaders || granule.readerBlock != by.block)
      conflict = {false, false,
                  "nothing orders it after a read of another block", 0};
    else if (!accessor.comesAfter(granule.readerAgent, granule.readerClock))
      conflict = {false, false,
                  "nothing orders it after a read in the same block", 0};
  }
  if (!conflict && mode != AccessMode::Write && (mask & ~granule.initialized))
    conflict = {true, false, "nobody has written these bytes", 0};

  if (!isWrite) {
    granule.hasSeveralReaders =
        granule.readerBlock > by.launchBase &&
        (granule.hasSeveralReaders || granule.readerBlock != by.block);
    bool isSame = granule.readerBlock == by.block &&
                  granule.readerAgent == accessor.agent;
    granule.readerBytes = isSame ? granule.readerBytes | mask : mask;
    granule.readerBlock = by.block;
    granule.readerAgent = accessor.agent;
    granule.readerClock = accessor.clock;
    return conflict;
  }
  bool isSame = granule.writerBlock == by.block &&
                granule.writerAgent == accessor.agent &&
                granule.writerClock == accessor.clock;
  granule.writerBytes = isSame ? granule.writerBytes | mask : mask;
  granule.writerBlock = by.block;
  granule.writerAgent = accessor.agent;
  granule.writerClock = accessor.clock;
  granule.writerLane = !isSame || granule.writerLane == accessor.lane
                           ? accessor.lane
                           : Accessor::wholeWarp;
  granule.isAtomic = mode == AccessMode::Atomic;
  granule.initialized |= mask;
  return conflict;
}

std::optional<GlobalMemory::Conflict>
GlobalMemory::access(Allocation &allocation, uint64_t address, size_t bytes,
                     AccessMode mode, const GlobalAccessor &accessor) {
  if (!allocation.granules)
    return std::nullopt;
  std::optional<Conflict> first;
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t next = std::min((address / lockBytes + 1) * lockBytes, end);
    std::lock_guard<std::mutex> lock(locks[address / lockBytes % locks.size()]);
    size_t offset = address - allocation.base;
    forEachGranule(offset, next - address, [&](size_t index, uint8_t mask) {
      auto conflict = access(allocation.granules[index], mask, mode, accessor);
      if (conflict && !first) {
        first = conflict;
        first->address =
            std::max(allocation.base + index * GlobalGranule::bytes, address);
      }
      return true;
    });
    address = next;
  }
  return first;
}
