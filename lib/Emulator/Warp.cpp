//===- Warp.cpp - 32 threads and their registers --------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "Block.h"

#include "llvm/ADT/bit.h"

using namespace coda::emulator;

Warp::Warp(Block &block, const Program &program, unsigned index,
           uint32_t presentLanes)
    : block(block), program(program), index(index),
      registers32(size_t(program.numSlots32) * lanes),
      registers64(size_t(program.numSlots64) * lanes),
      predicates(program.numPredicates), live(presentLanes) {
  current.mask = presentLanes;
  auto broadcast = [](auto *slots, auto value) {
    std::fill_n(slots, lanes, value);
  };
  for (auto [slot, value] : program.constants32)
    broadcast(slots32(slot), value);
  for (auto [slot, value] : program.constants64)
    broadcast(slots64(slot), value);

  const LaunchConfig &config = block.launch.config;
  for (auto [slot, special] : program.specials) {
    uint32_t *values = slots32(slot);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint32_t thread = index * lanes + lane;
      uint32_t x = thread % config.block[0];
      uint32_t y = thread / config.block[0] % config.block[1];
      uint32_t z = thread / config.block[0] / config.block[1];
      switch (special) {
      case SpecialRegister::ThreadX:
        values[lane] = x;
        break;
      case SpecialRegister::ThreadY:
        values[lane] = y;
        break;
      case SpecialRegister::ThreadZ:
        values[lane] = z;
        break;
      case SpecialRegister::BlockThreadsX:
      case SpecialRegister::BlockThreadsY:
      case SpecialRegister::BlockThreadsZ:
        values[lane] =
            config.block[static_cast<unsigned>(special) -
                         static_cast<unsigned>(SpecialRegister::BlockThreadsX)];
        break;
      case SpecialRegister::BlockX:
      case SpecialRegister::BlockY:
      case SpecialRegister::BlockZ:
        values[lane] =
            block.index[static_cast<unsigned>(special) -
                        static_cast<unsigned>(SpecialRegister::BlockX)];
        break;
      case SpecialRegister::GridX:
      case SpecialRegister::GridY:
      case SpecialRegister::GridZ:
        values[lane] =
            config.grid[static_cast<unsigned>(special) -
                        static_cast<unsigned>(SpecialRegister::GridX)];
        break;
      case SpecialRegister::Lane:
        values[lane] = lane;
        break;
      case SpecialRegister::WarpIndex:
        values[lane] = index;
        break;
      case SpecialRegister::Zero:
        values[lane] = 0;
        break;
      case SpecialRegister::One:
        values[lane] = 1;
        break;
      }
    }
  }
  if (block.checks) {
    wgmmaSlots.resize(program.numSlots32);
    writeTimes.resize(program.numSlots32);
  }
}

Warp::~Warp() = default;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Lets the group go on that has waited longest of those that can.
void Warp::switchGroup() {
  if (current.mask)
    waiting.push_back(std::move(current));
  current = Group();
  auto next = llvm::find_if(waiting, [](const Group &group) {
    return group.wait.kind == Wait::Kind::Nothing;
  });
  if (next == waiting.end())
    return;
  current = std::move(*next);
  waiting.erase(next);
}

uint32_t Warp::getMeetingPc() const {
  return current.meetings.empty() ? Operation::none
                                  : meetings[current.meetings.back()].pc;
}

void Warp::arriveAtMeeting() {
  uint32_t number = current.meetings.pop_back_val();
  Meeting &meeting = meetings[number];
  meeting.arrived |= current.mask;
  if (meeting.arrived == meeting.expected) {
    current.mask = meeting.arrived;
    freeMeetings.push_back(number);
    return;
  }
  current.mask = 0;
  switchGroup();
}

void Warp::jump(uint32_t target, uint32_t mask, uint32_t meetingPc) {
  if (mask == current.mask) {
    current.pc = target;
    return;
  }
  if (meetingPc != Operation::none) {
    if (freeMeetings.empty()) {
      freeMeetings.push_back(meetings.size());
      meetings.emplace_back();
    }
    uint32_t number = freeMeetings.back();
    freeMeetings.pop_back();
    meetings[number] = {meetingPc, current.mask, 0};
    current.meetings.push_back(number);
  }
  Group other = current;
  other.pc = target;
  other.mask = mask;
  waiting.push_back(std::move(other));
  current.mask &= ~mask;
}

void Warp::exit(uint32_t mask) {
  live &= ~mask;
  current.mask &= ~mask;
  // Who meets the threads that end need not wait for them any longer.
  llvm::SmallVector<uint32_t, 4> outer = current.meetings;
  if (!current.mask)
    switchGroup();
  while (!outer.empty()) {
    uint32_t number = outer.pop_back_val();
    Meeting &meeting = meetings[number];
    meeting.expected &= ~mask;
    if (meeting.expected == 0) {
      freeMeetings.push_back(number);
    } else if (meeting.arrived == meeting.expected) {
      Group group;
      group.pc = meeting.pc;
      group.mask = meeting.arrived;
      group.meetings = outer;
      waiting.push_back(std::move(group));
      freeMeetings.push_back(number);
      if (!current.mask)
        switchGroup();
    }
  }
}

