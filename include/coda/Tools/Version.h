//===- Version.h - Version of the project -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_VERSION_H
#define CODA_TOOLS_VERSION_H

#include "llvm/Support/raw_ostream.h"

namespace mlir::coda {

/// For example "0.1.0".
const char *getVersion();

/// What `--version` prints.
void printVersion(llvm::raw_ostream &os);

} // namespace mlir::coda

#endif // CODA_TOOLS_VERSION_H
