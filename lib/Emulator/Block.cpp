//===- Block.cpp - A block of threads and what they share -----------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace coda::emulator;

/// What the hardware gives each thread at entry: a full multiprocessor's
/// registers over the block's threads, in units of 8.
static uint32_t getEntryRegisters(uint32_t threads) {
  return std::min<uint32_t>(65536 / threads / 8 * 8, 248);
}

Block::Block(Launch &launch, uint64_t linearIndex)
    : launch(launch), linearIndex(linearIndex), checks(launch.options.checks),
      shared(launch.program.kernel->fixedSharedBytes +
                 launch.config.dynamicSharedBytes,
             launch.options.checks),
      generator(launch.options.seed * 0x9e3779b97f4a7c15 + linearIndex) {
  const uint32_t *grid = launch.config.grid;
  index[0] = linearIndex % grid[0];
  index[1] = linearIndex / grid[0] % grid[1];
  index[2] = linearIndex / grid[0] / grid[1];
  const uint32_t *block = launch.config.block;
  uint32_t threads = block[0] * block[1] * block[2];
  uint32_t entryRegisters = getEntryRegisters(threads);
  freeRegisters = registersOfMultiprocessor;
  for (uint32_t first = 0; first < threads; first += Warp::lanes) {
    uint32_t present = llvm::maskTrailingOnes<uint32_t>(
        std::min(threads - first, Warp::lanes));
    warps.push_back(std::make_unique<Warp>(*this, launch.program,
                                           first / Warp::lanes, present));
    warps.back()->registersPerThread = entryRegisters;
    freeRegisters -= int64_t(entryRegisters) * Warp::lanes;
  }
  for (std::unique_ptr<Warp> &warp : warps)
    warp->knowledge.generic.set(warp->index, warp->clock);
  warpgroups.resize(llvm::divideCeil(warps.size(), Warpgroup::warps));
  chosenWarp = random(warps.size());
}

Block::~Block() = default;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void Block::report(FindingKind kind, unsigned line, int32_t thread,
                   const llvm::Twine &message, uint64_t address) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = launch.program.kernel->name.str();
  finding.line = line;
  finding.text = launch.program.module->getLine(line).str();
  std::copy(std::begin(index), std::end(index), finding.block);
  finding.thread = thread;
  finding.address = address;
  finding.seed = launch.options.seed;
  finding.message = message.str();
  launch.findings.add(std::move(finding));
}

void Block::noteShared(const Accessor &accessor, uint32_t offset, size_t bytes,
                       bool isWrite, int32_t thread) {
  auto conflict = shared.access(offset, bytes, isWrite, accessor);
  if (!conflict)
    return;
  FindingKind kind = conflict->isUninitialized ? FindingKind::Uninitialized
                     : conflict->isProxy       ? FindingKind::MissingProxyFence
                                               : FindingKind::Race;
  report(kind, accessor.line, thread,
         llvm::Twine(isWrite ? "write" : "read") + " of shared memory at " +
             llvm::Twine(conflict->offset) + ": " + conflict->message);
}

void Block::noteAtomic(Warp &warp, uint64_t address) {
  std::lock_guard<std::mutex> lock(launch.releasedMutex);
  GridKnowledge &released = launch.released[address];
  warp.acquiring.join(released);
  released.join(warp.released);
}

void Block::fenceGrid(Warp &warp) {
  warp.grid.join(warp.acquiring);
  warp.released.join(warp.grid);
  warp.released.join(getSerialNumber(), warp.knowledge.generic);
  warp.advanceClock();
}

