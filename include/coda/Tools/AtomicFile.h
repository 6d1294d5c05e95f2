//===- AtomicFile.h - Files that appear whole or not at all -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_ATOMICFILE_H
#define CODA_TOOLS_ATOMICFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::coda {

/// Writes to a temporary file beside `path` and renames it when everything was
/// written. `-` is the standard output. An existing file that is not a regular
/// one (a device, a pipe) is written in place.
llvm::Error
writeFileAtomically(llvm::StringRef path,
                    llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace mlir::coda

#endif // CODA_TOOLS_ATOMICFILE_H
