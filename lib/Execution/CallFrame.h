//===- CallFrame.h - Arguments and results of one call -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EXECUTION_CALLFRAME_H
#define CODA_LIB_EXECUTION_CALLFRAME_H

#include "coda/Execution/HostTensor.h"

namespace mlir::coda {

/// Memory of one call through MLIR's C interface: a descriptor for each tensor,
/// the value of each scalar, and the struct that receives the results.
class CallFrame {
public:
  /// `release` frees the buffers that the function returns.
  CallFrame(const HostSignature &function, void (*release)(void *));

  /// Arguments that have been checked against the signature.
  llvm::Error setArguments(llvm::ArrayRef<HostTensor> arguments);
  /// What MLIR's packed functions take: a pointer to each argument and to the
  /// result.
  void **getPackedArguments() { return packed.data(); }
  /// To be called once, after the function has run.
  llvm::SmallVector<HostTensor> takeResults();

private:
  /// A memref descriptor is `{ptr, ptr, i64, [rank x i64], [rank x i64]}`.
  using Descriptor = std::vector<int64_t>;

  void addTensor(const HostTensor &tensor);
  HostTensor takeTensor(const HostType &type, const char *memory);
  HostTensor takeScalar(const HostType &type, const char *memory);

  const HostSignature &function;
  void (*release)(void *);
  /// Row-major copies of arguments live as long as the call.
  llvm::SmallVector<HostTensor> kept;
  std::vector<Descriptor> descriptors;
  std::vector<void *> pointers;
  std::vector<void *> packed;
  std::vector<int64_t> results;
  llvm::SmallVector<size_t> resultOffsets;
  /// Buffers that results own, by the address to free.
  std::vector<std::pair<void *, std::shared_ptr<void>>> owners;
};

} // namespace mlir::coda

#endif // CODA_LIB_EXECUTION_CALLFRAME_H
