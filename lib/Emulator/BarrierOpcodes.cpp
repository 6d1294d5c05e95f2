//===- BarrierOpcodes.cpp - Barriers, fences and register counts ----------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

/// The barrier after this warp has arrived; null after a finding.
static NamedBarrier *arriveAtNamed(Warp &warp, const Operation &operation,
                                   uint32_t mask) {
  if (!warp.checkWhole(mask, "a barrier"))
    return nullptr;
  Block &block = warp.block;
  unsigned lane = llvm::countr_zero(mask);
  uint32_t number = warp.slots32(operation.slots[0])[lane];
  uint32_t threads = block.warps.size() * Warp::lanes;
  if (operation.slots[1] != Operation::none)
    threads = warp.slots32(operation.slots[1])[lane];
  if (number >= Block::numNamedBarriers || threads == 0 ||
      threads % Warp::lanes != 0) {
    warp.report(FindingKind::Barrier, mask,
                llvm::formatv("barrier {0} of {1} threads, expected one of 0 "
                              "to 15 and a multiple of 32",
                              number, threads)
                    .str());
    return nullptr;
  }
  NamedBarrier &barrier = block.namedBarriers[number];
  if (barrier.arrived != 0 && barrier.expected != threads) {
    warp.report(FindingKind::Barrier, mask,
                llvm::formatv("barrier {0} of {1} threads, but others are "
                              "there for {2}",
                              number, threads, barrier.expected)
                    .str());
    return nullptr;
  }
  barrier.expected = threads;
  barrier.arrived += Warp::lanes;
  barrier.arriving.join(warp.knowledge);
  warp.advanceClock();
  if (barrier.arrived > threads)
    warp.report(FindingKind::Barrier, mask,
                llvm::formatv("{0} threads at barrier {1}, expected {2}",
                              barrier.arrived, number, threads)
                    .str());
  if (barrier.arrived >= threads) {
    barrier.completed = barrier.arriving;
    barrier.arriving = Knowledge();
    barrier.arrived = 0;
    ++barrier.generation;
  }
  return &barrier;
}

static void syncNamed(Warp &warp, const Operation &operation, uint32_t mask) {
  unsigned lane = llvm::countr_zero(mask);
  uint32_t number = warp.slots32(operation.slots[0])[lane];
  uint32_t before = number < Block::numNamedBarriers
                        ? warp.block.namedBarriers[number].generation
                        : 0;
  NamedBarrier *barrier = arriveAtNamed(warp, operation, mask);
  if (!barrier)
    return;
  warp.wait({Wait::Kind::NamedBarrier, number, before, 0}, /*again=*/false);
}

static void arriveNamed(Warp &warp, const Operation &operation, uint32_t mask) {
  arriveAtNamed(warp, operation, mask);
}

/// slots: members.
static void syncWarp(Warp &warp, const Operation &operation, uint32_t mask) {
  uint32_t members = warp.slots32(operation.slots[0])[llvm::countr_zero(mask)];
  ++warp.epoch;
  warp.advanceClock();
  if (members & warp.getLive() & ~mask)
    warp.report(FindingKind::Divergence, mask,
                "threads that the mask names are elsewhere");
}

