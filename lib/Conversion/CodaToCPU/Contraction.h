//===- Contraction.h - Register-blocked contractions for the host -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOCPU_CONTRACTION_H
#define CODA_LIB_CONVERSION_CODATOCPU_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::coda {

/// Points of a domain below which starting the other cores costs more than it
/// gives. A dynamic domain is taken to be large.
constexpr int64_t minParallelPoints = 1 << 15;

/// Replaces a contraction of floats on buffers by loops over blocks of vector
/// registers; fails without a change if the op has another form.
///
/// Vectors run along a contract dim when it is innermost in both inputs, so
/// that a sum is formed of several partial sums; else along the innermost dim
/// of one input, while values of the other are broadcast. With `parallel` the
/// outermost loop is spread over the cores.
LogicalResult lowerContraction(RewriterBase &rewriter, linalg::GenericOp op,
                               bool parallel);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATOCPU_CONTRACTION_H
