//===- SharedMemory.h - Shared memory of a block and who accessed it -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_SHAREDMEMORY_H
#define CODA_LIB_EMULATOR_SHAREDMEMORY_H

#include "VectorClock.h"

#include <optional>
#include <string>
#include <vector>

namespace coda::emulator {

/// Remembers the last writer of every 8 bytes, and of every agent its last read
/// of them.
class SharedMemory {
public:
  static constexpr size_t granuleBytes = 8;

  SharedMemory(size_t bytes, bool withChecks);

  size_t size() const { return data.size(); }
  uint8_t *at(uint32_t offset) { return data.data() + offset; }
  bool contains(uint64_t offset, size_t bytes) const {
    return offset <= data.size() && bytes <= data.size() - offset;
  }

  struct Conflict {
    bool isUninitialized;
    bool isProxy;
    std::string message;
    uint32_t offset;
  };
  /// Notes an access and gives what is wrong with it.
  std::optional<Conflict> access(uint32_t offset, size_t bytes, bool isWrite,
                                 const Accessor &accessor);

private:
  struct Granule {
    Clock clock = 0;
    uint32_t epoch = 0;
    uint32_t line = 0;
    Agent agent = 0;
    uint8_t lane = 0;
    uint8_t writtenBytes = 0;
    uint8_t initialized = 0;
    bool isAsync = false;
  };

  std::optional<Conflict> checkWriter(const Granule &granule, uint8_t mask,
                                      bool isWrite, const Accessor &accessor);
  std::optional<Conflict> checkReaders(size_t first, size_t last,
                                       const Accessor &accessor);

  std::vector<uint8_t> data;
  std::vector<Granule> granules;
  /// For each agent that ever read, the clock of its last read of a granule,
  /// and the line of its last read of all.
  struct Reads {
    std::vector<Clock> clocks;
    unsigned line = 0;
  };
  std::vector<Reads> reads;
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_SHAREDMEMORY_H
