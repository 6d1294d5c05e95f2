//===- WarpOpcodes.cpp - What the threads of a warp do together -----------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

using namespace coda::emulator;

/// The threads that a mask names must all be here.
static bool checkMembers(Warp &warp, uint32_t members, uint32_t mask) {
  ++warp.epoch;
  uint32_t missing = members & warp.getLive() & ~mask;
  if (!missing && (members & mask) == mask)
    return true;
  warp.report(FindingKind::Divergence, mask,
              missing ? "threads that the mask names are elsewhere"
                      : "a thread is not in its own mask");
  return false;
}

enum class ShuffleKind { Index, Butterfly, Up, Down };

/// slots: result, value, lane, clamp, members; list: a predicate, if any.
template <ShuffleKind kind>
static void shuffle(Warp &warp, const Operation &operation, uint32_t mask) {
  const uint32_t *values = warp.slots32(operation.slots[1]);
  const uint32_t *lanes = warp.slots32(operation.slots[2]);
  const uint32_t *clamps = warp.slots32(operation.slots[3]);
  const uint32_t *members = warp.slots32(operation.slots[4]);
  checkMembers(warp, members[llvm::countr_zero(mask)], mask);
  std::array<uint32_t, Warp::lanes> results;
  uint32_t inRange = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    int segment = clamps[lane] >> 8 & 0x1f;
    int clamp = clamps[lane] & 0x1f;
    int operand = lanes[lane] & 0x1f;
    int last = (int(lane) & segment) | (clamp & ~segment);
    int first = int(lane) & segment;
    int from = lane;
    bool isInside = false;
    switch (kind) {
    case ShuffleKind::Index:
      from = first | (operand & ~segment);
      isInside = from <= last;
      break;
    case ShuffleKind::Butterfly:
      from = int(lane) ^ operand;
      isInside = from <= last;
      break;
    case ShuffleKind::Up:
      from = int(lane) - operand;
      isInside = from >= last;
      break;
    case ShuffleKind::Down:
      from = int(lane) + operand;
      isInside = from <= last;
      break;
    }
    if (!isInside)
      from = lane;
    if (!(mask >> from & 1))
      warp.report(FindingKind::Divergence, 1u << lane,
                  "a thread takes a value of lane " + llvm::Twine(from) +
                      ", which does not execute this");
    results[lane] = values[from];
    inRange |= uint32_t(isInside) << lane;
  }
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if (operation.slots[0] != Operation::none)
      warp.slots32(operation.slots[0])[lane] = results[lane];
  }
  if (!operation.list.empty() && operation.list[0] != Operation::none) {
    uint32_t &predicate = warp.predicate(operation.list[0]);
    predicate = (predicate & ~mask) | (inRange & mask);
  }
}

static bool decodeShuffle(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef opcode = instruction.opcode;
  if (opcode == "shfl.sync.idx.b32")
    operation.handler = shuffle<ShuffleKind::Index>;
  else if (opcode == "shfl.sync.bfly.b32")
    operation.handler = shuffle<ShuffleKind::Butterfly>;
  else if (opcode == "shfl.sync.up.b32")
    operation.handler = shuffle<ShuffleKind::Up>;
  else if (opcode == "shfl.sync.down.b32")
    operation.handler = shuffle<ShuffleKind::Down>;
  else
    return decoder.error("this opcode is not emulated");
  if (decoder.expectOperands(5))
    return true;
  Operand result = instruction.operands[0];
  if (result.kind == Operand::Kind::Vector) {
    if (result.elements.size() != 2)
      return decoder.error("expected a result and a predicate");
    uint32_t predicate;
    if (decoder.destination(result.elements[1], RegisterFile::Predicate,
                            predicate, /*mayDiscard=*/true))
      return true;
    operation.list.push_back(predicate);
    Operand value = result.elements[0];
    result = value;
  }
  if (decoder.destination(result, RegisterFile::B32, operation.slots[0],
                          /*mayDiscard=*/true))
    return true;
  for (unsigned at = 1; at < 5; ++at)
    if (decoder.source(instruction.operands[at], RegisterFile::B32,
                       operation.slots[at]))
      return true;
  return false;
}

