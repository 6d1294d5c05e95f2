//===- WgmmaOpcodes.cpp - Products of warpgroups --------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp computes its 16 of the 64 rows. The documents leave the rounding of
// the sums open. What an H200 does was found by experiment, and gives its bits:
// the 16 exact products and the accumulator are aligned to the largest of their
// exponents, cut off after 25 bits below it, added, and cut off to f32.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Float16.h"
#include "LaneFunction.h"
#include "coda/Emulator/TensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace coda::emulator;

static constexpr unsigned warpRows = 16;
static constexpr unsigned stepContracts = 16;
static constexpr unsigned elementBytes = 2;

namespace {

/// A matrix in shared memory, as the descriptor of 64 bits says. It is made of
/// lines of 16 bytes or, swizzled, of the span of the swizzle. A line goes
/// along the contracts of a row or, transposed, along the rows of a contract.
struct MatrixDescriptor {
  uint32_t start;
  uint32_t strideOffset, leadingOffset;
  unsigned swizzleBytes;
  unsigned baseOffset;
  bool isTransposed;

  MatrixDescriptor(uint64_t bits, bool isTransposed)
      : start((bits & 0x3fff) << 4), strideOffset((bits >> 32 & 0x3fff) << 4),
        leadingOffset((bits >> 16 & 0x3fff) << 4),
        swizzleBytes(std::array<unsigned, 4>{0, 128, 64, 32}[bits >> 62]),
        baseOffset(bits >> 49 & 7), isTransposed(isTransposed) {}

  /// Chunks of 16 bytes that hold 16 contracts of `count` rows from `first` on.
  unsigned getNumChunks(uint32_t count) const {
    return isTransposed ? stepContracts * (count / chunkElements)
                        : count * (stepContracts / chunkElements);
  }
  /// Where such a chunk is, and the row and contract of its first element.
  struct Chunk {
    uint32_t offset, row, contract;
  };
  Chunk getChunk(uint32_t first, uint32_t number) const {
    constexpr uint32_t contractChunks = stepContracts / chunkElements;
    if (!isTransposed) {
      uint32_t row = first + number / contractChunks;
      uint32_t chunk = number % contractChunks;
      return {getOffset(row, chunk), row, chunk * chunkElements};
    }
    uint32_t contract = number % stepContracts;
    uint32_t row = first + number / stepContracts * chunkElements;
    uint32_t spanElements = swizzleBytes / elementBytes;
    uint32_t offset = start + row / spanElements * leadingOffset +
                      contract / groupLines * strideOffset +
                      contract % groupLines * swizzleBytes +
                      row % spanElements * elementBytes;
    return {swizzle(offset, swizzleBytes), row, contract};
  }

  static constexpr uint32_t groupLines = 8;
  static constexpr uint32_t chunkBytes = 16;
  static constexpr uint32_t chunkElements = chunkBytes / elementBytes;

private:
  /// Of the 16 bytes of column `chunk` of a row.
  uint32_t getOffset(uint32_t row, uint32_t chunk) const {
    uint32_t group = row / groupLines, inner = row % groupLines;
    if (swizzleBytes == 0)
      return start + group * strideOffset + chunk * leadingOffset +
             inner * chunkBytes;
    return swizzle(start + group * strideOffset + inner * swizzleBytes +
                       chunk * chunkBytes,
                   swizzleBytes);
  }
};

/// What all wgmmas of an opcode share, and so the list does not have.
struct WgmmaShape {
  unsigned columns;
  bool isHalf;
  bool isLhsTransposed, isRhsTransposed;
};

} // namespace

/// operation.value: columns, and above them a bit for each other member.
static WgmmaShape getShape(const Operation &operation) {
  uint32_t bits = operation.value;
  return {bits & 0xffff, (bits >> 16 & 1) != 0, (bits >> 17 & 1) != 0,
          (bits >> 18 & 1) != 0};
}

namespace {
/// An element of lhs or rhs as sums need it.
struct Element {
  static constexpr int16_t exponentOfZero = -1000;

  explicit Element(float value = 0) : value(value) {
    if (value != 0 && std::isfinite(value))
      exponent = std::ilogb(value);
  }
  float value;
  int16_t exponent = exponentOfZero;
};
} // namespace

/// Rounds towards zero; too large a number is infinite.
static float truncateToFloat(double value) {
  float nearest = static_cast<float>(value);
  if (std::isinf(nearest) || std::fabs(double(nearest)) <= std::fabs(value))
    return nearest;
  return std::nextafter(nearest, 0.0f);
}

