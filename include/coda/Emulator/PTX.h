//===- PTX.h - A parsed PTX module ------------------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EMULATOR_PTX_H
#define CODA_EMULATOR_PTX_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace coda::emulator {

/// Where a register lives. Registers of 8 and 16 bits are the low part of one
/// of 32.
enum class RegisterFile : uint8_t { Predicate, B32, B64 };

struct Register {
  RegisterFile file = RegisterFile::B32;
  uint32_t index = 0;
  bool operator==(const Register &other) const {
    return file == other.file && index == other.index;
  }
};

struct Operand {
  enum class Kind : uint8_t {
    Register,
    Integer,
    Float32,
    Float64,
    /// The address of a variable or a parameter.
    Symbol,
    /// `%tid.x` and the like.
    Special,
    Label,
    /// `{a, b}`, or `a|b`.
    Vector,
    /// `[base + offset]`, `[base, {coordinates}]`: the base is elements[0].
    Address,
    /// `_`
    Discard
  };
  Kind kind = Kind::Discard;
  /// A predicate with `!` before it.
  bool negated = false;
  Register reg;
  /// An integer, the bits of a float, the offset of an address or symbol, the
  /// target of a label.
  int64_t value = 0;
  llvm::StringRef name;
  std::vector<Operand> elements;
};

struct Instruction {
  unsigned line = 0;
  std::optional<Register> guard;
  bool guardNegated = false;
  /// With all modifiers, as written: `add.s32`.
  llvm::StringRef opcode;
  std::vector<Operand> operands;
};

struct Parameter {
  llvm::StringRef name;
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// A variable in shared memory; the dynamic part follows the fixed one.
struct SharedVariable {
  llvm::StringRef name;
  uint32_t size = 0;
  uint32_t alignment = 1;
  bool isDynamic = false;
  uint32_t offset = 0;
};

struct Kernel {
  llvm::StringRef name;
  unsigned line = 0;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  /// 0 in a dimension that `.reqntid` does not fix.
  uint32_t requiredThreads[3] = {0, 0, 0};
  std::vector<SharedVariable> shared;
  /// Bytes of shared memory without the dynamic part.
  uint32_t fixedSharedBytes = 0;
  uint32_t numRegisters[3] = {0, 0, 0};
  std::vector<Instruction> instructions;

  const Parameter *findParameter(llvm::StringRef name) const;
  const SharedVariable *findShared(llvm::StringRef name) const;
};

/// Owns the text that the names point into.
struct Module {
  std::string text;
  llvm::StringRef target;
  std::vector<Kernel> kernels;

  const Kernel *findKernel(llvm::StringRef name) const;
  /// One line of the text, counted from 1, without white space around it.
  llvm::StringRef getLine(unsigned line) const;
};

/// Reads PTX as LLVM and nvcc print it. An error names the line.
llvm::Expected<std::unique_ptr<Module>> parseModule(llvm::StringRef text);

} // namespace coda::emulator

#endif // CODA_EMULATOR_PTX_H
