//===- F64Reference.h - A program in double precision -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EXECUTION_F64REFERENCE_H
#define CODA_EXECUTION_F64REFERENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::coda {

/// The same program with every float in f64: casts between floats go away, so
/// no value is rounded on its way, and constants are widened from the value
/// they were written with. Integers and indices stay. The original is not
/// touched. Its arguments are those of the original, widened
/// (`HostTensor::copy`). Fails with a diagnostic for ops that look at the bits
/// of a float.
FailureOr<OwningOpRef<ModuleOp>> buildF64Reference(ModuleOp module);

} // namespace mlir::coda

#endif // CODA_EXECUTION_F64REFERENCE_H