static bool decodeNamed(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  operation.handler =
      llvm::StringSwitch<Handler>(instruction.opcode)
          .Cases({"bar.sync", "barrier.sync", "barrier.sync.aligned",
                  "barrier.cta.sync.aligned"},
                 syncNamed)
          .Cases({"bar.arrive", "barrier.arrive", "barrier.arrive.aligned",
                  "barrier.cta.arrive.aligned"},
                 arriveNamed)
          .Case("bar.warp.sync", syncWarp)
          .Default(nullptr);
  if (!operation.handler)
    return decoder.error("this opcode is not emulated");
  size_t count = instruction.operands.size();
  if (count < 1 || count > 2)
    return decoder.error("expected one or two operands");
  for (size_t at = 0; at < count; ++at)
    if (decoder.source(instruction.operands[at], RegisterFile::B32,
                       operation.slots[at]))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Memory barriers
//===----------------------------------------------------------------------===//

static MemoryBarrier *findBarrier(Warp &warp, const Operation &operation,
                                  unsigned lane) {
  uint32_t offset = warp.getSharedOffset(operation, 0, lane);
  auto found = warp.block.memoryBarriers.find(offset);
  if (found == warp.block.memoryBarriers.end()) {
    warp.report(
        FindingKind::Barrier, 1u << lane,
        llvm::formatv("no mbarrier was initialised at {0}", offset).str());
    return nullptr;
  }
  MemoryBarrier &barrier = found->second;
  if (warp.block.checks &&
      warp.knowledge.generic.get(barrier.initAgent) < barrier.initClock &&
      barrier.initAgent != warp.index)
    warp.report(FindingKind::Race, 1u << lane,
                llvm::formatv("nothing orders it after the initialisation of "
                              "the mbarrier at {0}",
                              offset)
                    .str());
  return &barrier;
}

/// slots: address, count.
static void initBarrier(Warp &warp, const Operation &operation, uint32_t mask) {
  constexpr unsigned bytes = 8;
  Block &block = warp.block;
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    uint32_t offset = warp.getSharedOffset(operation, 0, lane);
    uint32_t count = warp.slots32(operation.slots[1])[lane];
    if (count == 0 || count >= 1u << 20) {
      warp.report(FindingKind::Barrier, 1u << lane,
                  llvm::formatv("an mbarrier of {0} arrivals, expected 1 to "
                                "{1}",
                                count, (1u << 20) - 1)
                      .str());
      continue;
    }
    if (!block.access(warp, Space::Shared, offset, bytes, AccessMode::Write,
                      lane))
      continue;
    size_t number = block.memoryBarriers.size();
    auto [entry, isNew] = block.memoryBarriers.insert({offset, {}});
    MemoryBarrier &barrier = entry->second;
    Agent agent = isNew ? block.getBarrierAgent(number) : barrier.agent;
    uint32_t phases = barrier.completedPhases;
    barrier = MemoryBarrier();
    barrier.agent = agent;
    // Phases count on, so that an agent's clock never goes back; parities do
    // start anew.
    barrier.completedPhases = phases + (phases & 1);
    barrier.count = barrier.pending = count;
    barrier.initAgent = warp.index;
    barrier.initClock = warp.clock;
  }
}

static void arriveAt(Warp &warp, MemoryBarrier &barrier, unsigned lane,
                     uint32_t count) {
  if (count > barrier.pending) {
    warp.report(FindingKind::Barrier, 1u << lane,
                llvm::formatv("{0} arrivals at an mbarrier whose phase lacks "
                              "{1}",
                              count, barrier.pending)
                    .str());
    count = barrier.pending;
  }
  barrier.pending -= count;
  barrier.arriving.join(warp.knowledge);
  warp.block.updateBarrier(barrier);
}

/// slots: address, count or bytes, state.
template <bool isExpecting>
static void arriveBarrier(Warp &warp, const Operation &operation,
                          uint32_t mask) {
  constexpr int64_t maxBytes = (1 << 20) - 1;
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    MemoryBarrier *barrier = findBarrier(warp, operation, lane);
    if (!barrier)
      continue;
    uint32_t count = 1;
    if (operation.slots[1] != Operation::none) {
      uint32_t value = warp.slots32(operation.slots[1])[lane];
      if (isExpecting)
        barrier->bytes += value;
      else
        count = value;
    }
    if (barrier->bytes > maxBytes)
      warp.report(FindingKind::Barrier, 1u << lane,
                  llvm::formatv("{0} bytes are expected in one phase of an "
                                "mbarrier, more than {1}",
                                barrier->bytes, maxBytes)
                      .str());
    if (operation.slots[2] != Operation::none)
      warp.slots64(operation.slots[2])[lane] = barrier->completedPhases;
    arriveAt(warp, *barrier, lane, count);
  }
  warp.advanceClock();
}

static void expectBytes(Warp &warp, const Operation &operation, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (MemoryBarrier *barrier = findBarrier(warp, operation, lane)) {
      barrier->bytes += warp.slots32(operation.slots[1])[lane];
      warp.block.updateBarrier(*barrier);
    }
  }
}

