//===- BulkCopyOpcodes.cpp - Bulk tensor copies ---------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"
#include "coda/Emulator/TensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace coda::emulator;

namespace {

/// A box of a tensor on its way from or to shared memory.
struct BoxCopy {
  Block &block;
  TensorMap map;
  std::array<int64_t, TensorMap::maxRank> coordinates = {0, 0, 0, 0, 0};
  uint32_t offset;
  unsigned line;
  int32_t thread;

  /// Calls with the start in shared memory, before the swizzle, and the global
  /// address and the bytes of what lies inside of each row of the box: from
  /// byte `begin` of the row to byte `end`.
  template <typename Function> void forEachRow(Function &&function) const;
  /// The allocation that a row belongs to, null after a finding.
  Allocation *findRow(uint64_t address, size_t bytes) const;
  uint8_t *getShared(uint32_t rowOffset, uint32_t byte) const {
    return block.shared.at(
        swizzle(offset + rowOffset + byte, map.swizzleBytes));
  }
};

template <typename Function>
void BoxCopy::forEachRow(Function &&function) const {
  uint32_t rowBytes = map.box[0] * map.elementBytes;
  uint32_t numRows = map.getBoxBytes() / rowBytes;
  int64_t innerSize = int64_t(map.lastIndices[0]) + 1;
  int64_t first = std::clamp<int64_t>(-coordinates[0], 0, map.box[0]);
  int64_t last =
      std::clamp<int64_t>(innerSize - coordinates[0], first, map.box[0]);
  for (uint32_t row = 0; row < numRows; ++row) {
    uint32_t rest = row;
    bool isInside = true;
    uint64_t address =
        map.address + (coordinates[0] + first) * int64_t(map.elementBytes);
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      int64_t at = coordinates[dim] + rest % map.box[dim];
      rest /= map.box[dim];
      isInside &= at >= 0 && at <= int64_t(map.lastIndices[dim]);
      address += at * map.strides[dim];
    }
    uint32_t begin = first * map.elementBytes;
    uint32_t end = isInside ? last * map.elementBytes : begin;
    function(row * rowBytes, address, begin, end);
  }
}

Allocation *BoxCopy::findRow(uint64_t address, size_t bytes) const {
  Allocation *allocation = block.findAllocation(address, bytes);
  if (!allocation)
    block.report(FindingKind::OutOfBounds, line, thread,
                 "a row of the box " + block.launch.memory.describe(address),
                 address);
  return allocation;
}

class BulkLoad : public AsyncOperation {
public:
  BulkLoad(const BoxCopy &copy, uint32_t barrier)
      : copy(copy), barrierOffset(barrier) {}

  bool step() override {
    copy.forEachRow(
        [&](uint32_t rowOffset, uint64_t address, uint32_t begin,
            uint32_t end) { loadRow(rowOffset, address, begin, end); });
    auto found = copy.block.memoryBarriers.find(barrierOffset);
    if (found == copy.block.memoryBarriers.end())
      return true;
    MemoryBarrier &barrier = found->second;
    barrier.bytes -= copy.map.getBoxBytes();
    if (barrier.pending == 0 && barrier.bytes < 0) {
      copy.block.report(FindingKind::Barrier, copy.line, copy.thread,
                        llvm::Twine(-barrier.bytes) +
                            " more bytes arrive than the phase expects");
      barrier.bytes = 0;
    }
    copy.block.updateBarrier(barrier);
    return true;
  }

private:
  void loadRow(uint32_t rowOffset, uint64_t address, uint32_t begin,
               uint32_t end) {
    uint32_t rowBytes = copy.map.box[0] * copy.map.elementBytes;
    const Allocation *allocation =
        begin < end ? copy.findRow(address, end - begin) : nullptr;
    constexpr uint32_t chunk = 16;
    for (uint32_t byte = 0; byte < rowBytes; byte += chunk) {
      uint8_t *to = copy.getShared(rowOffset, byte);
      uint32_t bytes = std::min(chunk, rowBytes - byte);
      fillOutside(to, bytes);
      uint32_t from = std::max(byte, begin),
               until = std::min(byte + bytes, end);
      if (allocation && from < until)
        std::memcpy(to + (from - byte),
                    allocation->at(address + (from - begin)), until - from);
    }
  }

