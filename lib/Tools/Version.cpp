//===- Version.cpp - Version of the project -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Version.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir::coda;

const char *mlir::coda::getVersion() { return CODA_VERSION; }

void mlir::coda::printVersion(llvm::raw_ostream &os) {
  os << "coda " << CODA_VERSION << " on LLVM " << LLVM_VERSION_STRING << '\n';
}
