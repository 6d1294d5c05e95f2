//===- Runner.cpp - A function of a program, ready to run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Runner.h"
#include <chrono>

using namespace mlir;
using namespace mlir::coda;

llvm::Expected<Runner> Runner::create(OwningOpRef<ModuleOp> module,
                                      StringRef entry) {
  Runner runner;
  runner.entry = entry.str();
  llvm::Expected<std::unique_ptr<CPUProgram>> program =
      CPUProgram::compile(std::move(module));
  if (!program)
    return program.takeError();
  llvm::Expected<const HostSignature *> function = (*program)->find(entry);
  if (!function)
    return function.takeError();
  for (auto [index, type] : llvm::enumerate((*function)->arguments))
    if (type.isBuffer)
      runner.written.push_back(index);
  runner.program = std::move(*program);
  return std::move(runner);
}

llvm::Expected<SmallVector<HostTensor>>
Runner::copyWritten(ArrayRef<HostTensor> inputs) const {
  SmallVector<HostTensor> arguments(inputs);
  for (unsigned index : written) {
    llvm::Expected<HostTensor> copy = arguments[index].copy();
    if (!copy)
      return copy.takeError();
    arguments[index] = std::move(*copy);
  }
  return arguments;
}

llvm::Expected<SmallVector<NamedTensor>>
Runner::run(ArrayRef<HostTensor> inputs) const {
  llvm::Expected<SmallVector<HostTensor>> arguments = copyWritten(inputs);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<SmallVector<HostTensor>> results =
      program->run(entry, *arguments);
  if (!results)
    return results.takeError();
  SmallVector<NamedTensor> named;
  for (auto [index, tensor] : llvm::enumerate(*results))
    named.push_back({"result" + std::to_string(index), std::move(tensor)});
  for (unsigned index : written)
    named.push_back({"arg" + std::to_string(index), (*arguments)[index]});
  return named;
}

llvm::Expected<Timing> Runner::time(ArrayRef<HostTensor> inputs) const {
  using Clock = std::chrono::steady_clock;
  constexpr unsigned wantedRuns = 20, leastRuns = 3;
  constexpr double patience = 5;

  llvm::Expected<SmallVector<HostTensor>> arguments = copyWritten(inputs);
  if (!arguments)
    return arguments.takeError();
  std::vector<double> seconds;
  double spent = 0;
  for (unsigned i = 0; i <= wantedRuns; ++i) {
    Clock::time_point start = Clock::now();
    llvm::Expected<SmallVector<HostTensor>> results =
        program->run(entry, *arguments);
    double elapsed =
        std::chrono::duration<double>(Clock::now() - start).count();
    if (!results)
      return results.takeError();
    // The first run touches memory for the first time.
    if (i > 0)
      seconds.push_back(elapsed);
    spent += elapsed;
    if (spent > patience && seconds.size() >= leastRuns)
      break;
  }
  llvm::sort(seconds);
  return Timing{seconds[seconds.size() / 2], seconds.front(), seconds.back(),
                static_cast<unsigned>(seconds.size())};
}

llvm::Expected<SmallVector<HostTensor>>
mlir::coda::widenInputs(ArrayRef<HostTensor> inputs) {
  SmallVector<HostTensor> wide;
  for (const HostTensor &input : inputs) {
    llvm::Expected<HostTensor> copy = input.copy(/*widen=*/true);
    if (!copy)
      return copy.takeError();
    wide.push_back(std::move(*copy));
  }
  return wide;
}