static float addProducts(const Element *a, const Element *b,
                         float accumulator) {
  constexpr int fractionBits = 25;
  Element start(accumulator);
  int largest = start.exponent;
  bool isFinite = std::isfinite(accumulator);
  for (unsigned k = 0; k < stepContracts; ++k) {
    largest = std::max(largest, a[k].exponent + b[k].exponent);
    isFinite &= std::isfinite(a[k].value) && std::isfinite(b[k].value);
  }
  if (!isFinite) {
    float sum = accumulator;
    for (unsigned k = 0; k < stepContracts; ++k)
      sum += a[k].value * b[k].value;
    return sum;
  }
  // Below this there are only products with zeros.
  if (largest <= Element::exponentOfZero / 2)
    return accumulator;
  double scale = std::ldexp(1.0, fractionBits - largest);
  int64_t sum = static_cast<int64_t>(accumulator * scale);
  for (unsigned k = 0; k < stepContracts; ++k)
    sum += static_cast<int64_t>(double(a[k].value) * b[k].value * scale);
  return truncateToFloat(std::ldexp(double(sum), largest - fractionBits));
}

/// Values of rows of a matrix, a row after the other. False if they are not in
/// shared memory, which was reported.
static bool readRows(SharedMemory &shared, const MatrixDescriptor &descriptor,
                     uint32_t count, bool isHalf,
                     std::vector<Element> &values) {
  constexpr uint32_t chunkBytes = MatrixDescriptor::chunkBytes;
  constexpr uint32_t chunkElements = MatrixDescriptor::chunkElements;
  values.resize(size_t(count) * stepContracts);
  for (uint32_t number = 0, e = descriptor.getNumChunks(count); number < e;
       ++number) {
    MatrixDescriptor::Chunk chunk = descriptor.getChunk(0, number);
    if (!shared.contains(chunk.offset, chunkBytes))
      return false;
    std::array<uint16_t, chunkElements> elements;
    std::memcpy(elements.data(), shared.at(chunk.offset), chunkBytes);
    Element *to = &values[chunk.row * stepContracts + chunk.contract];
    // The next element of a line is the next row where it is transposed.
    size_t step = descriptor.isTransposed ? stepContracts : 1;
    for (size_t at = 0; at < chunkElements; ++at)
      to[at * step] = Element(isHalf ? toFloat(Half{elements[at]})
                                     : toFloat(BFloat{elements[at]}));
  }
  return true;
}

/// Where a register of a lane is in the 16 rows of its warp.
static std::pair<unsigned, unsigned> getPosition(unsigned lane,
                                                 unsigned index) {
  unsigned row = lane / 4 + 8 * (index / 2 % 2);
  unsigned column = 8 * (index / 4) + 2 * (lane % 4) + index % 2;
  return {row, column};
}

static void multiply(Warp &warp, const Wgmma &wgmma, const Element *lhs,
                     const Element *rhs) {
  for (auto [index, slot] : llvm::enumerate(wgmma.operation->list)) {
    Lanes<float> accumulators(warp, slot);
    for (unsigned lane = 0; lane < Warp::lanes; ++lane) {
      auto [row, column] = getPosition(lane, index);
      float start = wgmma.accumulates ? accumulators.get(lane) : 0.0f;
      accumulators.set(lane, addProducts(lhs + row * stepContracts,
                                         rhs + column * stepContracts, start));
    }
  }
}

namespace {

/// The oldest wgmma of a warpgroup.
class WgmmaCompletion : public AsyncOperation {
public:
  WgmmaCompletion(Block &block, unsigned number, uint64_t sequence)
      : block(block), number(number), sequence(sequence) {}

  bool isReady() override {
    return block.warpgroups[number].finished == sequence;
  }