  void fillOutside(uint8_t *to, uint32_t bytes) {
    std::memset(to, 0, bytes);
    if (!copy.map.fillsWithNaN)
      return;
    // The quiet NaN of all ones but the sign.
    for (uint32_t byte = 0; byte < bytes; ++byte)
      to[byte] = byte % copy.map.elementBytes == copy.map.elementBytes - 1u
                     ? 0x7f
                     : 0xff;
  }

  BoxCopy copy;
  uint32_t barrierOffset;
};

class BulkStore : public AsyncOperation {
public:
  BulkStore(const BoxCopy &copy, std::shared_ptr<BulkGroups::BulkGroup> group)
      : copy(copy), group(std::move(group)) {}

  bool step() override {
    if (box.empty()) {
      read();
      --group->unread;
      return false;
    }
    write();
    --group->unwritten;
    return true;
  }

private:
  void read() {
    box.resize(copy.map.getBoxBytes());
    uint32_t rowBytes = copy.map.box[0] * copy.map.elementBytes;
    constexpr uint32_t chunk = 16;
    for (uint32_t row = 0; row < box.size(); row += rowBytes)
      for (uint32_t byte = 0; byte < rowBytes; byte += chunk)
        std::memcpy(&box[row + byte], copy.getShared(row, byte),
                    std::min(chunk, rowBytes - byte));
  }

  void write() {
    copy.forEachRow([&](uint32_t rowOffset, uint64_t address, uint32_t begin,
                        uint32_t end) {
      if (begin == end)
        return;
      if (Allocation *allocation = copy.findRow(address, end - begin))
        std::memcpy(allocation->at(address), &box[rowOffset + begin],
                    end - begin);
    });
  }

  BoxCopy copy;
  std::shared_ptr<BulkGroups::BulkGroup> group;
  std::vector<uint8_t> box;
};

} // namespace

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

/// The copy that a lane asks for: the tensor map is at slots[0], the box in
/// shared memory at slots[1], coordinates in the list.
static std::optional<BoxCopy> makeCopy(Warp &warp, const Operation &operation,
                                       unsigned lane) {
  Block &block = warp.block;
  uint64_t address = warp.getAddress(operation, 0, lane);
  const std::vector<uint8_t> &parameters = block.launch.parameters;
  uint64_t at = address - parameterWindow;
  TensorMap map;
  if (at < windowBytes && at + sizeof(TensorMap) <= parameters.size())
    std::memcpy(&map, parameters.data() + at, sizeof(TensorMap));
  else
    map.magic = 0;
  auto refuse = [&](FindingKind kind, const llvm::Twine &message,
                    uint64_t address) -> std::optional<BoxCopy> {
    warp.report(kind, 1u << lane, message, address);
    return std::nullopt;
  };
  if (map.magic != TensorMap::magicNumber)
    return refuse(FindingKind::InvalidOperand,
                  "there is no tensor map in the parameters", address);
  if (std::optional<std::string> error = findTensorMapError(map))
    return refuse(FindingKind::InvalidOperand, *error, address);
  if (map.rank != operation.list.size())
    return refuse(FindingKind::InvalidOperand,
                  llvm::formatv("{0} coordinates for a tensor map of {1} "
                                "dimensions",
                                operation.list.size(), map.rank)
                      .str(),
                  0);
  constexpr uint64_t alignment = 128;
  uint64_t offset = warp.getSharedOffset(operation, 1, lane);
  if (offset % alignment != 0)
    return refuse(FindingKind::Misaligned,
                  "a box in shared memory, expected a multiple of 128", offset);
  // What a swizzle moves stays in its 128 bytes.
  uint64_t bytes = map.getBoxBytes();
  if (map.swizzleBytes)
    bytes = llvm::alignTo(bytes, alignment);
  if (!block.shared.contains(offset, bytes))
    return refuse(FindingKind::OutOfBounds,
                  llvm::formatv("a box of {0} bytes in {1} bytes of shared "
                                "memory",
                                map.getBoxBytes(), block.shared.size())
                      .str(),
                  offset);
  BoxCopy copy = {block,
                  map,
                  {},
                  uint32_t(offset),
                  operation.line,
                  int32_t(warp.index * Warp::lanes + lane)};
  for (auto [dim, slot] : llvm::enumerate(operation.list))
    copy.coordinates[dim] = int32_t(warp.slots32(slot)[lane]);
  return copy;
}

