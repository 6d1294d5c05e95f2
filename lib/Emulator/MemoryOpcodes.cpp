//===- MemoryOpcodes.cpp - Loads, stores and atomic operations ------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace coda::emulator;

/// What a load gives after a finding.
static constexpr uint64_t poison = 0xffffffffffffffff;

/// One value of memory as a register holds it.
template <typename T> static T fromMemory(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
static void load(Warp &warp, const Operation &operation, uint32_t mask) {
  unsigned count = operation.list.size();
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    const uint8_t *memory = warp.block.access(
        warp, operation.space, warp.getAddress(operation, 0, lane),
        count * sizeof(T), AccessMode::Read, lane);
    for (unsigned at = 0; at < count; ++at) {
      uint32_t slot = operation.list[at];
      if (slot == Operation::none)
        continue;
      T value = memory ? fromMemory<T>(memory + at * sizeof(T)) : T(poison);
      if (sizeof(T) == 8 || operation.hasWideValues)
        warp.slots64(slot)[lane] =
            std::is_signed_v<T> ? static_cast<uint64_t>(int64_t(value)) : value;
      else
        warp.slots32(slot)[lane] =
            std::is_signed_v<T> ? static_cast<uint32_t>(int32_t(value)) : value;
    }
  }
}

template <typename T>
static void store(Warp &warp, const Operation &operation, uint32_t mask) {
  unsigned count = operation.list.size();
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    uint8_t *memory = warp.block.access(
        warp, operation.space, warp.getAddress(operation, 0, lane),
        count * sizeof(T), AccessMode::Write, lane);
    for (unsigned at = 0; memory && at < count; ++at) {
      uint32_t slot = operation.list[at];
      T value = sizeof(T) == 8 || operation.hasWideValues
                    ? warp.slots64(slot)[lane]
                    : warp.slots32(slot)[lane];
      std::memcpy(memory + at * sizeof(T), &value, sizeof(T));
    }
  }
}

/// One at a time, whatever their type.
static std::mutex atomicMutex;

/// Applies `function` to memory and slots[1], and gives the old value.
template <typename T, T (*function)(T, T)>
static void atomic(Warp &warp, const Operation &operation, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    uint8_t *memory = warp.block.access(warp, operation.space,
                                        warp.getAddress(operation, 0, lane),
                                        sizeof(T), AccessMode::Atomic, lane);
    if (!memory)
      continue;
    std::lock_guard<std::mutex> lock(atomicMutex);
    T old = fromMemory<T>(memory);
    T value = function(old, Lanes<T>(warp, operation.slots[1]).get(lane));
    std::memcpy(memory, &value, sizeof(T));
    if (operation.slots[2] != Operation::none)
      Lanes<T>(warp, operation.slots[2]).set(lane, old);
  }
}

