//===- Program.h - A kernel, decoded ----------------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_PROGRAM_H
#define CODA_LIB_EMULATOR_PROGRAM_H

#include "coda/Emulator/PTX.h"

#include <array>

namespace coda::emulator {

class Warp;
struct Operation;

/// Executes an operation for the lanes of a mask.
using Handler = void (*)(Warp &warp, const Operation &operation, uint32_t mask);

enum class Space : uint8_t { Generic, Global, Shared, Parameter };

/// Registers, constants and special registers of a file live in numbered
/// slots of 32 lanes, so that every source is a slot.
struct Operation {
  static constexpr uint32_t none = ~0u;

  Handler handler = nullptr;
  uint32_t line = 0;
  uint32_t guard = none;
  bool guardNegated = false;
  Space space = Space::Generic;
  /// What each means is the handler's business.
  std::array<uint32_t, 5> slots = {none, none, none, none, none};
  /// For slots that are the base of an address.
  std::array<int64_t, 5> offsets = {0, 0, 0, 0, 0};
  std::array<bool, 5> isWide = {true, true, true, true, true};
  /// Values of 32 bits and less go to and come from registers of 64.
  bool hasWideValues = false;
  /// The target of a branch, a count.
  int64_t value = 0;
  /// Where threads that a branch parts meet again, if they do.
  uint32_t meeting = none;
  /// How control goes on: to the next operation, to `value`, to neither.
  bool isBranch = false, isExit = false;
  /// Further slots: vectors, coordinates, accumulators.
  std::vector<uint32_t> list;
  /// Slots of 32 bits that are read or written, for the checks of wgmma; its
  /// own accumulators are not among them.
  std::vector<uint32_t> reads, writes;
};

enum class SpecialRegister : uint8_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  BlockThreadsX,
  BlockThreadsY,
  BlockThreadsZ,
  BlockX,
  BlockY,
  BlockZ,
  GridX,
  GridY,
  GridZ,
  Lane,
  WarpIndex,
  /// Of a cluster of one block.
  Zero,
  One
};

struct Program {
  const Module *module = nullptr;
  const Kernel *kernel = nullptr;
  /// Ends with an exit.
  std::vector<Operation> operations;
  uint32_t numPredicates = 0;
  uint32_t numSlots32 = 0;
  uint32_t numSlots64 = 0;
  /// Slots that are filled once.
  std::vector<std::pair<uint32_t, uint32_t>> constants32;
  std::vector<std::pair<uint32_t, uint64_t>> constants64;
  std::vector<std::pair<uint32_t, SpecialRegister>> specials;
};

/// An error names the line and what is not emulated or not right there.
llvm::Expected<std::unique_ptr<Program>> decode(const Module &module,
                                                const Kernel &kernel);

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_PROGRAM_H
