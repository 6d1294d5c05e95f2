//===- Decoder.h - From parsed instructions to operations -------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_DECODER_H
#define CODA_LIB_EMULATOR_DECODER_H

#include "Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <map>

namespace coda::emulator {

/// An opcode that computes each lane for itself.
struct LaneOpcode {
  Handler handler;
  RegisterFile result;
  llvm::SmallVector<RegisterFile, 4> operands;
};

/// All of them, by their full names.
const llvm::StringMap<LaneOpcode> &getLaneOpcodes();
void addIntegerOpcodes(llvm::StringMap<LaneOpcode> &opcodes);
void addFloatOpcodes(llvm::StringMap<LaneOpcode> &opcodes);
void addConversionOpcodes(llvm::StringMap<LaneOpcode> &opcodes);

/// Decodes one instruction at a time. Functions that return bool give true on
/// failure, after error().
class Decoder {
public:
  Decoder(Program &program) : program(program) {}

  llvm::Error run();

  bool error(const llvm::Twine &text);
  const Instruction &getInstruction() const { return *instruction; }
  /// What follows the first part of the opcode.
  bool hasModifier(llvm::StringRef modifier) const;
  bool expectOperands(size_t count);

  bool source(const Operand &operand, RegisterFile file, uint32_t &slot);
  /// A register. Only with `mayDiscard` it may be `_`, which gives none.
  bool destination(const Operand &operand, RegisterFile file, uint32_t &slot,
                   bool mayDiscard = false);
  /// Base in slots[at], offset in offsets[at].
  bool address(const Operand &operand, unsigned at,
               bool hasCoordinates = false);
  bool immediate(const Operand &operand, int64_t &value);
  /// Appends the registers of a vector to the operation's list.
  bool registerList(const Operand &operand, RegisterFile file, bool isWrite,
                    bool mayDiscard = false);

  /// The operation that is being made.
  Operation operation;

private:
  bool decodeInstruction();
  bool decodeLaneOpcode(const LaneOpcode &opcode);
  uint32_t getConstant32(uint32_t value);
  uint32_t getConstant64(uint64_t value);
  bool getSpecial(llvm::StringRef name, uint32_t &slot);

  Program &program;
  const Instruction *instruction = nullptr;
  std::string message;
  std::map<uint32_t, uint32_t> constants32;
  std::map<uint64_t, uint32_t> constants64;
  std::map<SpecialRegister, uint32_t> specials;
};

/// Fills in where threads meet that a branch parts.
void findMeetings(std::vector<Operation> &operations);

/// Families of opcodes that do more. Each is known by its first part.
bool decodeMove(Decoder &decoder);
bool decodeControl(Decoder &decoder);
bool decodeMemory(Decoder &decoder);
bool decodeWarp(Decoder &decoder);
bool decodeBarrier(Decoder &decoder);
bool decodeBulkCopy(Decoder &decoder);
bool decodeMatrix(Decoder &decoder);
bool decodeWgmma(Decoder &decoder);

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_DECODER_H
