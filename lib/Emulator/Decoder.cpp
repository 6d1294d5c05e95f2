//===- Decoder.cpp - From parsed instructions to operations ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "Warp.h"

#include "llvm/ADT/StringSwitch.h"

using namespace coda::emulator;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decoder::error(const Twine &text) {
  if (message.empty())
    message = ("line " + Twine(instruction->line) + ": " + instruction->opcode +
               ": " + text)
                  .str();
  return true;
}

bool Decoder::hasModifier(StringRef modifier) const {
  llvm::SmallVector<StringRef, 12> parts;
  instruction->opcode.split(parts, '.');
  return llvm::is_contained(llvm::ArrayRef(parts).drop_front(), modifier);
}

bool Decoder::expectOperands(size_t count) {
  if (instruction->operands.size() == count)
    return false;
  return error("found " + Twine(instruction->operands.size()) +
               " operands, expected " + Twine(count));
}

uint32_t Decoder::getConstant32(uint32_t value) {
  auto [found, isNew] = constants32.insert({value, program.numSlots32});
  if (isNew)
    program.constants32.push_back({program.numSlots32++, value});
  return found->second;
}

uint32_t Decoder::getConstant64(uint64_t value) {
  auto [found, isNew] = constants64.insert({value, program.numSlots64});
  if (isNew)
    program.constants64.push_back({program.numSlots64++, value});
  return found->second;
}

bool Decoder::getSpecial(StringRef name, uint32_t &slot) {
  using S = SpecialRegister;
  auto special = llvm::StringSwitch<std::optional<S>>(name)
                     .Case("%tid.x", S::ThreadX)
                     .Case("%tid.y", S::ThreadY)
                     .Case("%tid.z", S::ThreadZ)
                     .Case("%ntid.x", S::BlockThreadsX)
                     .Case("%ntid.y", S::BlockThreadsY)
                     .Case("%ntid.z", S::BlockThreadsZ)
                     .Case("%ctaid.x", S::BlockX)
                     .Case("%ctaid.y", S::BlockY)
                     .Case("%ctaid.z", S::BlockZ)
                     .Case("%nctaid.x", S::GridX)
                     .Case("%nctaid.y", S::GridY)
                     .Case("%nctaid.z", S::GridZ)
                     .Case("%laneid", S::Lane)
                     .Case("%warpid", S::WarpIndex)
                     .Cases({"%cluster_ctarank", "%cluster_ctaid.x",
                             "%cluster_ctaid.y", "%cluster_ctaid.z"},
                            S::Zero)
                     .Cases({"%cluster_nctarank", "%cluster_nctaid.x",
                             "%cluster_nctaid.y", "%cluster_nctaid.z"},
                            S::One)
                     .Default(std::nullopt);
  if (!special)
    return error("special register '" + name + "' is not emulated");
  auto [found, isNew] = specials.insert({*special, program.numSlots32});
  if (isNew)
    program.specials.push_back({program.numSlots32++, *special});
  slot = found->second;
  return false;
}

static StringRef stringify(RegisterFile file) {
  switch (file) {
  case RegisterFile::Predicate:
    return "a predicate";
  case RegisterFile::B32:
    return "32 bits or less";
  case RegisterFile::B64:
    return "64 bits";
  }
  llvm_unreachable("all files are covered");
}

bool Decoder::source(const Operand &operand, RegisterFile file,
                     uint32_t &slot) {
  if (operand.negated)
    return error("a negated source is not emulated");
  switch (operand.kind) {
  case Operand::Kind::Register:
    if (operand.reg.file != file)
      return error("'" + operand.name + "' has " + stringify(operand.reg.file) +
                   ", expected " + stringify(file));
    slot = operand.reg.index;
    if (file == RegisterFile::B32)
      operation.reads.push_back(slot);
    return false;
  case Operand::Kind::Float32:
  case Operand::Kind::Float64: {
    // Which would have to be converted.
    bool isOther =
        file == (operand.kind == Operand::Kind::Float32 ? RegisterFile::B64
                                                        : RegisterFile::B32);
    if (isOther)
      return error("a float of another width, expected " + stringify(file));
    break;
  }
  case Operand::Kind::Integer:
  case Operand::Kind::Symbol:
    break;
  case Operand::Kind::Special:
    if (file == RegisterFile::B32)
      return getSpecial(operand.name, slot);
    return error("special register '" + operand.name + "' has 32 bits");
  default:
    return error("an operand that is neither a register nor a number");
  }
  int64_t value = operand.value;
  if (operand.kind == Operand::Kind::Symbol) {
    if (const Parameter *found = program.kernel->findParameter(operand.name))
      value += found->offset;
    else
      value += program.kernel->findShared(operand.name)->offset;
  }
  switch (file) {
  case RegisterFile::Predicate:
    return error("a number in the place of a predicate");
  case RegisterFile::B32:
    slot = getConstant32(static_cast<uint32_t>(value));
    return false;
  case RegisterFile::B64:
    slot = getConstant64(static_cast<uint64_t>(value));
    return false;
  }
  llvm_unreachable("all files are covered");
}

