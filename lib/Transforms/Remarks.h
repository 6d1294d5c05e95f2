//===- Remarks.h - Remarks of the rewriting passes -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_REMARKS_H
#define CODA_LIB_TRANSFORMS_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace mlir::coda {

/// Categories are the names of the passes.
inline constexpr StringLiteral kRaiseCategory = "coda-raise";
inline constexpr StringLiteral kReparameterizeCategory = "coda-reparameterize";
inline constexpr StringLiteral kFuseCategory = "coda-fuse";

/// Name of the function around `op`; remarks are grouped by it.
StringRef getEnclosingFunctionName(Operation *op);

/// How messages call an op: its name and where it stands, as far as known.
std::string describeOp(Operation *op);

/// A rewrite that was made.
void remarkPassed(Operation *op, StringRef category, StringRef name,
                  const Twine &what);

/// A rewrite that was refused. `reason` is a sentence part that a user can act
/// on: what was found where, and what would have been needed.
void remarkMissed(Operation *op, StringRef category, StringRef name,
                  const Twine &what, const Twine &reason);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_REMARKS_H