/// Notes the accesses of a copy when it starts: nothing may rely on how far it
/// is until somebody has waited for it.
static void noteCopy(const Warp &warp, const BoxCopy &copy,
                     const Accessor &shared, const Accessor &global,
                     bool isLoad) {
  Block &block = copy.block;
  if (!block.checks)
    return;
  block.noteShared(shared, copy.offset, copy.map.getBoxBytes(), isLoad,
                   copy.thread);
  copy.forEachRow(
      [&](uint32_t, uint64_t address, uint32_t begin, uint32_t end) {
        if (begin == end)
          return;
        if (Allocation *allocation = block.findAllocation(address, end - begin))
          block.noteGlobal(warp, global, *allocation, address, end - begin,
                           isLoad ? AccessMode::Read : AccessMode::Write,
                           copy.thread);
      });
}

/// slots: tensor map, box, mbarrier.
static void startLoad(Warp &warp, const Operation &operation, uint32_t mask) {
  Block &block = warp.block;
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    std::optional<BoxCopy> copy = makeCopy(warp, operation, lane);
    if (!copy)
      continue;
    uint32_t offset = warp.getSharedOffset(operation, 2, lane);
    auto found = block.memoryBarriers.find(offset);
    if (found == block.memoryBarriers.end()) {
      warp.report(FindingKind::Barrier, 1u << lane,
                  "no mbarrier was initialised at " + llvm::Twine(offset));
      continue;
    }
    MemoryBarrier &barrier = found->second;
    if (block.checks &&
        warp.knowledge.barriers.get(barrier.initAgent) < barrier.initClock)
      warp.report(FindingKind::MissingProxyFence, 1u << lane,
                  "no fence.mbarrier_init lies between it and the "
                  "initialisation of the mbarrier at " +
                      llvm::Twine(offset));
    barrier.loadPhase = barrier.completedPhases + 1;
    barrier.loadLine = operation.line;
    Accessor accessor = warp.getAccessor();
    accessor.agent = barrier.agent;
    accessor.clock = barrier.loadPhase;
    accessor.isAsync = true;
    noteCopy(warp, *copy, accessor, accessor, /*isLoad=*/true);
    block.start(std::make_unique<BulkLoad>(*copy, offset));
  }
}

/// slots: tensor map, box.
static void startStore(Warp &warp, const Operation &operation, uint32_t mask) {
  Block &block = warp.block;
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    std::optional<BoxCopy> copy = makeCopy(warp, operation, lane);
    if (!copy)
      continue;
    std::shared_ptr<BulkGroups::BulkGroup> group = warp.bulkGroups[lane].open;
    ++group->unread;
    ++group->unwritten;
    group->clock = ++warp.bulkClock;
    warp.bulkLine = operation.line;
    Accessor reads = warp.getAccessor();
    reads.agent = block.getBulkReadAgent(warp);
    reads.clock = warp.bulkClock;
    reads.isAsync = true;
    Accessor writes = reads;
    writes.agent = block.getBulkWriteAgent(warp);
    noteCopy(warp, *copy, reads, writes, /*isLoad=*/false);
    block.start(std::make_unique<BulkStore>(*copy, group));
  }
}

static void commitGroup(Warp &warp, const Operation &, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    BulkGroups &bulk = warp.bulkGroups[llvm::countr_zero(mask)];
    bulk.groups.push_back(
        std::exchange(bulk.open, std::make_shared<BulkGroups::BulkGroup>()));
  }
}