  bool step() override {
    Warpgroup &warpgroup = block.warpgroups[number];
    const Wgmma &wgmma = warpgroup.wgmmas.front();
    WgmmaShape shape = getShape(*wgmma.operation);
    MatrixDescriptor lhsDescriptor(wgmma.lhs, shape.isLhsTransposed);
    MatrixDescriptor rhsDescriptor(wgmma.rhs, shape.isRhsTransposed);
    constexpr uint32_t rows = Warpgroup::warps * warpRows;
    std::vector<Element> lhs, rhs;
    if (readRows(block.shared, lhsDescriptor, rows, shape.isHalf, lhs) &&
        readRows(block.shared, rhsDescriptor, shape.columns, shape.isHalf, rhs))
      for (unsigned part = 0; part < Warpgroup::warps; ++part)
        multiply(*block.warps[number * Warpgroup::warps + part], wgmma,
                 &lhs[part * warpRows * stepContracts], rhs.data());
    warpgroup.wgmmas.pop_front();
    ++warpgroup.finished;
    return true;
  }

private:
  Block &block;
  unsigned number;
  uint64_t sequence;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Notes what a warp's part reads, and finds descriptors that say nothing
/// sensible. False after a finding that leaves nothing to compute.
static bool checkOperand(Warp &warp, const MatrixDescriptor &descriptor,
                         uint32_t first, uint32_t count, const char *name) {
  Block &block = warp.block;
  uint32_t live = warp.getLive();
  auto refuse = [&](const llvm::Twine &reason) {
    warp.report(FindingKind::InvalidOperand, live, name + reason);
    return false;
  };
  constexpr uint32_t groupLines = MatrixDescriptor::groupLines;
  constexpr uint32_t chunkBytes = MatrixDescriptor::chunkBytes;
  if (descriptor.baseOffset != 0)
    return refuse(" has a base offset, which is not emulated");
  if (descriptor.isTransposed && descriptor.swizzleBytes == 0)
    return refuse(" is transposed and not swizzled, which is not emulated");
  uint32_t line =
      descriptor.swizzleBytes ? descriptor.swizzleBytes : chunkBytes;
  if (descriptor.strideOffset < groupLines * line &&
      (count > groupLines || descriptor.isTransposed))
    return refuse(llvm::formatv(" has {0} bytes from 8 rows to the next, but "
                                "they take {1}",
                                descriptor.strideOffset, groupLines * line)
                      .str());
  Accessor accessor = warp.getAccessor();
  accessor.agent = block.getWgmmaAgent(warp);
  accessor.clock = warp.committedWgmmaGroups + 1;
  accessor.isAsync = true;
  for (uint32_t number = 0, e = descriptor.getNumChunks(count); number < e;
       ++number) {
    MatrixDescriptor::Chunk chunk = descriptor.getChunk(first, number);
    if (!block.shared.contains(chunk.offset, chunkBytes)) {
      warp.report(FindingKind::OutOfBounds, live,
                  llvm::formatv("row {0} of {1} lies outside of the {2} bytes "
                                "of shared memory",
                                chunk.row, name, block.shared.size())
                      .str(),
                  chunk.offset);
      return false;
    }
    if (block.checks)
      block.noteShared(accessor, chunk.offset, chunkBytes, /*isWrite=*/false,
                       -1);
  }
  return true;
}

static void checkAccumulators(Warp &warp, const Operation &operation) {
  for (uint32_t slot : operation.list) {
    if (warp.wgmmaFenceTime == 0 ||
        warp.writeTimes[slot] > warp.wgmmaFenceTime) {
      warp.report(FindingKind::Wgmma, warp.getLive(),
                  "no wgmma.fence lies between it and a write of its "
                  "accumulator, or before the first wgmma");
      return;
    }
    warp.wgmmaSlots[slot] = warp.committedWgmmaGroups + 1;
  }
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// slots: descriptors of lhs and rhs, the predicate that says whether to
/// accumulate.
static void startWgmma(Warp &warp, const Operation &operation, uint32_t mask) {
  Block &block = warp.block;
  unsigned number = warp.index / Warpgroup::warps;
  unsigned part = warp.index % Warpgroup::warps;
  if (!warp.checkWhole(mask, "wgmma"))
    return;
  if ((number + 1) * Warpgroup::warps > block.warps.size()) {
    warp.report(FindingKind::Wgmma, mask,
                "a warpgroup of less than four warps executes it");
    return;
  }
  unsigned lane = llvm::countr_zero(mask);
  Wgmma wgmma = {&operation,
                 warp.slots64(operation.slots[0])[lane],
                 warp.slots64(operation.slots[1])[lane],
                 bool(warp.predicate(operation.slots[2]) >> lane & 1),
                 warp.committedWgmmaGroups + 1,
                 0};
  // Each warp checks its rows of lhs, and a part of rhs.
  WgmmaShape shape = getShape(operation);
  uint32_t groups = shape.columns / 8;
  uint32_t first = groups * part / Warpgroup::warps * 8;
  uint32_t last = groups * (part + 1) / Warpgroup::warps * 8;
  if (!checkOperand(warp, {wgmma.lhs, shape.isLhsTransposed}, part * warpRows,
                    warpRows, "lhs") ||
      !checkOperand(warp, {wgmma.rhs, shape.isRhsTransposed}, first,
                    last - first, "rhs"))
    return;
  if (block.checks)
    checkAccumulators(warp, operation);
  warp.hasOpenWgmmas = true;

  Warpgroup &warpgroup = block.warpgroups[number];
  uint64_t sequence = warp.numWgmmas++;
  size_t at = sequence - warpgroup.finished;
  if (at == warpgroup.wgmmas.size())
    warpgroup.wgmmas.push_back(wgmma);
  Wgmma &joined = warpgroup.wgmmas[at];
  bool isSame = joined.operation == &operation && joined.lhs == wgmma.lhs &&
                joined.rhs == wgmma.rhs && joined.group == wgmma.group &&
                joined.accumulates == wgmma.accumulates;
  if (!isSame)
    warp.report(FindingKind::Wgmma, mask,
                "the warps of a warpgroup execute different wgmmas: another is "
                "in line " +
                    llvm::Twine(joined.operation->line));
  if (++joined.numWarps == Warpgroup::warps)
    block.start(std::make_unique<WgmmaCompletion>(block, number, sequence));
}

static void fence(Warp &warp, const Operation &, uint32_t mask) {
  if (warp.checkWhole(mask, "wgmma.fence"))
    warp.wgmmaFenceTime = warp.time;
}

static void commit(Warp &warp, const Operation &, uint32_t mask) {
  if (!warp.checkWhole(mask, "wgmma.commit_group"))
    return;
  ++warp.committedWgmmaGroups;
  warp.hasOpenWgmmas = false;
}

static void waitGroups(Warp &warp, const Operation &operation, uint32_t mask) {
  if (!warp.checkWhole(mask, "wgmma.wait_group"))
    return;
  uint32_t count = operation.value;
  uint32_t finished = warp.block.getFinishedWgmmaGroups(warp);
  if (warp.committedWgmmaGroups - finished > count) {
    warp.wait({Wait::Kind::WgmmaGroups, 0, count, 0}, /*again=*/true);
    return;
  }
  if (warp.committedWgmmaGroups <= count)
    return;
  warp.awaitedWgmmaGroups =
      std::max(warp.awaitedWgmmaGroups, warp.committedWgmmaGroups - count);
  warp.knowledge.learn(warp.block.getWgmmaAgent(warp), warp.awaitedWgmmaGroups);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool decodeProduct(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef rest = instruction.opcode;
  unsigned columns = 0;
  if (!rest.consume_front("wgmma.mma_async.sync.aligned.m64n") ||
      rest.consumeInteger(10, columns) || columns < 8 || columns > 256 ||
      columns % 8 != 0)
    return decoder.error("expected m64n8 to m64n256");
  bool isHalf = rest == "k16.f32.f16.f16";
  if (!isHalf && rest != "k16.f32.bf16.bf16")
    return decoder.error("'" + rest + "' is not emulated");
  if (decoder.expectOperands(8))
    return true;
  llvm::ArrayRef<Operand> operands = instruction.operands;
  // Scales, and then whether lhs and rhs are transposed.
  std::array<int64_t, 4> values;
  for (size_t at = 0; at < values.size(); ++at)
    if (decoder.immediate(operands[4 + at], values[at]))
      return true;
  if (values[0] != 1 || values[1] != 1)
    return decoder.error("only scales of 1 are emulated");
  if ((values[2] | values[3]) & ~int64_t(1))
    return decoder.error("an order that is neither 0 nor 1");
  operation.value =
      columns | int64_t(isHalf) << 16 | values[2] << 17 | values[3] << 18;
  operation.handler = startWgmma;
  if (decoder.registerList(operands[0], RegisterFile::B32, /*isWrite=*/true))
    return true;
  // Accumulators in flight may be used by other wgmmas.
  operation.writes.clear();
  if (operation.list.size() != columns / 2)
    return decoder.error("found " + llvm::Twine(operation.list.size()) +
                         " accumulators, expected " + llvm::Twine(columns / 2));
  return decoder.source(operands[1], RegisterFile::B64, operation.slots[0]) ||
         decoder.source(operands[2], RegisterFile::B64, operation.slots[1]) ||
         decoder.source(operands[3], RegisterFile::Predicate,
                        operation.slots[2]);
}

bool coda::emulator::decodeWgmma(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef opcode = instruction.opcode;
  if (opcode.starts_with("wgmma.mma_async."))
    return decodeProduct(decoder);
  if (opcode == "wgmma.fence.sync.aligned") {
    operation.handler = fence;
    return decoder.expectOperands(0);
  }
  if (opcode == "wgmma.commit_group.sync.aligned") {
    operation.handler = commit;
    return decoder.expectOperands(0);
  }
  if (opcode != "wgmma.wait_group.sync.aligned")
    return decoder.error("this opcode is not emulated");
  operation.handler = waitGroups;
  if (decoder.expectOperands(1) ||
      decoder.immediate(instruction.operands[0], operation.value))
    return true;
  return operation.value < 0 && decoder.error("a negative count");
}
