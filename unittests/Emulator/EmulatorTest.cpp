//===- EmulatorTest.cpp - Small kernels on the emulated GPU ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace coda::emulator;
namespace test = coda::emulator::test;
using namespace test;

std::string Outcome::describe() const {
  std::string all = error;
  for (const Finding &finding : findings)
    all += finding.format() + "\n";
  return all;
}

std::string SmallKernel::getText() const {
  std::string text = ".version 8.4\n.target sm_90a\n.address_size 64\n";
  if (sharedBytes)
    text += ".extern .shared .align 1024 .b8 dynamic[];\n";
  text += globals;
  text += ".visible .entry kernel(.param .u64 out, .param .u64 in";
  if (map)
    text += ", .param .align 64 .b8 map[128]";
  text += ")\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<16>;\n"
          ".reg .f32 %f<16>;\n.reg .b64 %rd<16>;\n.reg .f64 %d<16>;\n"
          ".reg .b64 %out, %in, %map;\nld.param.u64 %out, [out];\n"
          "ld.param.u64 %in, [in];\n";
  if (map)
    text += "mov.b64 %map, map;\ncvta.param.u64 %map, %map;\n";
  return text + body + "\nret;\n}\n";
}

Outcome SmallKernel::run() const {
  Outcome outcome;
  outcome.text = getText();
  auto fail = [&](llvm::Error error) {
    outcome.error = llvm::toString(std::move(error));
    return outcome;
  };
  auto module = parseModule(outcome.text);
  if (!module)
    return fail(module.takeError());
  DeviceOptions limited = options;
  limited.hostThreads = 1;
  limited.maxOperations = std::min<uint64_t>(options.maxOperations, 1 << 24);
  Device device(limited);
  uint64_t out = llvm::cantFail(device.allocate(outputBytes));
  uint64_t in =
      llvm::cantFail(device.allocate(std::max<size_t>(input.size(), 16)));
  if (!input.empty())
    llvm::cantFail(device.copyToDevice(in, input.data(), input.size()));
  std::vector<const void *> parameters = {&out, &in};
  std::vector<uint8_t> encoded(TensorMap::encodedBytes);
  if (map) {
    TensorMap placed = *map;
    placed.address = mapsOutput ? out : in;
    if (auto error = encodeTensorMap(placed, encoded.data())) {
      outcome.error = *error;
      return outcome;
    }
    parameters.push_back(encoded.data());
  }
  LaunchConfig config;
  config.grid[0] = blocks;
  config.block[0] = threads;
  config.dynamicSharedBytes = sharedBytes;
  const Kernel &kernel = (*module)->kernels.front();
  auto statistics = device.launch(**module, kernel, config, parameters);
  if (!statistics)
    return fail(statistics.takeError());
  outcome.findings = device.getFindings().take();
  outcome.output.resize(outputBytes);
  llvm::cantFail(device.copyToHost(outcome.output.data(), out, outputBytes));
  return outcome;
}

unsigned test::findLine(const std::string &text, const std::string &part) {
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return 1 + std::count(text.begin(), text.begin() + std::min(at, text.size()),
                        '\n');
}

TensorMap test::makeMap(std::vector<uint32_t> sizes, std::vector<uint16_t> box,
                        unsigned elementBytes, unsigned swizzleBytes) {
  TensorMap map;
  map.rank = sizes.size();
  map.elementBytes = elementBytes;
  map.swizzleBytes = swizzleBytes;
  uint64_t stride = elementBytes;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    map.strides[dim] = stride;
    map.lastIndices[dim] = sizes[dim] - 1;
    map.box[dim] = box[dim];
    stride *= sizes[dim];
  }
  return map;
}

//===----------------------------------------------------------------------===//
// One opcode
//===----------------------------------------------------------------------===//

/// A register of a type, and how to get it from and into 64 bits.
static std::string getRegister(const std::string &type, unsigned number) {
  std::string bank = type == "pred"  ? "%p"
                     : type == "b16" ? "%h"
                     : type == "b32" ? "%r"
                                     : "%rd";
  return bank + std::to_string(number);
}

static std::string loadOperand(const std::string &type, unsigned number,
                               size_t offset) {
  std::string from = "[%in+" + std::to_string(offset) + "];\n";
  std::string reg = getRegister(type, number);
  if (type == "pred")
    return "ld.global.u32 %r15, " + from + "setp.ne.u32 " + reg +
           ", %r15, 0;\n";
  return "ld.global." + type + " " + reg + ", " + from;
}

static std::string storeResult(const std::string &type) {
  std::string reg = getRegister(type, 0);
  if (type == "pred")
    return "selp.u32 %r15, 1, 0, " + reg + ";\nst.global.u32 [%out], %r15;\n";
  return "st.global." + type + " [%out], " + reg + ";\n";
}

std::vector<uint64_t> test::runOpcode(const std::string &opcode,
                                      const std::string &result,
                                      const std::vector<std::string> &operands,
                                      const std::vector<Case> &cases) {
  constexpr unsigned lanes = 32;
  std::vector<uint64_t> results;
  for (size_t first = 0; first < cases.size(); first += lanes) {
    size_t count = std::min<size_t>(lanes, cases.size() - first);
    std::vector<uint64_t> values(operands.size() * lanes);
    SmallKernel kernel;
    kernel.body = "mov.u32 %r14, %tid.x;\nmul.wide.u32 %rd14, %r14, 8;\n"
                  "add.s64 %out, %out, %rd14;\nadd.s64 %in, %in, %rd14;\n"
                  // Every lane writes all of its 8 bytes.
                  "mov.b64 %rd13, 0;\nst.global.b64 [%out], %rd13;\n";
    std::string list = getRegister(result, 0);
    for (size_t at = 0; at < operands.size(); ++at) {
      for (size_t lane = 0; lane < lanes; ++lane)
        values[at * lanes + lane] = cases[first + lane % count].operands[at];
      kernel.body += loadOperand(operands[at], at + 1, at * lanes * 8);
      list += ", " + getRegister(operands[at], at + 1);
    }
    kernel.body += opcode + " " + list + ";\n" + storeResult(result);
    kernel.input = toBytes(values);
    Outcome outcome = kernel.run();
    EXPECT_EQ(outcome.describe(), "") << opcode;
    if (!outcome.describe().empty())
      return std::vector<uint64_t>(cases.size());
    for (size_t lane = 0; lane < count; ++lane)
      results.push_back(outcome.get<uint64_t>(lane));
  }
  return results;
}

void test::checkOpcode(const std::string &opcode, const std::string &result,
                       const std::vector<std::string> &operands,
                       const std::vector<Case> &cases) {
  std::vector<uint64_t> results = runOpcode(opcode, result, operands, cases);
  for (size_t at = 0; at < cases.size(); ++at) {
    std::string values;
    for (uint64_t operand : cases[at].operands)
      values += " 0x" + llvm::utohexstr(operand);
    EXPECT_EQ(results[at], cases[at].result)
        << opcode << values << " gives 0x" << llvm::utohexstr(results[at])
        << ", expected 0x" << llvm::utohexstr(cases[at].result);
  }
}
