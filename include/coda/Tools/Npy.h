//===- Npy.h - NumPy array files -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files of format 1, 2 and 3: little endian, C order.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_NPY_H
#define CODA_TOOLS_NPY_H

#include "coda/Execution/HostTensor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::coda {

/// Reads a file as a tensor of `element`. bf16 is read from raw 2-byte elements
/// (`<V2`, as ml_dtypes writes them) or `bfloat16`, and from `<u2` when
/// `bf16AsUint16` says so. An error says what was found and what was expected.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, ElementKind element,
                                   bool bf16AsUint16 = false);

/// Writes a row-major tensor under a temporary name and renames it, so that no
/// half of one is ever seen.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace mlir::coda

#endif // CODA_TOOLS_NPY_H
