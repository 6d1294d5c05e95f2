//===- RunInputs.h - Arguments of a function that is run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments come from .npy files or a seeded generator. Dynamic sizes come from
// the command line or the files; one that must equal another follows it.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_RUNINPUTS_H
#define CODA_TOOLS_RUNINPUTS_H

#include "coda/Execution/HostTensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>

namespace mlir::coda {

struct InputFile {
  std::string path;
  bool bf16AsUint16 = false;
};

struct InputOptions {
  /// By argument number.
  std::map<unsigned, InputFile> files;
  /// By number of the `?` among the arguments, counted through the signature.
  std::map<unsigned, int64_t> sizes;
  uint64_t seed = 0;
};

/// Makes every argument of `function`, whose signature is `signature`.
llvm::Expected<SmallVector<HostTensor>>
makeInputs(FunctionOpInterface function, const HostSignature &signature,
           const InputOptions &options);

} // namespace mlir::coda

#endif // CODA_TOOLS_RUNINPUTS_H
