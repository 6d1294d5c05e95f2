//===- MatrixOpcodes.cpp - ldmatrix and stmatrix --------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

#include <cstring>

using namespace coda::emulator;

/// An 8 x 8 matrix of 16 bits is 8 rows of 16 bytes, whose addresses 8 lanes
/// give; lane l holds two neighbouring elements of row l / 4.
static constexpr unsigned matrixRows = 8;
static constexpr unsigned rowBytes = 16;
static constexpr unsigned lanesPerRow = 4;

using Rows = std::array<uint8_t *, matrixRows>;

/// Memory of the rows of matrix `number`; null where there was a finding.
static Rows getRows(Warp &warp, const Operation &operation, unsigned number,
                    AccessMode mode) {
  Rows rows;
  for (unsigned row = 0; row < matrixRows; ++row) {
    uint64_t address = warp.getAddress(operation, 0, number * matrixRows + row);
    rows[row] = warp.block.access(warp, operation.space, address, rowBytes,
                                  mode, Accessor::wholeWarp);
  }
  return rows;
}

/// Row and element of the halves that a lane holds of a matrix.
template <bool isTransposed>
static std::pair<unsigned, unsigned> getElement(unsigned lane, unsigned half) {
  unsigned outer = lane / lanesPerRow, inner = lane % lanesPerRow * 2 + half;
  if (isTransposed)
    return {inner, outer};
  return {outer, inner};
}

template <bool isTransposed>
static void loadMatrices(Warp &warp, const Operation &operation,
                         uint32_t mask) {
  if (!warp.checkWhole(mask, "ldmatrix"))
    return;
  for (auto [number, slot] : llvm::enumerate(operation.list)) {
    Rows rows = getRows(warp, operation, number, AccessMode::Read);
    for (unsigned lane = 0; lane < Warp::lanes; ++lane) {
      uint32_t value = 0;
      for (unsigned half = 0; half < 2; ++half) {
        auto [row, element] = getElement<isTransposed>(lane, half);
        uint16_t bits = 0xffff;
        if (rows[row])
          std::memcpy(&bits, rows[row] + element * sizeof(bits), sizeof(bits));
        value |= uint32_t(bits) << (16 * half);
      }
      warp.slots32(slot)[lane] = value;
    }
  }
}

template <bool isTransposed>
static void storeMatrices(Warp &warp, const Operation &operation,
                          uint32_t mask) {
  if (!warp.checkWhole(mask, "stmatrix"))
    return;
  for (auto [number, slot] : llvm::enumerate(operation.list)) {
    Rows rows = getRows(warp, operation, number, AccessMode::Write);
    for (unsigned lane = 0; lane < Warp::lanes; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        auto [row, element] = getElement<isTransposed>(lane, half);
        uint16_t bits = warp.slots32(slot)[lane] >> (16 * half);
        if (rows[row])
          std::memcpy(rows[row] + element * sizeof(bits), &bits, sizeof(bits));
      }
  }
}

bool coda::emulator::decodeMatrix(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  instruction.opcode.split(parts, '.');
  bool isLoad = parts.front() == "ldmatrix";
  bool isTransposed = false;
  size_t count = 0;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (part == "x1" || part == "x2" || part == "x4")
      count = part[1] - '0';
    else if (part == "trans")
      isTransposed = true;
    else if (part == "shared" || part == "shared::cta")
      operation.space = Space::Shared;
    else if (!llvm::is_contained({"sync", "aligned", "m8n8", "b16"}, part))
      return decoder.error("'" + part + "' is not emulated");
  }
  if (isLoad)
    operation.handler = isTransposed ? loadMatrices<true> : loadMatrices<false>;
  else
    operation.handler =
        isTransposed ? storeMatrices<true> : storeMatrices<false>;
  if (decoder.expectOperands(2) ||
      decoder.registerList(instruction.operands[isLoad ? 0 : 1],
                           RegisterFile::B32, isLoad) ||
      decoder.address(instruction.operands[isLoad ? 1 : 0], 0))
    return true;
  if (operation.list.size() == count)
    return false;
  return decoder.error("found " + llvm::Twine(operation.list.size()) +
                       " registers, expected " + llvm::Twine(count));
}
