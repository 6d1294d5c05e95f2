//===- CPUProgram.h - Programs compiled for the host in process -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EXECUTION_CPUPROGRAM_H
#define CODA_EXECUTION_CPUPROGRAM_H

#include "coda/Execution/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdlib>
#include <functional>

namespace mlir {
class DialectRegistry;
class OpPassManager;

namespace coda {

/// Dialects, interfaces and translations that compiling for the host needs.
/// Call it on the registry before the context parses anything.
void registerCPUExecution(DialectRegistry &registry);

struct CPUProgramOptions {
  /// Spread loops over the cores. Falls back to one core when the OpenMP
  /// runtime library is not found.
  bool parallel = true;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Frees the buffers of results; host code of a device has others than the
  /// host's.
  void (*release)(void *) = std::free;
  /// Adds the passes that lower the module to the LLVM dialect; `coda-to-cpu`
  /// if empty.
  std::function<void(OpPassManager &)> lowering;
};

/// A module compiled to native code for this machine.
class CPUProgram {
public:
  /// Lowers a module of coda, linalg or both and compiles it. The module is
  /// consumed. The cause of a failure is also emitted as a diagnostic. A
  /// function that cannot be called is left out with everything that only it
  /// needs.
  static llvm::Expected<std::unique_ptr<CPUProgram>>
  compile(OwningOpRef<ModuleOp> module, const CPUProgramOptions &options = {});
  ~CPUProgram();

  /// Public functions that can be called, in the order of the module.
  llvm::ArrayRef<HostSignature> getFunctions() const;
  /// A function by name; the only one when `entry` is empty. The error lists
  /// what there is.
  llvm::Expected<const HostSignature *> find(llvm::StringRef entry) const;

  /// Calls a function. Arguments are checked against the signature, and no
  /// code runs when one does not fit. Tensor arguments are not written to;
  /// memref arguments may be. Results own their memory.
  llvm::Expected<llvm::SmallVector<HostTensor>>
  run(llvm::StringRef entry, llvm::ArrayRef<HostTensor> arguments) const;

private:
  struct Impl;
  explicit CPUProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Signatures of the public functions of a module, before any lowering. A
/// function has a problem when it takes or gives a type that buffers cannot
/// hold, or needs a function that is defined nowhere.
llvm::Expected<llvm::SmallVector<HostSignature>> getSignatures(ModuleOp module);

/// Whether arguments fit a function: number, element types, ranks, static
/// sizes.
llvm::Error checkArguments(const HostSignature &function,
                           llvm::ArrayRef<HostTensor> arguments);

} // namespace coda
} // namespace mlir

#endif // CODA_EXECUTION_CPUPROGRAM_H
