//===- RuntimeCalls.h - Calls of the runtime -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the functions of coda/Runtime/HostCode.h, and the constants that
// they need, in the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_RUNTIMECALLS_H
#define CODA_LIB_CONVERSION_CODATONVGPU_RUNTIMECALLS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::coda {

class RuntimeCalls {
public:
  /// `b` inserts inside a module.
  explicit RuntimeCalls(ImplicitLocOpBuilder &b) : b(b) {}

  /// Calls a function, which is declared by the types of its arguments. The
  /// result is null for no `resultType`.
  Value call(StringRef name, ValueRange arguments, Type resultType = Type());

  /// Address of a variable that remembers the address of a kernel or constant.
  Value getHandle(StringRef owner);
  /// Address of the text of all kernels, which coda-embed-ptx defines.
  Value getImage();
  /// Address of a text that ends in a NUL.
  Value getText(StringRef text);

private:
  ImplicitLocOpBuilder &b;
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_RUNTIMECALLS_H