/// slots: address, parity, result. A wait that may time out blocks here: that
/// it fails in between is one of the schedules.
template <bool mayBlock>
static void testBarrier(Warp &warp, const Operation &operation, uint32_t mask) {
  uint32_t &result = warp.predicate(operation.slots[2]);
  Block &block = warp.block;
  uint32_t blocked = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    MemoryBarrier *barrier = findBarrier(warp, operation, lane);
    uint32_t parity = warp.slots32(operation.slots[1])[lane] & 1;
    bool isComplete = !barrier || (barrier->completedPhases & 1) != parity;
    result = (result & ~(1u << lane)) | uint32_t(isComplete) << lane;
    if (isComplete && barrier)
      warp.knowledge.join(barrier->completed);
    if (!isComplete)
      blocked |= 1u << lane;
  }
  if (!blocked)
    return;
  bool timesOut =
      block.launch.options.schedule == Schedule::Random && block.random(4) == 0;
  if (!mayBlock || blocked != mask || timesOut) {
    warp.yieldGroup();
    return;
  }
  unsigned lane = llvm::countr_zero(blocked);
  warp.wait({Wait::Kind::MemoryBarrier,
             warp.getSharedOffset(operation, 0, lane),
             warp.slots32(operation.slots[1])[lane] & 1, 0},
            /*again=*/true);
}

static bool decodeMemoryBarrier(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::ArrayRef<Operand> operands = instruction.operands;
  llvm::SmallVector<llvm::StringRef, 10> parts;
  instruction.opcode.split(parts, '.');
  if (parts.size() < 2)
    return decoder.error("this opcode is not emulated");
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front(2)) {
    bool isKnown = llvm::StringSwitch<bool>(part)
                       .Cases({"shared", "shared::cta", "b64", "parity"}, true)
                       .Cases({"expect_tx", "release", "acquire", "cta"}, true)
                       .Default(false);
    if (!isKnown)
      return decoder.error("'" + part + "' is not emulated");
  }
  llvm::StringRef kind = parts[1];
  if (kind == "init") {
    operation.handler = initBarrier;
    return decoder.expectOperands(2) || decoder.address(operands[0], 0) ||
           decoder.source(operands[1], RegisterFile::B32, operation.slots[1]);
  }
  if (kind == "inval") {
    operation.handler = [](Warp &warp, const Operation &operation,
                           uint32_t mask) {
      for (; mask; mask &= mask - 1)
        warp.block.memoryBarriers.erase(
            warp.getSharedOffset(operation, 0, llvm::countr_zero(mask)));
    };
    return decoder.expectOperands(1) || decoder.address(operands[0], 0);
  }
  if (kind == "expect_tx") {
    operation.handler = expectBytes;
    return decoder.expectOperands(2) || decoder.address(operands[0], 0) ||
           decoder.source(operands[1], RegisterFile::B32, operation.slots[1]);
  }
  if (kind == "arrive") {
    bool isExpecting = decoder.hasModifier("expect_tx");
    operation.handler =
        isExpecting ? arriveBarrier<true> : arriveBarrier<false>;
    // The state is optional, and so is the count.
    if (!operands.empty() && operands[0].kind != Operand::Kind::Address) {
      if (decoder.destination(operands[0], RegisterFile::B64,
                              operation.slots[2], /*mayDiscard=*/true))
        return true;
      operands = operands.drop_front();
    }
    if (operands.empty() || operands.size() > 2 ||
        (isExpecting && operands.size() != 2))
      return decoder.error("expected an address, and bytes or a count");
    return decoder.address(operands[0], 0) ||
           (operands.size() == 2 &&
            decoder.source(operands[1], RegisterFile::B32, operation.slots[1]));
  }
  bool isTry = kind == "try_wait";
  if ((isTry || kind == "test_wait") && decoder.hasModifier("parity")) {
    operation.handler = isTry ? testBarrier<true> : testBarrier<false>;
    // A time limit may follow.
    if (operands.size() < 3 || operands.size() > 4)
      return decoder.error("expected a predicate, an address and a parity");
    return decoder.destination(operands[0], RegisterFile::Predicate,
                               operation.slots[2]) ||
           decoder.address(operands[1], 0) ||
           decoder.source(operands[2], RegisterFile::B32, operation.slots[1]);
  }
  return decoder.error("this opcode is not emulated");
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static void fenceProxy(Warp &warp, const Operation &, uint32_t) {
  Knowledge &knowledge = warp.knowledge;
  knowledge.async.join(knowledge.generic);
  knowledge.async.set(warp.index, warp.clock);
  knowledge.barriers.join(knowledge.async);
  warp.advanceClock();
}