void Block::noteGlobal(const Warp &warp, const Accessor &accessor,
                       Allocation &allocation, uint64_t address, size_t bytes,
                       AccessMode mode, int32_t thread) {
  GlobalAccessor global = {accessor, getSerialNumber(), launch.launchBase,
                           &warp.grid};
  auto conflict =
      launch.memory.access(allocation, address, bytes, mode, global);
  if (!conflict)
    return;
  FindingKind kind = conflict->isUninitialized ? FindingKind::Uninitialized
                     : conflict->isProxy       ? FindingKind::MissingProxyFence
                                               : FindingKind::Race;
  report(kind, accessor.line, thread,
         llvm::Twine(mode == AccessMode::Read ? "read" : "write") +
             " of global memory: " + conflict->message,
         conflict->address);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Allocation *Block::findAllocation(uint64_t address, size_t bytes) {
  if (!lastAllocation || !lastAllocation->contains(address, bytes))
    lastAllocation = launch.memory.find(address, bytes);
  return lastAllocation;
}

uint8_t *Block::access(Warp &warp, Space space, uint64_t address,
                       unsigned bytes, AccessMode mode, uint8_t lane) {
  uint32_t mask = lane == Accessor::wholeWarp ? warp.getLive() : 1u << lane;
  int32_t thread = lane == Accessor::wholeWarp
                       ? -1
                       : int32_t(warp.index * Warp::lanes + lane);
  if (space == Space::Generic) {
    if (address - sharedWindow < windowBytes) {
      space = Space::Shared;
      address -= sharedWindow;
    } else if (address - parameterWindow < windowBytes) {
      space = Space::Parameter;
      address -= parameterWindow;
    } else {
      space = Space::Global;
    }
  }
  if (address % bytes != 0) {
    warp.report(FindingKind::Misaligned, mask,
                llvm::formatv("an access of {0} bytes", bytes).str(), address);
    return nullptr;
  }
  switch (space) {
  case Space::Parameter: {
    const std::vector<uint8_t> &parameters = launch.parameters;
    if (mode == AccessMode::Read && address <= parameters.size() &&
        bytes <= parameters.size() - address)
      return const_cast<uint8_t *>(parameters.data()) + address;
    warp.report(
        FindingKind::OutOfBounds, mask,
        llvm::formatv("the parameters have {0} bytes, and are read only",
                      parameters.size())
            .str(),
        address);
    return nullptr;
  }
  case Space::Shared:
    if (!shared.contains(address, bytes)) {
      warp.report(FindingKind::OutOfBounds, mask,
                  llvm::formatv("the block has {0} bytes of shared memory",
                                shared.size())
                      .str(),
                  address);
      return nullptr;
    }
    if (checks)
      noteShared(warp.getAccessor(lane), address, bytes,
                 mode != AccessMode::Read, thread);
    return shared.at(address);
  case Space::Generic:
  case Space::Global: {
    Allocation *allocation = findAllocation(address, bytes);
    if (!allocation) {
      warp.report(FindingKind::OutOfBounds, mask,
                  "it " + launch.memory.describe(address), address);
      return nullptr;
    }
    if (checks)
      noteGlobal(warp, warp.getAccessor(lane), *allocation, address, bytes,
                 mode, thread);
    if (checks && mode == AccessMode::Atomic)
      noteAtomic(warp, address);
    return allocation->at(address);
  }
  }
  llvm_unreachable("all spaces are covered");
}

//===----------------------------------------------------------------------===//
// Barriers and asynchronous operations
//===----------------------------------------------------------------------===//

void Block::updateBarrier(MemoryBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.completedPhases;
  barrier.pending = barrier.count;
  barrier.arriving.learn(barrier.agent, barrier.completedPhases);
  barrier.completed = barrier.arriving;
}

uint32_t Block::getFinishedWgmmaGroups(const Warp &warp) const {
  const std::deque<Wgmma> &wgmmas =
      warpgroups[warp.index / Warpgroup::warps].wgmmas;
  if (wgmmas.empty())
    return warp.committedWgmmaGroups;
  return std::min(warp.committedWgmmaGroups, wgmmas.front().group - 1);
}

bool Block::completesEagerly() const {
  Schedule schedule = launch.options.schedule;
  return schedule != Schedule::Random && schedule != Schedule::LateCompletions;
}

void Block::start(std::unique_ptr<AsyncOperation> operation) {
  if (completesEagerly()) {
    while (!operation->step())
      ;
    return;
  }
  pending.push_back(std::move(operation));
}

bool Block::stepAsync() {
  std::vector<size_t> ready;
  for (size_t at = 0; at < pending.size(); ++at)
    if (pending[at]->isReady())
      ready.push_back(at);
  if (ready.empty())
    return false;
  size_t at = ready[random(ready.size())];
  if (pending[at]->step())
    pending.erase(pending.begin() + at);
  return true;
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Warp *Block::chooseWarp() {
  Schedule schedule = launch.options.schedule;
  unsigned numWarps = warps.size();
  unsigned first =
      schedule == Schedule::RoundRobin ? nextWarp : random(numWarps);
  Warp *fallback = nullptr;
  Warp *choice = nullptr;
  for (unsigned at = 0; at < numWarps; ++at) {
    Warp &warp = *warps[(first + at) % numWarps];
    if (warp.hasEnded() || !warp.poll())
      continue;
    bool isStarved =
        schedule == Schedule::StarvedWarp && warp.index == chosenWarp;
    bool isFavoured =
        schedule == Schedule::FavouredWarpgroup &&
        warp.index / Warpgroup::warps == chosenWarp / Warpgroup::warps;
    if (isFavoured)
      return &warp;
    if (isStarved)
      fallback = &warp;
    else if (!choice)
      choice = &warp;
    if (choice && schedule != Schedule::FavouredWarpgroup)
      break;
  }
  if (!choice)
    choice = fallback;
  if (choice)
    nextWarp = (choice->index + 1) % numWarps;
  return choice;
}

unsigned Block::chooseBudget() {
  switch (launch.options.schedule) {
  case Schedule::Random:
    return 1 + random(64);
  case Schedule::LateCompletions:
  case Schedule::StarvedWarp:
    return 1 + random(512);
  case Schedule::RoundRobin:
  case Schedule::FavouredWarpgroup:
    break;
  }
  return 4096;
}

void Block::step() {
  if (launch.options.schedule == Schedule::Random && random(2))
    stepAsync();
  if (Warp *warp = chooseWarp()) {
    unsigned budget = chooseBudget();
    numOperations += budget;
    warp->run(budget);
    return;
  }
  if (stepAsync())
    return;
  reportDeadlock();
  isStuck = true;
}

void Block::run() {
  auto hasEnded = [](const std::unique_ptr<Warp> &warp) {
    return warp->hasEnded();
  };
  while (!llvm::all_of(warps, hasEnded) && !isStuck && !launch.stop) {
    step();
    if (numOperations <= launch.options.maxOperations)
      continue;
    report(FindingKind::Deadlock, launch.program.kernel->line, -1,
           llvm::Twine(launch.options.maxOperations) +
               " operations have not ended it");
    isStuck = true;
  }
  // One block that is stuck is enough; others may be as many as the grid has.
  if (isStuck)
    launch.stop = true;
  for (const std::unique_ptr<Warp> &warp : warps)
    launch.threadInstructions += warp->numThreadInstructions;
  if (isStuck || launch.stop)
    return;
  while (stepAsync())
    ;
  if (checks)
    reportUnfinished();
}

void Block::reportUnfinished() {
  for (const std::unique_ptr<Warp> &warp : warps) {
    const VectorClock &known = warp->knowledge.generic;
    if (known.get(getBulkReadAgent(*warp)) < warp->bulkClock)
      report(FindingKind::Race, warp->bulkLine, -1,
             "the block ends without a wait for this store to have read its "
             "shared memory");
    if (warp->awaitedWgmmaGroups < warp->committedWgmmaGroups ||
        warp->hasOpenWgmmas)
      report(FindingKind::Wgmma, launch.program.kernel->line, -1,
             "warp " + llvm::Twine(warp->index) +
                 " ends without a wait for its wgmmas");
  }
  for (const auto &[offset, barrier] : memoryBarriers) {
    bool isKnown = barrier.loadPhase == 0;
    for (const std::unique_ptr<Warp> &warp : warps)
      isKnown |=
          warp->knowledge.generic.get(barrier.agent) >= barrier.loadPhase;
    if (!isKnown)
      report(FindingKind::Race, barrier.loadLine, -1,
             "the block ends without a wait for this load, which the mbarrier "
             "at " +
                 llvm::Twine(offset) + " counts");
  }
}

std::string Block::describeWait(const Wait &wait) {
  switch (wait.kind) {
  case Wait::Kind::Nothing:
    return "nothing";
  case Wait::Kind::MemoryBarrier: {
    const MemoryBarrier &barrier = memoryBarriers[wait.value];
    return llvm::formatv("the mbarrier at {0}, phase parity {1}, which lacks "
                         "{2} arrivals and {3} bytes in phase {4}",
                         wait.value, wait.count, barrier.pending, barrier.bytes,
                         barrier.completedPhases);
  }
  case Wait::Kind::NamedBarrier: {
    const NamedBarrier &barrier = namedBarriers[wait.value];
    return llvm::formatv("barrier {0}, where {1} of {2} threads are",
                         wait.value, barrier.arrived, barrier.expected);
  }
  case Wait::Kind::WgmmaGroups:
    return "its wgmmas";
  case Wait::Kind::BulkGroups:
  case Wait::Kind::BulkGroupsRead:
    return "its bulk stores";
  case Wait::Kind::Registers:
    return llvm::formatv("{0} registers for each thread, with {1} free in the "
                         "multiprocessor",
                         wait.count, freeRegisters);
  }
  llvm_unreachable("all kinds are covered");
}

void Block::reportDeadlock() {
  std::string text;
  unsigned line = launch.program.kernel->line;
  for (const std::unique_ptr<Warp> &warp : warps)
    for (const Group &group : warp->getGroups()) {
      if (text.empty())
        line = group.wait.line;
      text += llvm::formatv("{0}warp {1} in line {2} waits for {3}",
                            text.empty() ? "" : "; ", warp->index,
                            group.wait.line, describeWait(group.wait));
    }
  report(FindingKind::Deadlock, line, -1, text);
}