void Warp::abandon() {
  live = 0;
  current = Group();
  waiting.clear();
}

void Warp::wait(const Wait &wait, bool again) {
  current.pc -= again;
  current.wait = wait;
  current.wait.line = getLine();
  switchGroup();
}

void Warp::yieldGroup() { switchGroup(); }

bool Warp::poll() {
  for (Group &group : waiting)
    if (group.wait.kind != Wait::Kind::Nothing && isOver(group.wait))
      group.wait = Wait();
  if (!current.mask)
    switchGroup();
  return current.mask != 0;
}

bool Warp::isOver(const Wait &wait) {
  switch (wait.kind) {
  case Wait::Kind::Nothing:
    return true;
  case Wait::Kind::MemoryBarrier: {
    auto found = block.memoryBarriers.find(wait.value);
    return found == block.memoryBarriers.end() ||
           (found->second.completedPhases & 1) != wait.count;
  }
  case Wait::Kind::NamedBarrier: {
    NamedBarrier &barrier = block.namedBarriers[wait.value];
    if (barrier.generation == wait.count)
      return false;
    knowledge.join(barrier.completed);
    return true;
  }
  case Wait::Kind::WgmmaGroups:
    return committedWgmmaGroups - block.getFinishedWgmmaGroups(*this) <=
           wait.count;
  case Wait::Kind::BulkGroups:
  case Wait::Kind::BulkGroupsRead: {
    const BulkGroups &bulk = bulkGroups[wait.value];
    size_t waited =
        bulk.groups.size() > wait.count ? bulk.groups.size() - wait.count : 0;
    for (size_t group = 0; group < waited; ++group)
      if (wait.kind == Wait::Kind::BulkGroups ? bulk.groups[group]->unwritten
                                              : bulk.groups[group]->unread)
        return false;
    return true;
  }
  case Wait::Kind::Registers:
    return block.freeRegisters >=
           (int64_t(wait.count) - registersPerThread) * lanes;
  }
  llvm_unreachable("all kinds are covered");
}

void Warp::run(unsigned budget) {
  while (budget-- && current.mask) {
    while (current.mask && current.pc == getMeetingPc())
      arriveAtMeeting();
    if (!current.mask)
      return;
    const Operation &next = program.operations[current.pc];
    operation = &next;
    uint32_t mask = current.mask;
    if (next.guard != Operation::none)
      mask &=
          next.guardNegated ? ~predicates[next.guard] : predicates[next.guard];
    ++current.pc;
    numThreadInstructions += llvm::popcount(mask);
    if (mask) {
      if (block.checks)
        checkWgmmaSlots(next);
      next.handler(*this, next, mask);
    }
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void Warp::checkWgmmaSlots(const Operation &next) {
  ++time;
  for (uint32_t slot : next.writes)
    writeTimes[slot] = time;
  if (awaitedWgmmaGroups == committedWgmmaGroups && !hasOpenWgmmas)
    return;
  for (const std::vector<uint32_t> *slots : {&next.reads, &next.writes})
    for (uint32_t slot : *slots)
      if (wgmmaSlots[slot] > awaitedWgmmaGroups) {
        report(FindingKind::Wgmma, current.mask,
               "touches a register of a wgmma before a wait for its group");
        return;
      }
}

bool Warp::checkWhole(uint32_t mask, const char *what) {
  ++epoch;
  if (mask == live)
    return true;
  report(FindingKind::Divergence, mask,
         llvm::Twine(what) + " is executed by " +
             llvm::Twine(llvm::popcount(mask)) + " of " +
             llvm::Twine(llvm::popcount(live)) +
             " threads of the warp, expected all");
  return false;
}

void Warp::report(FindingKind kind, uint32_t mask, const llvm::Twine &message,
                  uint64_t address) {
  int32_t thread = mask ? int32_t(index * lanes + llvm::countr_zero(mask)) : -1;
  block.report(kind, getLine(), thread, message, address);
}

uint64_t Warp::getAddress(const Operation &operation, unsigned at,
                          unsigned lane) {
  uint32_t slot = operation.slots[at];
  if (operation.isWide[at])
    return slots64(slot)[lane] + operation.offsets[at];
  return uint32_t(slots32(slot)[lane] + uint32_t(operation.offsets[at]));
}

uint64_t Warp::getSharedOffset(const Operation &operation, unsigned at,
                               unsigned lane) {
  uint64_t address = getAddress(operation, at, lane);
  return address - sharedWindow < windowBytes ? address - sharedWindow
                                              : address;
}

Accessor Warp::getAccessor(uint8_t lane) const {
  Accessor accessor;
  accessor.agent = index;
  accessor.clock = clock;
  accessor.lane = lane;
  accessor.epoch = epoch;
  accessor.line = operation->line;
  accessor.knowledge = &knowledge;
  return accessor;
}