static void fenceBarrierInit(Warp &warp, const Operation &, uint32_t) {
  Knowledge &knowledge = warp.knowledge;
  knowledge.barriers.join(knowledge.generic);
  knowledge.barriers.set(warp.index, warp.clock);
  warp.advanceClock();
}

static bool decodeFence(Decoder &decoder) {
  llvm::StringRef opcode = decoder.getInstruction().opcode;
  Operation &operation = decoder.operation;
  if (opcode == "fence.proxy.async" ||
      opcode == "fence.proxy.async.shared::cta" ||
      opcode == "fence.proxy.async.global")
    operation.handler = fenceProxy;
  else if (opcode == "fence.mbarrier_init.release.cluster")
    operation.handler = fenceBarrierInit;
  else if (opcode == "membar.gl" || opcode == "membar.sys" ||
           opcode == "fence.sc.gpu" || opcode == "fence.sc.sys" ||
           opcode == "fence.acq_rel.gpu" || opcode == "fence.acq_rel.sys")
    operation.handler = [](Warp &warp, const Operation &, uint32_t) {
      warp.block.fenceGrid(warp);
    };
  else if (opcode == "membar.cta" || opcode == "fence.sc.cta" ||
           opcode == "fence.acq_rel.cta")
    // Order in a block comes from its barriers.
    operation.handler = [](Warp &, const Operation &, uint32_t) {};
  else
    return decoder.error("this fence is not emulated");
  return decoder.expectOperands(0);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static void setRegisters(Warp &warp, const Operation &operation,
                         uint32_t mask) {
  if (!warp.checkWhole(mask, "setmaxnreg"))
    return;
  uint32_t count = operation.value;
  bool isIncrease = !operation.list.empty();
  uint32_t current = warp.registersPerThread;
  if (isIncrease ? count < current : count > current) {
    warp.report(
        FindingKind::InvalidOperand, mask,
        llvm::formatv("{0} registers where the thread has {1}", count, current)
            .str());
    return;
  }
  int64_t needed = (int64_t(count) - current) * Warp::lanes;
  if (needed > warp.block.freeRegisters) {
    warp.wait({Wait::Kind::Registers, 0, count, 0}, /*again=*/true);
    return;
  }
  warp.block.freeRegisters -= needed;
  warp.registersPerThread = count;
}

static bool decodeRegisters(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  bool isIncrease = decoder.hasModifier("inc");
  if (!isIncrease && !decoder.hasModifier("dec"))
    return decoder.error("this opcode is not emulated");
  if (isIncrease)
    operation.list.push_back(1);
  operation.handler = setRegisters;
  if (decoder.expectOperands(1) ||
      decoder.immediate(instruction.operands[0], operation.value))
    return true;
  int64_t count = operation.value;
  if (count >= 24 && count <= 256 && count % 8 == 0)
    return false;
  return decoder.error("found " + llvm::Twine(count) +
                       ", expected a multiple of 8 from 24 to 256");
}

bool coda::emulator::decodeBarrier(Decoder &decoder) {
  llvm::StringRef family = decoder.getInstruction().opcode.split('.').first;
  if (family == "mbarrier")
    return decodeMemoryBarrier(decoder);
  if (family == "fence" || family == "membar")
    return decodeFence(decoder);
  if (family == "setmaxnreg")
    return decodeRegisters(decoder);
  return decodeNamed(decoder);
}
