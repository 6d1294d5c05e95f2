//===- EmulatorFuzz.cpp - Mutated PTX for the emulator --------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, decodes and runs mutated PTX. Bad input must give an error or a
// finding, never a crash; built with sanitizers it says more. A case depends on
// its seed and the given files only: `--first=<seed> --cases=1` repeats it.
//
//   coda-fuzz-emulator --cases=1000 test/fuzz/Inputs/*.ptx
//
//===----------------------------------------------------------------------===//

#include "coda/Emulator/Device.h"
#include "coda/Emulator/TensorMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstring>
#include <random>

namespace cl = llvm::cl;
using namespace coda::emulator;
using llvm::StringRef;

static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<PTX files>"));
static cl::opt<uint64_t> numCases("cases", cl::init(1000),
                                  cl::desc("How many cases to try"));
static cl::opt<uint64_t> firstSeed("first", cl::init(0),
                                   cl::desc("Seed of the first case"));
static cl::opt<unsigned> maxSeconds("seconds", cl::init(0),
                                    cl::desc("Stop after so long; 0: never"));
static cl::opt<bool> printCases("print", cl::desc("Print each mutated text"));

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

/// Values at the edges of what the parser and the handlers must bear.
static constexpr StringRef words[] = {
    "0",
    "1",
    "-1",
    "31",
    "32",
    "128",
    "256",
    "257",
    "4095",
    "65535",
    "65536",
    "65537",
    "1048576",
    "2147483647",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0f7FC00000",
    "0f7F800000",
    "0d7FF0000000000000",
    "0f",
    "_",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ";",
    ",",
    "!",
    "@",
    "|",
    "+",
    "-",
    "//",
    "/*",
    "\"",
    "%tid.x",
    "%nosuch",
    ".reg",
    ".shared",
    ".align",
    ".param",
    ".b8",
    ".b32",
    ".b64",
    ".pred",
    ".entry",
    ".reqntid",
    ".visible",
    "mbarrier",
    "ld",
    "st",
    "atom",
    "mov.pred",
    "mov.b32",
    "mov.b64",
    "wgmma",
    "cp.async.bulk.tensor.1d.",
    "elect.sync",
    "bra",
    "setp.eq.u32",
    "%r1",
    "%r2",
    "%rd1",
    "%rd2",
    "%p1",
    "%p2",
    "bar.sync",
    "activemask.b32",
    "vote.sync.any.pred",
    "trap",
    "ret",
};

/// Of these, those that stand where an operand does.
static constexpr StringRef values[] = {
    "0",          "1",   "-1",  "16",   "31",  "32",
    "33",         "128", "255", "4096", "_",   "65536",
    "2147483647", "-8",  "%r1", "%rd1", "%p1", "4294967295",
    "%tid.x",     "%f1", "%h1", "%d1",  "%p2", "9223372036854775807",
};

static std::vector<std::string> tokenize(StringRef text) {
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || StringRef("_$%.:").contains(c);
  };
  std::vector<std::string> tokens;
  while (!text.empty()) {
    StringRef token = text.take_while(isWord);
    if (token.empty())
      token = text.take_front(1);
    tokens.push_back(token.str());
    text = text.drop_front(token.size());
  }
  return tokens;
}

namespace {
class Mutator {
public:
  explicit Mutator(uint64_t seed) : generator(seed) {}

  std::string mutate(StringRef text) {
    std::vector<std::string> tokens = tokenize(text);
    for (unsigned left = pick(2) ? 1 : 1 + pick(4); left; --left)
      mutateTokens(tokens);
    std::string result = llvm::join(tokens, "");
    if (pick(8) == 0)
      mutateBytes(result);
    if (pick(16) == 0)
      result.resize(pick(result.size() + 1));
    return result;
  }

  size_t pick(size_t bound) { return bound ? generator() % bound : 0; }

private:
  /// Spaces are dull.
  size_t pickToken(const std::vector<std::string> &tokens) {
    size_t at = pick(tokens.size());
    for (unsigned tries = 0; tries < 16 && llvm::isSpace(tokens[at][0]);
         ++tries)
      at = pick(tokens.size());
    return at;
  }

  static bool isOperand(StringRef token) {
    return token.starts_with("%") || token == "_" || llvm::isDigit(token[0]);
  }

  void mutateTokens(std::vector<std::string> &tokens) {
    if (tokens.empty())
      return;
    size_t at = pickToken(tokens), other = pickToken(tokens);
    // Operands for operands keep most texts valid.
    if (pick(2)) {
      std::vector<size_t> operands;
      for (size_t token = 0; token < tokens.size(); ++token)
        if (isOperand(tokens[token]))
          operands.push_back(token);
      if (operands.empty())
        return;
      at = operands[pick(operands.size())];
      if (pick(2))
        tokens[at] = tokens[operands[pick(operands.size())]];
      else
        tokens[at] = values[pick(std::size(values))].str();
      return;
    }
    switch (pick(6)) {
    case 0:
      tokens[at] = " ";
      break;
    case 1:
      tokens[at] += " " + tokens[at];
      break;
    case 2:
      tokens[at] = tokens[other];
      break;
    case 3:
      std::swap(tokens[at], tokens[other]);
      break;
    case 4:
      mutateOpcode(tokens[at]);
      break;
    default:
      tokens[at] = words[pick(std::size(words))].str();
      break;
    }
  }

