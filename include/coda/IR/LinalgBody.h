//===- LinalgBody.h - What the body of a linalg op computes -----*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_LINALGBODY_H
#define CODA_IR_LINALGBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::coda {

/// Whether the body is `yield out + a * b` of floats for the op's two inputs,
/// in any order, where factors are widened at most. This is stricter than
/// linalg::isaContractionOpInterface, which looks through any unary op on the
/// way, such as a negation.
bool isMultiplyAccumulate(linalg::LinalgOp op);

} // namespace mlir::coda

#endif // CODA_IR_LINALGBODY_H
