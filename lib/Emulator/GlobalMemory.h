//===- GlobalMemory.h - Memory of an emulated GPU and who accessed it -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_GLOBALMEMORY_H
#define CODA_LIB_EMULATOR_GLOBALMEMORY_H

#include "VectorClock.h"

#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

namespace coda::emulator {

/// Who last wrote and read 8 bytes: 3 bytes for each byte of memory.
struct GlobalGranule {
  static constexpr size_t bytes = 8;

  /// Serial numbers of blocks over all launches; 0 is nobody.
  uint32_t writerBlock = 0;
  Clock writerClock = 0;
  uint32_t readerBlock = 0;
  Clock readerClock = 0;
  Agent writerAgent = 0;
  uint8_t writerBytes = 0;
  Agent readerAgent = 0;
  uint8_t readerBytes = 0;
  uint8_t initialized = 0;
  bool isAtomic = false;
  bool hasSeveralReaders = false;
  uint8_t writerLane = 0;
};

struct Allocation {
  uint64_t base = 0;
  size_t size = 0;
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<GlobalGranule[]> granules;

  bool contains(uint64_t address, size_t bytes) const {
    return address >= base && address - base <= size &&
           bytes <= size - (address - base);
  }
  uint8_t *at(uint64_t address) const { return data.get() + (address - base); }
};

enum class AccessMode : uint8_t { Read, Write, Atomic };

/// Blocks of one launch and their place among all blocks that ever ran.
struct GlobalAccessor {
  Accessor accessor;
  uint32_t block;
  /// Blocks up to this one belong to launches that are over.
  uint32_t launchBase;
  const GridKnowledge *grid;
};

class GlobalMemory {
public:
  /// As `cudaMalloc` aligns.
  static constexpr uint64_t alignment = 256;
  /// No pointer of the host is as large.
  static constexpr uint64_t firstAddress = uint64_t(1) << 48;

  llvm::Expected<uint64_t> allocate(size_t bytes, bool withChecks);
  llvm::Error free(uint64_t address);
  /// The allocation that all the bytes belong to, or null.
  Allocation *find(uint64_t address, size_t bytes);
  /// Words about where an address lies that no allocation contains.
  std::string describe(uint64_t address);
  size_t getAllocatedBytes() const { return allocatedBytes; }

  /// The host has written; nothing of earlier accesses counts any more.
  void markInitialized(Allocation &allocation, uint64_t address, size_t bytes);
  /// Notes an access and gives what is wrong with it.
  struct Conflict {
    bool isUninitialized;
    bool isProxy;
    std::string message;
    uint64_t address;
  };
  std::optional<Conflict> access(Allocation &allocation, uint64_t address,
                                 size_t bytes, AccessMode mode,
                                 const GlobalAccessor &accessor);

  /// Serial numbers for the blocks of a launch.
  uint32_t reserveBlocks(uint64_t count);

private:
  std::optional<Conflict> access(GlobalGranule &granule, uint8_t mask,
                                 AccessMode mode,
                                 const GlobalAccessor &accessor);

  static constexpr size_t lockBytes = 4096;
  /// Blocks that run at the same time share granules.
  std::array<std::mutex, 256> locks;
  /// By the address after the last byte.
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::shared_mutex mutex;
  uint64_t nextAddress = firstAddress;
  std::atomic<size_t> allocatedBytes = 0;
  uint32_t nextBlock = 1;
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_GLOBALMEMORY_H