template <typename T> static T add(T a, T b) { return a + b; }
template <typename T> static T minimum(T a, T b) { return std::min(a, b); }
template <typename T> static T maximum(T a, T b) { return std::max(a, b); }
template <typename T> static T exchange(T, T b) { return b; }
static uint32_t bitAnd(uint32_t a, uint32_t b) { return a & b; }
static uint32_t bitOr(uint32_t a, uint32_t b) { return a | b; }
static uint32_t increment(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static std::optional<Space> getSpace(llvm::StringRef part) {
  return llvm::StringSwitch<std::optional<Space>>(part)
      .Case("global", Space::Global)
      .Cases({"shared", "shared::cta"}, Space::Shared)
      .Cases({"param", "param::entry"}, Space::Parameter)
      .Default(std::nullopt);
}

/// Parts of an opcode that say how, not what. Ordering between blocks, which
/// acquire and release would give, is not modelled.
static bool isHint(llvm::StringRef part) {
  return llvm::StringSwitch<bool>(part)
      .Cases({"volatile", "nc", "weak", "ca", "cg", "cs", "lu", "cv"}, true)
      .Cases({"L1::no_allocate", "L1::evict_first", "L1::evict_last"}, true)
      .Cases({"L2::64B", "L2::128B", "L2::256B"}, true)
      .Default(false);
}

struct MemoryType {
  Handler load, store;
  RegisterFile file;
};

static std::optional<MemoryType> getType(llvm::StringRef type) {
  using Type = std::optional<MemoryType>;
  RegisterFile b32 = RegisterFile::B32, b64 = RegisterFile::B64;
  MemoryType bytes = {load<uint8_t>, store<uint8_t>, b32};
  MemoryType signedBytes = {load<int8_t>, store<uint8_t>, b32};
  MemoryType halves = {load<uint16_t>, store<uint16_t>, b32};
  MemoryType signedHalves = {load<int16_t>, store<uint16_t>, b32};
  MemoryType words = {load<uint32_t>, store<uint32_t>, b32};
  MemoryType doubles = {load<uint64_t>, store<uint64_t>, b64};
  return llvm::StringSwitch<Type>(type)
      .Cases({"b8", "u8"}, bytes)
      .Case("s8", signedBytes)
      .Cases({"b16", "u16"}, halves)
      .Case("s16", signedHalves)
      .Cases({"b32", "u32", "s32", "f32"}, words)
      .Cases({"b64", "u64", "s64", "f64"}, doubles)
      .Default(std::nullopt);
}

static Handler getAtomic(llvm::StringRef function, llvm::StringRef type) {
  return llvm::StringSwitch<Handler>((function + "." + type).str())
      .Cases({"add.u32", "add.s32"}, atomic<uint32_t, add<uint32_t>>)
      .Cases({"add.u64", "add.s64"}, atomic<uint64_t, add<uint64_t>>)
      .Case("add.f32", atomic<float, add<float>>)
      .Case("add.f64", atomic<double, add<double>>)
      .Case("min.u32", atomic<uint32_t, minimum<uint32_t>>)
      .Case("min.s32", atomic<int32_t, minimum<int32_t>>)
      .Case("max.u32", atomic<uint32_t, maximum<uint32_t>>)
      .Case("max.s32", atomic<int32_t, maximum<int32_t>>)
      .Case("exch.b32", atomic<uint32_t, exchange<uint32_t>>)
      .Case("exch.b64", atomic<uint64_t, exchange<uint64_t>>)
      .Case("and.b32", atomic<uint32_t, bitAnd>)
      .Case("or.b32", atomic<uint32_t, bitOr>)
      .Case("inc.u32", atomic<uint32_t, increment>)
      .Default(nullptr);
}

static bool decodeAtomic(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  instruction.opcode.split(parts, '.');
  bool hasResult = parts.front() == "atom";
  if (parts.size() < 3 || decoder.expectOperands(hasResult ? 3 : 2))
    return decoder.error("expected an operation and a type");
  llvm::StringRef type = parts.pop_back_val();
  llvm::StringRef function = parts.pop_back_val();
  operation.handler = getAtomic(function, type);
  if (!operation.handler)
    return decoder.error("this atomic operation is not emulated");
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (std::optional<Space> space = getSpace(part))
      operation.space = *space;
    else if (part != "relaxed" && part != "gpu" && part != "cta" &&
             part != "sys")
      return decoder.error("'" + part + "' is not emulated");
  }
  RegisterFile file =
      type.ends_with("64") ? RegisterFile::B64 : RegisterFile::B32;
  llvm::ArrayRef<Operand> operands = instruction.operands;
  if (hasResult) {
    if (decoder.destination(operands.front(), file, operation.slots[2],
                            /*mayDiscard=*/true))
      return true;
    operands = operands.drop_front();
  }
  return decoder.address(operands[0], 0) ||
         decoder.source(operands[1], file, operation.slots[1]);
}

bool coda::emulator::decodeMemory(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  instruction.opcode.split(parts, '.');
  if (parts.front() == "atom" || parts.front() == "red")
    return decodeAtomic(decoder);
  if (parts.front() == "prefetch") {
    operation.handler = [](Warp &, const Operation &, uint32_t) {};
    return false;
  }
  if (decoder.expectOperands(2))
    return true;
  std::optional<MemoryType> type = getType(parts.pop_back_val());
  if (!type)
    return decoder.error("this type is not emulated");
  unsigned count = 1;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (part == "v2" || part == "v4")
      count = part == "v2" ? 2 : 4;
    else if (std::optional<Space> space = getSpace(part))
      operation.space = *space;
    else if (!isHint(part))
      return decoder.error("'" + part + "' is not emulated");
  }
  bool isLoad = parts.front() == "ld";
  if (!isLoad && operation.space == Space::Parameter)
    return decoder.error("parameters are read only");
  operation.handler = isLoad ? type->load : type->store;
  const Operand &value = instruction.operands[isLoad ? 0 : 1];
  const Operand &first =
      value.kind == Operand::Kind::Vector && !value.elements.empty()
          ? value.elements.front()
          : value;
  // A register may be wider than what it holds.
  RegisterFile file = type->file;
  if (first.kind == Operand::Kind::Register &&
      first.reg.file == RegisterFile::B64 && file == RegisterFile::B32) {
    file = RegisterFile::B64;
    operation.hasWideValues = true;
  }
  if (decoder.registerList(value, file, isLoad, /*mayDiscard=*/true) ||
      decoder.address(instruction.operands[isLoad ? 1 : 0], 0))
    return true;
  if (operation.list.size() == count)
    return false;
  return decoder.error("found " + llvm::Twine(operation.list.size()) +
                       " registers, expected " + llvm::Twine(count));
}
