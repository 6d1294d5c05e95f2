//===- DynamicSizes.h - Sizes of arguments that the program leaves open -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_DYNAMICSIZES_H
#define CODA_TOOLS_DYNAMICSIZES_H

#include "coda/Execution/HostTensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>

namespace mlir::coda {

/// The `?` of a function's arguments, numbered through its signature. Those
/// that the program ties together have one value.
class DynamicSizes {
public:
  DynamicSizes(FunctionOpInterface function, const HostSignature &signature);

  /// Sets `?` number `number`; an error when there is none, when the value is
  /// negative, or when it contradicts an earlier one. `source` says where the
  /// value is from.
  llvm::Error set(unsigned number, int64_t value, const llvm::Twine &source);
  /// Sets the sizes that a given argument has.
  llvm::Error setFromArgument(unsigned argument, ArrayRef<int64_t> shape);
  /// The shape of an argument; an error that names the missing size.
  llvm::Expected<SmallVector<int64_t>> getShape(unsigned argument) const;

private:
  struct Dim {
    unsigned argument, position;
    /// The first `?` that is tied to this one.
    unsigned leader;
  };
  struct Known {
    int64_t value;
    std::string source;
  };

  const HostSignature &signature;
  SmallVector<Dim> dims;
  std::map<unsigned, Known> known;
};

} // namespace mlir::coda

#endif // CODA_TOOLS_DYNAMICSIZES_H
