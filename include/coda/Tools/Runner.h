//===- Runner.h - A function of a program, ready to run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_RUNNER_H
#define CODA_TOOLS_RUNNER_H

#include "coda/Execution/CPUProgram.h"
#include "coda/Tools/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::coda {

/// What a run leaves behind: results, and memref arguments that it may have
/// written to.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Seconds that single runs took.
struct Timing {
  double median = 0, min = 0, max = 0;
  unsigned runs = 0;
};

enum class Device { CPU, CUDA, Emulator };

/// One variant of a function: fused, unfused or in f64.
class Runner {
public:
  /// Compiles `module`. `function` is the signature in the source program. For
  /// a GPU the module is host code that works on device memory.
  static llvm::Expected<Runner> create(OwningOpRef<ModuleOp> module,
                                       const HostSignature &function,
                                       Device device = Device::CPU);

  /// Runs once. Arguments that the function writes to are copied before.
  llvm::Expected<SmallVector<NamedTensor>>
  run(ArrayRef<HostTensor> inputs) const;

  /// Runs until times are steady: after one to warm up, 20 times, or fewer when
  /// that takes longer than a few seconds.
  llvm::Expected<Timing> time(ArrayRef<HostTensor> inputs) const;

private:
  Runner() = default;
  llvm::Expected<SmallVector<HostTensor>>
  makeArguments(ArrayRef<HostTensor> inputs) const;
  llvm::Expected<SmallVector<HostTensor>>
  call(ArrayRef<HostTensor> arguments) const;

  std::unique_ptr<CPUProgram> program;
  HostSignature function;
  Device device = Device::CPU;
};

/// Arguments of the f64 reference: the same values, widened.
llvm::Expected<SmallVector<HostTensor>>
widenInputs(ArrayRef<HostTensor> inputs);

} // namespace mlir::coda

#endif // CODA_TOOLS_RUNNER_H