bool Decoder::destination(const Operand &operand, RegisterFile file,
                          uint32_t &slot, bool mayDiscard) {
  slot = Operation::none;
  if (operand.kind == Operand::Kind::Discard)
    return !mayDiscard && error("a result that is thrown away");
  if (operand.kind != Operand::Kind::Register || operand.negated)
    return error("a destination that is no register");
  if (operand.reg.file != file)
    return error("'" + operand.name + "' has " + stringify(operand.reg.file) +
                 ", expected " + stringify(file));
  slot = operand.reg.index;
  if (file == RegisterFile::B32)
    operation.writes.push_back(slot);
  return false;
}

bool Decoder::address(const Operand &operand, unsigned at,
                      bool hasCoordinates) {
  if (operand.kind != Operand::Kind::Address)
    return error("expected an address in brackets");
  if (!hasCoordinates && operand.elements.size() != 1)
    return error("coordinates where an address is expected");
  const Operand &base = operand.elements.front();
  operation.offsets[at] = operand.value;
  RegisterFile file = RegisterFile::B64;
  if (base.kind == Operand::Kind::Register)
    file = base.reg.file;
  if (file == RegisterFile::Predicate)
    return error("a predicate in the place of an address");
  operation.isWide[at] = file == RegisterFile::B64;
  return source(base, file, operation.slots[at]);
}

bool Decoder::immediate(const Operand &operand, int64_t &value) {
  if (operand.kind != Operand::Kind::Integer)
    return error("expected an integer that is known now");
  value = operand.value;
  return false;
}

bool Decoder::registerList(const Operand &operand, RegisterFile file,
                           bool isWrite, bool mayDiscard) {
  llvm::ArrayRef<Operand> elements = operand;
  if (operand.kind == Operand::Kind::Vector)
    elements = operand.elements;
  for (const Operand &element : elements) {
    uint32_t slot;
    if (isWrite ? destination(element, file, slot, mayDiscard)
                : source(element, file, slot))
      return true;
    operation.list.push_back(slot);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

const llvm::StringMap<LaneOpcode> &coda::emulator::getLaneOpcodes() {
  static const llvm::StringMap<LaneOpcode> opcodes = [] {
    llvm::StringMap<LaneOpcode> made;
    addIntegerOpcodes(made);
    addFloatOpcodes(made);
    addConversionOpcodes(made);
    return made;
  }();
  return opcodes;
}

bool Decoder::decodeLaneOpcode(const LaneOpcode &opcode) {
  if (expectOperands(1 + opcode.operands.size()))
    return true;
  operation.handler = opcode.handler;
  for (auto [at, file] : llvm::enumerate(opcode.operands))
    if (source(instruction->operands[1 + at], file, operation.slots[1 + at]))
      return true;
  return destination(instruction->operands[0], opcode.result,
                     operation.slots[0]);
}

bool Decoder::decodeInstruction() {
  using Decode = bool (*)(Decoder &);
  const llvm::StringMap<LaneOpcode> &opcodes = getLaneOpcodes();
  auto found = opcodes.find(instruction->opcode);
  if (found != opcodes.end())
    return decodeLaneOpcode(found->second);
  auto decode =
      llvm::StringSwitch<Decode>(instruction->opcode.split('.').first)
          .Case("mov", decodeMove)
          .Cases({"bra", "ret", "exit", "trap", "nanosleep", "griddepcontrol"},
                 decodeControl)
          .Cases({"ld", "st", "atom", "red", "prefetch"}, decodeMemory)
          .Cases({"shfl", "vote", "activemask", "elect", "redux"}, decodeWarp)
          .Cases(
              {"bar", "barrier", "mbarrier", "fence", "membar", "setmaxnreg"},
              decodeBarrier)
          .Case("cp", decodeBulkCopy)
          .Cases({"ldmatrix", "stmatrix"}, decodeMatrix)
          .Case("wgmma", decodeWgmma)
          .Default(nullptr);
  if (!decode)
    return error("this opcode is not emulated");
  return decode(*this);
}

llvm::Error Decoder::run() {
  const Kernel &kernel = *program.kernel;
  program.numPredicates = kernel.numRegisters[0];
  program.numSlots32 = kernel.numRegisters[1];
  program.numSlots64 = kernel.numRegisters[2];
  for (const Instruction &next : kernel.instructions) {
    instruction = &next;
    operation = Operation();
    operation.line = next.line;
    if (next.guard)
      operation.guard = next.guard->index;
    operation.guardNegated = next.guardNegated;
    if (decodeInstruction())
      return llvm::createStringError(message);
    program.operations.push_back(std::move(operation));
  }
  // A body may end without a return.
  operation = Operation();
  operation.line = kernel.instructions.empty()
                       ? kernel.line
                       : kernel.instructions.back().line;
  operation.isExit = true;
  operation.handler = [](Warp &warp, const Operation &, uint32_t mask) {
    warp.exit(mask);
  };
  program.operations.push_back(std::move(operation));
  findMeetings(program.operations);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>>
coda::emulator::decode(const Module &module, const Kernel &kernel) {
  auto program = std::make_unique<Program>();
  program->module = &module;
  program->kernel = &kernel;
  if (llvm::Error error = Decoder(*program).run())
    return std::move(error);
  return std::move(program);
}