enum class VoteKind { Ballot, All, Any };

/// slots: result, predicate, members. A negated predicate is in `value`.
template <VoteKind kind>
static void vote(Warp &warp, const Operation &operation, uint32_t mask) {
  uint32_t members = warp.slots32(operation.slots[2])[llvm::countr_zero(mask)];
  checkMembers(warp, members, mask);
  uint32_t voters = warp.predicate(operation.slots[1]);
  voters = (operation.value ? ~voters : voters) & members & mask;
  if (kind == VoteKind::Ballot) {
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      warp.slots32(operation.slots[0])[llvm::countr_zero(rest)] = voters;
    return;
  }
  bool holds = kind == VoteKind::Any ? voters != 0 : voters == (members & mask);
  uint32_t &result = warp.predicate(operation.slots[0]);
  result = (result & ~mask) | (holds ? mask : 0);
}

static bool decodeVote(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef opcode = instruction.opcode;
  RegisterFile file = RegisterFile::Predicate;
  if (opcode == "vote.sync.ballot.b32") {
    operation.handler = vote<VoteKind::Ballot>;
    file = RegisterFile::B32;
  } else if (opcode == "vote.sync.all.pred") {
    operation.handler = vote<VoteKind::All>;
  } else if (opcode == "vote.sync.any.pred") {
    operation.handler = vote<VoteKind::Any>;
  } else {
    return decoder.error("this opcode is not emulated");
  }
  if (decoder.expectOperands(3))
    return true;
  Operand predicate = instruction.operands[1];
  operation.value = std::exchange(predicate.negated, false);
  return decoder.destination(instruction.operands[0], file,
                             operation.slots[0]) ||
         decoder.source(predicate, RegisterFile::Predicate,
                        operation.slots[1]) ||
         decoder.source(instruction.operands[2], RegisterFile::B32,
                        operation.slots[2]);
}

/// slots: lane, members; list: the predicate.
static void elect(Warp &warp, const Operation &operation, uint32_t mask) {
  uint32_t members = warp.slots32(operation.slots[1])[llvm::countr_zero(mask)];
  if (!checkMembers(warp, members, mask) && !(members & mask))
    return;
  uint32_t leader = llvm::countr_zero(members & mask);
  uint32_t &predicate = warp.predicate(operation.list[0]);
  predicate = (predicate & ~mask) | (1u << leader & mask);
  if (operation.slots[0] == Operation::none)
    return;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    warp.slots32(operation.slots[0])[llvm::countr_zero(rest)] = leader;
}

bool coda::emulator::decodeWarp(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Operation &operation = decoder.operation;
  llvm::StringRef opcode = instruction.opcode;
  if (opcode.starts_with("shfl."))
    return decodeShuffle(decoder);
  if (opcode.starts_with("vote."))
    return decodeVote(decoder);
  if (opcode == "activemask.b32") {
    operation.handler = [](Warp &warp, const Operation &operation,
                           uint32_t mask) {
      for (uint32_t rest = mask; rest; rest &= rest - 1)
        warp.slots32(operation.slots[0])[llvm::countr_zero(rest)] = mask;
    };
    return decoder.expectOperands(1) ||
           decoder.destination(instruction.operands[0], RegisterFile::B32,
                               operation.slots[0]);
  }
  if (opcode != "elect.sync")
    return decoder.error("this opcode is not emulated");
  if (decoder.expectOperands(2))
    return true;
  const Operand &results = instruction.operands[0];
  if (results.kind != Operand::Kind::Vector || results.elements.size() != 2)
    return decoder.error("expected a lane and a predicate");
  operation.handler = elect;
  operation.list.resize(1);
  return decoder.destination(results.elements[0], RegisterFile::B32,
                             operation.slots[0], /*mayDiscard=*/true) ||
         decoder.destination(results.elements[1], RegisterFile::Predicate,
                             operation.list[0]) ||
         decoder.source(instruction.operands[1], RegisterFile::B32,
                        operation.slots[1]);
}
