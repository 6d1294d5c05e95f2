//===- Block.h - A block of threads and what they share ---------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_BLOCK_H
#define CODA_LIB_EMULATOR_BLOCK_H

#include "GlobalMemory.h"
#include "SharedMemory.h"
#include "Warp.h"

#include "coda/Emulator/Device.h"

#include <random>

namespace coda::emulator {

/// Generic addresses of the windows onto shared memory and parameters.
constexpr uint64_t sharedWindow = 0x010000000000;
constexpr uint64_t parameterWindow = 0x020000000000;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

/// An mbarrier; its bytes in memory are of no use to anyone.
struct MemoryBarrier {
  Agent agent = 0;
  uint32_t count = 0;
  uint32_t pending = 0;
  int64_t bytes = 0;
  uint32_t completedPhases = 0;
  /// What threads that arrive hand over, and what is handed over when a phase
  /// completes.
  Knowledge arriving, completed;
  Agent initAgent = 0;
  Clock initClock = 0;
  /// Phase, counted from 1, and line of the last bulk load that it counts.
  Clock loadPhase = 0;
  unsigned loadLine = 0;
};

struct NamedBarrier {
  uint32_t expected = 0;
  uint32_t arrived = 0;
  uint32_t generation = 0;
  Knowledge arriving;
  /// What those who still wait for the last generation are given.
  Knowledge completed;
};

/// A wgmma, which begins when all four warps of a warpgroup have issued it.
struct Wgmma {
  const Operation *operation;
  uint64_t lhs, rhs;
  bool accumulates;
  /// Counted from 1.
  uint32_t group;
  unsigned numWarps = 0;
};

/// What four warps compute together, in order.
struct Warpgroup {
  static constexpr unsigned warps = 4;

  std::deque<Wgmma> wgmmas;
  /// How many are over.
  uint64_t finished = 0;
};

/// Something that the hardware does on its own.
class AsyncOperation {
public:
  virtual ~AsyncOperation() = default;
  virtual bool isReady() { return true; }
  /// Does a part; true when nothing is left.
  virtual bool step() = 0;
};

/// State that blocks of a launch share.
struct Launch {
  const Program &program;
  const LaunchConfig &config;
  const DeviceOptions &options;
  GlobalMemory &memory;
  FindingLog &findings;
  const std::vector<uint8_t> &parameters;
  uint32_t launchBase;
  /// What atomic operations have passed on, by address.
  std::map<uint64_t, GridKnowledge> released = {};
  std::mutex releasedMutex = {};
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> threadInstructions = 0;
};

class Block {
public:
  Block(Launch &launch, uint64_t linearIndex);
  ~Block();

  /// Runs all threads to their end, or to the first thing that cannot go on.
  void run();

  /// Among all blocks that ever ran on the device.
  uint32_t getSerialNumber() const {
    return launch.launchBase + uint32_t(linearIndex) + 1;
  }

  Launch &launch;
  const uint64_t linearIndex;
  uint32_t index[3];
  const bool checks;
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps;

  //===--------------------------------------------------------------------===//
  // Agents
  //===--------------------------------------------------------------------===//

  Agent getWgmmaAgent(const Warp &warp) const {
    return warps.size() + warp.index / Warpgroup::warps;
  }
  Agent getBulkReadAgent(const Warp &warp) const {
    return 2 * warps.size() + warp.index;
  }
  Agent getBulkWriteAgent(const Warp &warp) const {
    return 3 * warps.size() + warp.index;
  }
  Agent getBarrierAgent(size_t number) const {
    return std::min<size_t>(4 * warps.size() + number, maxAgents - 1);
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Host memory behind an address, after all checks; null after a finding.
  uint8_t *access(Warp &warp, Space space, uint64_t address, unsigned bytes,
                  AccessMode mode, uint8_t lane);
  /// Notes an access that is known to be inside, and reports what it meets.
  void noteShared(const Accessor &accessor, uint32_t offset, size_t bytes,
                  bool isWrite, int32_t thread);
  void noteGlobal(const Warp &warp, const Accessor &accessor,
                  Allocation &allocation, uint64_t address, size_t bytes,
                  AccessMode mode, int32_t thread);
  /// What an atomic operation passes on and learns.
  void noteAtomic(Warp &warp, uint64_t address);
  void fenceGrid(Warp &warp);
  Allocation *findAllocation(uint64_t address, size_t bytes);
  void report(FindingKind kind, unsigned line, int32_t thread,
              const llvm::Twine &message, uint64_t address = 0);

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  std::map<uint32_t, MemoryBarrier> memoryBarriers;
  static constexpr unsigned numNamedBarriers = 16;
  std::array<NamedBarrier, numNamedBarriers> namedBarriers;
  /// Completes the phase if nothing is missing.
  void updateBarrier(MemoryBarrier &barrier);

  //===--------------------------------------------------------------------===//
  // Asynchronous operations and registers
  //===--------------------------------------------------------------------===//

  void start(std::unique_ptr<AsyncOperation> operation);
  std::vector<Warpgroup> warpgroups;
  /// Of those that the warp has committed.
  uint32_t getFinishedWgmmaGroups(const Warp &warp) const;
  bool completesEagerly() const;
  uint64_t random(uint64_t bound) { return generator() % bound; }
  /// Registers of the multiprocessor that no warp has.
  int64_t freeRegisters = 0;

private:
  static constexpr size_t maxAgents = 255;
  static constexpr int64_t registersOfMultiprocessor = 65536;

  void step();
  bool stepAsync();
  Warp *chooseWarp();
  unsigned chooseBudget();
  void reportDeadlock();
  /// What the block started and did not wait for.
  void reportUnfinished();
  std::string describeWait(const Wait &wait);

  std::mt19937_64 generator;
  std::vector<std::unique_ptr<AsyncOperation>> pending;
  unsigned nextWarp = 0;
  unsigned chosenWarp = 0;
  uint64_t numOperations = 0;
  bool isStuck = false;
  Allocation *lastAllocation = nullptr;
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_BLOCK_H
