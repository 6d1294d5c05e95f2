//===- EmulatorTest.h - Small kernels on the emulated GPU -------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_UNITTESTS_EMULATOR_EMULATORTEST_H
#define CODA_UNITTESTS_EMULATOR_EMULATORTEST_H

#include "coda/Emulator/Device.h"
#include "coda/Emulator/TensorMap.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace coda::emulator::test {

/// What a kernel of one launch wrote and what was found.
struct Outcome {
  /// An error that kept the kernel from running.
  std::string error;
  std::vector<Finding> findings;
  std::vector<uint8_t> output;
  std::string text;

  template <typename T> T get(size_t at) const {
    T value;
    std::memcpy(&value, output.data() + at * sizeof(T), sizeof(T));
    return value;
  }
  /// All findings, a line each; empty if all is well.
  std::string describe() const;
};

/// A kernel with parameters `out` and `in`, addresses in global memory that
/// `%out` and `%in` hold, and registers `%p`, `%h`, `%r`, `%f`, `%rd` and `%d`
/// of 16 each.
struct SmallKernel {
  std::string body;
  std::vector<uint8_t> input = {};
  size_t outputBytes = 4096;
  uint32_t threads = 32;
  uint32_t blocks = 1;
  uint32_t sharedBytes = 0;
  /// At module scope, before the entry.
  std::string globals = {};
  /// Passed as the parameter `map`, its address that of the input, or of the
  /// output if it `mapsOutput`.
  std::optional<TensorMap> map = {};
  bool mapsOutput = false;
  DeviceOptions options = {};

  std::string getText() const;
  Outcome run() const;
};

/// The line of the text, counted from 1, where `part` is first.
unsigned findLine(const std::string &text, const std::string &part);

template <typename T> std::vector<uint8_t> toBytes(const std::vector<T> &list) {
  std::vector<uint8_t> bytes(list.size() * sizeof(T));
  std::memcpy(bytes.data(), list.data(), bytes.size());
  return bytes;
}

/// A tensor map of contiguous elements; sizes and box innermost first.
TensorMap makeMap(std::vector<uint32_t> sizes, std::vector<uint16_t> box,
                  unsigned elementBytes, unsigned swizzleBytes = 0);

/// Operands and result of one lane, as bits.
struct Case {
  std::vector<uint64_t> operands;
  uint64_t result;
};

/// Executes `opcode` with every case in a lane of its own and compares bits.
/// Types are those of registers: "pred", "b16", "b32" or "b64".
void checkOpcode(const std::string &opcode, const std::string &result,
                 const std::vector<std::string> &operands,
                 const std::vector<Case> &cases);
/// The results only.
std::vector<uint64_t> runOpcode(const std::string &opcode,
                                const std::string &result,
                                const std::vector<std::string> &operands,
                                const std::vector<Case> &cases);

} // namespace coda::emulator::test

#endif // CODA_UNITTESTS_EMULATOR_EMULATORTEST_H
