//===- Warp.h - 32 threads and their registers ------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_WARP_H
#define CODA_LIB_EMULATOR_WARP_H

#include "Program.h"
#include "VectorClock.h"

#include "coda/Emulator/Finding.h"
#include "llvm/ADT/Twine.h"

#include <deque>
#include <memory>

namespace coda::emulator {

class Block;

/// What threads wait for.
struct Wait {
  enum class Kind : uint8_t {
    Nothing,
    /// `value` is an offset, `count` the parity.
    MemoryBarrier,
    /// `value` is the number of a barrier, `count` its generation.
    NamedBarrier,
    /// All but `count` groups; `value` is a lane for bulk groups.
    WgmmaGroups,
    BulkGroups,
    BulkGroupsRead,
    /// `count` registers for each thread.
    Registers
  };
  Kind kind = Kind::Nothing;
  uint64_t value = 0;
  uint32_t count = 0;
  uint32_t line = 0;
};

/// Threads of a warp that are at the same place.
struct Group {
  uint32_t pc = 0;
  uint32_t mask = 0;
  /// Places where the threads meet others again, the innermost last.
  llvm::SmallVector<uint32_t, 4> meetings;
  Wait wait;
};

/// Where threads that a branch parted come together again: what every way from
/// the branch to the end passes first.
struct Meeting {
  uint32_t pc = 0;
  uint32_t expected = 0;
  uint32_t arrived = 0;
};

/// Bulk stores of one thread.
struct BulkGroups {
  struct BulkGroup {
    /// Stores whose shared memory is still to be read, and those whose results
    /// are still to be written.
    unsigned unread = 0, unwritten = 0;
    /// Of the last store.
    Clock clock = 0;
  };
  /// The oldest first.
  std::deque<std::shared_ptr<BulkGroup>> groups;
  /// What no commit has closed.
  std::shared_ptr<BulkGroup> open = std::make_shared<BulkGroup>();
};

class Warp {
public:
  static constexpr unsigned lanes = 32;

  Warp(Block &block, const Program &program, unsigned index,
       uint32_t presentLanes);
  ~Warp();

  /// Runs until the warp waits, has ended, or has executed `budget` operations.
  void run(unsigned budget);
  bool hasEnded() const { return live == 0; }
  /// Whether some threads can go on. Wakes those whose wait is over.
  bool poll();
  const std::vector<Group> &getGroups() const { return waiting; }

  //===--------------------------------------------------------------------===//
  // For handlers
  //===--------------------------------------------------------------------===//

  uint32_t *slots32(uint32_t slot) { return &registers32[slot * lanes]; }
  uint64_t *slots64(uint32_t slot) { return &registers64[slot * lanes]; }
  uint32_t &predicate(uint32_t slot) { return predicates[slot]; }
  /// The address whose base is slots[at].
  uint64_t getAddress(const Operation &operation, unsigned at, unsigned lane);
  /// The same for an address of shared memory, generic or not.
  uint64_t getSharedOffset(const Operation &operation, unsigned at,
                           unsigned lane);

  Block &block;
  const Program &program;
  const unsigned index;

  uint32_t getActive() const { return current.mask; }
  uint32_t getLive() const { return live; }
  /// The threads of `mask` go to `target`; those who part meet at `meeting`.
  void jump(uint32_t target, uint32_t mask, uint32_t meeting);
  void exit(uint32_t mask);
  /// Ends all threads, wherever they are.
  void abandon();
  /// The current threads wait. They execute the operation again if `again`.
  void wait(const Wait &wait, bool again);
  /// Another group's turn.
  void yieldGroup();
  /// False, after a finding, if threads of the warp are missing.
  bool checkWhole(uint32_t mask, const char *what);

  /// The thread to blame is the first of `mask`.
  void report(FindingKind kind, uint32_t mask, const llvm::Twine &message,
              uint64_t address = 0);
  unsigned getLine() const { return operation->line; }

  /// Everything before it is visible to who learns of this clock.
  void advanceClock() { knowledge.generic.set(index, ++clock); }
  Accessor getAccessor(uint8_t lane = Accessor::wholeWarp) const;

  Knowledge knowledge;
  /// Of other blocks: what is known, what atomic operations have read and the
  /// next fence makes known, and what the last fence lets them pass on.
  GridKnowledge grid, acquiring, released;
  Clock clock = 1;
  uint32_t epoch = 0;
  uint64_t numThreadInstructions = 0;

  //===--------------------------------------------------------------------===//
  // Asynchronous operations
  //===--------------------------------------------------------------------===//

  std::array<BulkGroups, lanes> bulkGroups;
  /// Clock of the agents that read and write for bulk stores, and the line of
  /// the last one.
  Clock bulkClock = 0;
  unsigned bulkLine = 0;

  /// Wgmmas that the warp has issued.
  uint64_t numWgmmas = 0;
  uint32_t committedWgmmaGroups = 0;
  /// Those that the warp knows to be finished.
  uint32_t awaitedWgmmaGroups = 0;
  bool hasOpenWgmmas = false;
  /// Group, counted from 1, of the wgmma that owns a slot; 0 is none.
  std::vector<uint32_t> wgmmaSlots;
  /// Operations so far when a slot was last written by one that is no wgmma.
  std::vector<uint64_t> writeTimes;
  uint64_t time = 0;
  uint64_t wgmmaFenceTime = 0;

  uint32_t registersPerThread = 0;

private:
  void switchGroup();
  uint32_t getMeetingPc() const;
  void arriveAtMeeting();
  void checkWgmmaSlots(const Operation &operation);
  bool isOver(const Wait &wait);

  std::vector<uint32_t> registers32;
  std::vector<uint64_t> registers64;
  std::vector<uint32_t> predicates;
  /// The group that runs; an empty mask if none does.
  Group current;
  std::vector<Group> waiting;
  std::vector<Meeting> meetings;
  std::vector<uint32_t> freeMeetings;
  uint32_t live;
  const Operation *operation = nullptr;
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_WARP_H
