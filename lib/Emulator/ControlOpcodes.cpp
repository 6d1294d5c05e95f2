//===- ControlOpcodes.cpp - Moves, branches and ends ----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

template <typename T> static T copy(T a) { return a; }

/// Calls with every lane of a mask.
template <typename Function>
static void forEachLane(uint32_t mask, Function &&function) {
  for (; mask; mask &= mask - 1)
    function(llvm::countr_zero(mask));
}

/// slots[0] of 32 or 64 bits from the list, whose parts are equally wide.
template <typename Whole, unsigned partBits>
static void packParts(Warp &warp, const Operation &operation, uint32_t mask) {
  Lanes<Whole> whole(warp, operation.slots[0]);
  forEachLane(mask, [&](unsigned lane) {
    Whole value = 0;
    for (auto [at, slot] : llvm::enumerate(operation.list)) {
      uint32_t part = warp.slots32(slot)[lane];
      if (partBits < 32)
        part &= (1u << partBits % 32) - 1;
      value |= Whole(part) << (at * partBits);
    }
    whole.set(lane, value);
  });
}

template <typename Whole, unsigned partBits>
static void unpackParts(Warp &warp, const Operation &operation, uint32_t mask) {
  Lanes<Whole> whole(warp, operation.slots[0]);
  forEachLane(mask, [&](unsigned lane) {
    Whole value = whole.get(lane);
    for (auto [at, slot] : llvm::enumerate(operation.list)) {
      uint32_t part = static_cast<uint32_t>(value >> (at * partBits));
      if (partBits < 32)
        part &= (1u << partBits % 32) - 1;
      if (slot != Operation::none)
        warp.slots32(slot)[lane] = part;
    }
  });
}

bool coda::emulator::decodeMove(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (decoder.expectOperands(2))
    return true;
  llvm::StringRef type = instruction.opcode.split('.').second;
  const Operand &to = instruction.operands[0], &from = instruction.operands[1];
  Operation &operation = decoder.operation;
  RegisterFile file = RegisterFile::B32;
  if (type == "pred")
    file = RegisterFile::Predicate;
  else if (type.ends_with("64"))
    file = RegisterFile::B64;
  else if (!type.ends_with("32") && !type.ends_with("16"))
    return decoder.error("this type is not emulated");

  bool isPack = from.kind == Operand::Kind::Vector;
  bool isUnpack = to.kind == Operand::Kind::Vector;
  if (!isPack && !isUnpack) {
    operation.handler =
        file == RegisterFile::Predicate ? LaneFunction<copy<bool>>::run
        : file == RegisterFile::B64     ? LaneFunction<copy<uint64_t>>::run
                                        : LaneFunction<copy<uint32_t>>::run;
    return decoder.source(from, file, operation.slots[1]) ||
           decoder.destination(to, file, operation.slots[0]);
  }
  const Operand &parts = isPack ? from : to;
  size_t count = parts.elements.size();
  bool isWide = file == RegisterFile::B64;
  if (isWide && count == 2)
    operation.handler =
        isPack ? packParts<uint64_t, 32> : unpackParts<uint64_t, 32>;
  else if (isWide && count == 4)
    operation.handler =
        isPack ? packParts<uint64_t, 16> : unpackParts<uint64_t, 16>;
  else if (file == RegisterFile::B32 && type == "b32" && count == 2)
    operation.handler =
        isPack ? packParts<uint32_t, 16> : unpackParts<uint32_t, 16>;
  else
    return decoder.error("a vector of " + llvm::Twine(count) +
                         " parts is not emulated");
  if (isPack)
    return decoder.registerList(from, RegisterFile::B32, /*isWrite=*/false) ||
           decoder.destination(to, file, operation.slots[0]);
  return decoder.registerList(to, RegisterFile::B32, /*isWrite=*/true,
                              /*mayDiscard=*/true) ||
         decoder.source(from, file, operation.slots[0]);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

bool coda::emulator::decodeControl(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  llvm::StringRef opcode = instruction.opcode;
  Operation &operation = decoder.operation;
  if (opcode == "bra" || opcode == "bra.uni") {
    if (decoder.expectOperands(1))
      return true;
    const Operand &label = instruction.operands[0];
    if (label.kind != Operand::Kind::Label)
      return decoder.error("expected a label");
    operation.value = label.value;
    operation.isBranch = true;
    operation.handler = [](Warp &warp, const Operation &operation,
                           uint32_t mask) {
      warp.jump(operation.value, mask, operation.meeting);
    };
    return false;
  }
  if (opcode == "ret" || opcode == "ret.uni" || opcode == "exit") {
    operation.isExit = true;
    operation.handler = [](Warp &warp, const Operation &, uint32_t mask) {
      warp.exit(mask);
    };
    return decoder.expectOperands(0);
  }
  if (opcode == "trap") {
    operation.handler = [](Warp &warp, const Operation &, uint32_t mask) {
      warp.report(FindingKind::InvalidOperand, mask, "the kernel traps");
      warp.block.launch.stop = true;
      warp.abandon();
    };
    return decoder.expectOperands(0);
  }
  // Nothing here takes time, and the launch before is over.
  if (opcode.starts_with("nanosleep.") ||
      opcode.starts_with("griddepcontrol.")) {
    operation.handler = [](Warp &warp, const Operation &, uint32_t) {
      warp.yieldGroup();
    };
    return false;
  }
  return decoder.error("this opcode is not emulated");
}
