//===- Runner.cpp - A function of a program, ready to run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Runner.h"
#include "coda/Target/PTX.h"
#include "coda/Tools/GPUDevice.h"
#include <chrono>

using namespace mlir;
using namespace mlir::coda;

llvm::Expected<Runner> Runner::create(OwningOpRef<ModuleOp> module,
                                      const HostSignature &function,
                                      Device device) {
  Runner runner;
  runner.function = function;
  runner.device = device;
  CPUProgramOptions options;
  if (device != Device::CPU) {
    options.release = releaseDeviceBuffer;
    options.lowering = buildHostToLLVMPipeline;
  }
  llvm::Expected<std::unique_ptr<CPUProgram>> program =
      CPUProgram::compile(std::move(module), options);
  if (!program)
    return program.takeError();
  runner.program = std::move(*program);
  return std::move(runner);
}

/// Arguments for one call or several: on the device, or copied when the
/// function may write to them.
llvm::Expected<SmallVector<HostTensor>>
Runner::makeArguments(ArrayRef<HostTensor> inputs) const {
  SmallVector<HostTensor> arguments(inputs);
  for (auto [argument, type] : llvm::zip(arguments, function.arguments)) {
    bool upload = device != Device::CPU && !type.isScalar;
    if (!upload && !type.isBuffer)
      continue;
    llvm::Expected<HostTensor> copy =
        upload ? uploadTensor(argument) : argument.copy();
    if (!copy)
      return copy.takeError();
    argument = std::move(*copy);
  }
  return arguments;
}

/// Calls the function and waits for its end.
llvm::Expected<SmallVector<HostTensor>>
Runner::call(ArrayRef<HostTensor> arguments) const {
  if (device == Device::CPU)
    return program->run(function.name, arguments);
  GPUErrorScope errors;
  llvm::Expected<SmallVector<HostTensor>> results =
      program->run(function.name, arguments);
  llvm::Error error = errors.finish();
  if (!results) {
    llvm::consumeError(std::move(error));
    return results.takeError();
  }
  if (error)
    return std::move(error);
  return results;
}

llvm::Expected<SmallVector<NamedTensor>>
Runner::run(ArrayRef<HostTensor> inputs) const {
  llvm::Expected<SmallVector<HostTensor>> arguments = makeArguments(inputs);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<SmallVector<HostTensor>> results = call(*arguments);
  if (!results)
    return results.takeError();

  SmallVector<NamedTensor> named;
  auto add = [&](std::string name, const HostTensor &tensor,
                 const HostType &type) -> llvm::Error {
    named.push_back({std::move(name), tensor});
    if (device == Device::CPU || type.isScalar)
      return llvm::Error::success();
    return downloadTensor(tensor).moveInto(named.back().tensor);
  };
  for (auto [index, type] : llvm::enumerate(function.results))
    if (llvm::Error error =
            add("result" + std::to_string(index), (*results)[index], type))
      return std::move(error);
  for (auto [index, type] : llvm::enumerate(function.arguments))
    if (type.isBuffer)
      if (llvm::Error error =
              add("arg" + std::to_string(index), (*arguments)[index], type))
        return std::move(error);
  return named;
}

llvm::Expected<Timing> Runner::time(ArrayRef<HostTensor> inputs) const {
  using Clock = std::chrono::steady_clock;
  constexpr unsigned wantedRuns = 20, leastRuns = 3;
  constexpr double patience = 5;

  llvm::Expected<SmallVector<HostTensor>> arguments = makeArguments(inputs);
  if (!arguments)
    return arguments.takeError();
  std::vector<double> seconds;
  double spent = 0;
  for (unsigned i = 0; i <= wantedRuns; ++i) {
    Clock::time_point start = Clock::now();
    llvm::Expected<SmallVector<HostTensor>> results = call(*arguments);
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
