//===- AssertGuard.h - Failed assertions of compiled code -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EXECUTION_ASSERTGUARD_H
#define CODA_LIB_EXECUTION_ASSERTGUARD_H

#include "llvm/Support/Error.h"

namespace mlir {
class ExecutionEngine;

namespace coda {

/// A failed `cf.assert` prints a message and aborts. Makes code of this engine
/// hand both to `callGuarded` instead.
void redirectAssertions(ExecutionEngine &engine);

/// Calls a packed function; an assertion that fails ends the call and becomes
/// the error. What the function had allocated by then is lost.
llvm::Error callGuarded(void (*function)(void **), void **arguments);

} // namespace coda
} // namespace mlir

#endif // CODA_LIB_EXECUTION_ASSERTGUARD_H