  /// Drops or doubles a part between dots, or takes it from somewhere else.
  void mutateOpcode(std::string &token) {
    llvm::SmallVector<StringRef, 12> parts;
    StringRef(token).split(parts, '.');
    size_t at = pick(parts.size());
    static constexpr StringRef types[] = {"u8",  "s16", "b32", "f32", "b64",
                                          "f64", "v2",  "v4",  "x4",  "sat"};
    if (pick(2))
      parts.erase(parts.begin() + at);
    else
      parts[at] = types[pick(std::size(types))];
    std::string joined = llvm::join(parts, ".");
    token = joined.empty() ? " " : joined;
  }

  void mutateBytes(std::string &text) {
    for (unsigned left = 1 + pick(3); left && !text.empty(); --left)
      text[pick(text.size())] = static_cast<char>(generator());
  }

  std::mt19937_64 generator;
};
} // namespace

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static void writeTensorMap(uint64_t address, uint64_t seed, void *encoded) {
  constexpr uint8_t swizzles[] = {0, 32, 64, 128};
  TensorMap map;
  map.address = address;
  map.rank = 2;
  map.elementBytes = 2;
  map.strides[0] = 2;
  map.strides[1] = 64;
  map.lastIndices[0] = 31;
  map.lastIndices[1] = 63;
  map.box[0] = 16;
  map.box[1] = 64;
  map.swizzleBytes = swizzles[seed % std::size(swizzles)];
  encodeTensorMap(map, encoded);
}

static bool launch(const Module &module, const Kernel &kernel, uint64_t seed) {
  DeviceOptions options;
  options.hostThreads = 1;
  options.maxOperations = 20000;
  options.checks = seed % 4 != 0;
  options.setSchedule(seed, seed % 5);
  Device device(options);
  LaunchConfig config;
  config.block[0] = 1 + seed % 160;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (kernel.requiredThreads[dim])
      config.block[dim] = kernel.requiredThreads[dim];
  config.dynamicSharedBytes = seed % 3 == 0 ? 0 : 65536;
  constexpr size_t bufferBytes = 4096;
  uint64_t buffer = llvm::cantFail(device.allocate(bufferBytes));
  std::vector<std::vector<uint8_t>> values;
  std::vector<const void *> parameters;
  for (const Parameter &parameter : kernel.parameters) {
    values.emplace_back(std::max<size_t>(parameter.size, sizeof(buffer)));
    std::memcpy(values.back().data(), &buffer, sizeof(buffer));
    if (parameter.size == TensorMap::encodedBytes)
      writeTensorMap(buffer, seed, values.back().data());
  }
  for (const std::vector<uint8_t> &value : values)
    parameters.push_back(value.data());
  auto statistics = device.launch(module, kernel, config, parameters);
  for (const Finding &finding : device.getFindings().take())
    (void)finding.format();
  if (statistics)
    return true;
  llvm::consumeError(statistics.takeError());
  return false;
}

/// Whether the text was still PTX that the emulator knows.
static bool tryText(StringRef text, uint64_t seed) {
  llvm::Expected<std::unique_ptr<Module>> module = parseModule(text);
  if (!module) {
    llvm::consumeError(module.takeError());
    return false;
  }
  bool isDecoded = true;
  for (const Kernel &kernel : (*module)->kernels)
    isDecoded &= launch(**module, kernel, seed);
  return isDecoded;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Mutated PTX for the emulator\n");
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> texts;
  for (const std::string &input : inputs) {
    auto buffer = llvm::MemoryBuffer::getFile(input);
    if (!buffer) {
      llvm::errs() << input << ": " << buffer.getError().message() << "\n";
      return 1;
    }
    texts.push_back(std::move(*buffer));
  }
  auto start = std::chrono::steady_clock::now();
  uint64_t tried = 0, parsed = 0;
  for (; tried < numCases; ++tried) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (maxSeconds && elapsed.count() > maxSeconds)
      break;
    uint64_t seed = firstSeed + tried;
    Mutator mutator(seed);
    StringRef original = texts[mutator.pick(texts.size())]->getBuffer();
    bool isUnchanged = tried < texts.size();
    if (isUnchanged)
      original = texts[tried]->getBuffer();
    std::string text = isUnchanged ? original.str() : mutator.mutate(original);
    if (printCases)
      llvm::outs() << "// Seed " << seed << "\n" << text << "\n";
    if (tried % 1000 == 0)
      llvm::errs() << "seed " << seed << "\n";
    bool isParsed = tryText(text, seed);
    parsed += isParsed;
    // A text that is refused as it is tests nothing.
    if (isUnchanged && !isParsed) {
      llvm::errs() << inputs[tried] << " is not read\n";
      return 1;
    }
  }
  llvm::outs() << tried << " cases, " << parsed << " of them parsed\n";
  return 0;
}