template <bool isRead>
static void waitGroups(Warp &warp, const Operation &operation, uint32_t mask) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    BulkGroups &bulk = warp.bulkGroups[lane];
    size_t count = operation.value;
    size_t awaited =
        bulk.groups.size() > count ? bulk.groups.size() - count : 0;
    for (size_t at = 0; at < awaited; ++at) {
      const BulkGroups::BulkGroup &group = *bulk.groups[at];
      if (isRead ? group.unread : group.unwritten) {
        warp.wait({isRead ? Wait::Kind::BulkGroupsRead : Wait::Kind::BulkGroups,
                   lane, uint32_t(count), 0},
                  /*again=*/true);
        return;
      }
      warp.knowledge.learn(warp.block.getBulkReadAgent(warp), group.clock);
      if (!isRead)
        warp.knowledge.learn(warp.block.getBulkWriteAgent(warp), group.clock);
    }
    while (!bulk.groups.empty() && awaited-- > 0 &&
           bulk.groups.front()->unwritten == 0)
      bulk.groups.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// `[map, {coordinates}]`
static bool decodeTensor(Decoder &decoder, const Operand &operand,
                         unsigned rank) {
  if (decoder.address(operand, 0, /*hasCoordinates=*/true))
    return true;
  if (operand.elements.size() != 1 + rank)
    return decoder.error("found " + llvm::Twine(operand.elements.size() - 1) +
                         " coordinates, expected " + llvm::Twine(rank));
  for (const Operand &coordinate : llvm::drop_begin(operand.elements)) {
    uint32_t slot;
    if (decoder.source(coordinate, RegisterFile::B32, slot))
      return true;
    decoder.operation.list.push_back(slot);
  }
  return false;
}

bool coda::emulator::decodeBulkCopy(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef rest = instruction.opcode;
  llvm::ArrayRef<Operand> operands = instruction.operands;
  if (!rest.consume_front("cp.async.bulk."))
    return decoder.error("this opcode is not emulated");
  if (rest == "commit_group") {
    operation.handler = commitGroup;
    return decoder.expectOperands(0);
  }
  if (rest == "wait_group" || rest == "wait_group.read") {
    operation.handler =
        rest == "wait_group" ? waitGroups<false> : waitGroups<true>;
    if (decoder.expectOperands(1) ||
        decoder.immediate(operands[0], operation.value))
      return true;
    return operation.value < 0 && decoder.error("a negative count");
  }
  bool isPrefetch = rest.consume_front("prefetch.");
  if (!rest.consume_front("tensor.") || rest.size() < 3 ||
      !llvm::isDigit(rest[0]))
    return decoder.error("this opcode is not emulated");
  unsigned rank = rest[0] - '0';
  if (rank < 1 || rank > TensorMap::maxRank ||
      !rest.drop_front().consume_front("d."))
    return decoder.error("expected 1d. to 5d.");
  llvm::SmallVector<llvm::StringRef, 8> parts;
  rest.drop_front(3).split(parts, '.');
  bool isLoad =
      parts.front() == "shared::cluster" || parts.front() == "shared::cta";
  // Where in the caches something stays changes no result.
  bool hasHint = llvm::is_contained(parts, "L2::cache_hint");
  for (llvm::StringRef part : parts)
    if (!llvm::is_contained({"shared::cluster", "shared::cta", "global", "tile",
                             "mbarrier::complete_tx::bytes", "bulk_group",
                             "L2::cache_hint", "L2"},
                            part))
      return decoder.error("'" + part + "' is not emulated");
  if (isPrefetch) {
    operation.handler = [](Warp &, const Operation &, uint32_t) {};
    return false;
  }
  if (decoder.expectOperands((isLoad ? 3 : 2) + hasHint))
    return true;
  operation.handler = isLoad ? startLoad : startStore;
  if (isLoad)
    return decoder.address(operands[0], 1) ||
           decodeTensor(decoder, operands[1], rank) ||
           decoder.address(operands[2], 2);
  return decodeTensor(decoder, operands[0], rank) ||
         decoder.address(operands[1], 1);
}
