//===- LinalgMatchers.h - Questions about linalg ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_LINALGMATCHERS_H
#define CODA_LIB_TRANSFORMS_LINALGMATCHERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::coda {

/// The one value that every element of a tensor has: a splat constant, a
/// `linalg.fill`, or a generic that does the same.
std::optional<Attribute> getUniformValue(Value tensor);

bool isUniformZero(Value tensor);
bool isUniformNegativeInfinity(Value tensor);

/// A product as `out += lhs * rhs` over the dims of a linalg op, with pure
/// permutations and widening casts of its operands looked through.
struct Contraction {
  Value lhs;
  Value rhs;
  AffineMap lhsMap;
  AffineMap rhsMap;
  AffineMap outMap;
};

/// Matches the body and the operands of a contraction on floats. On failure
/// `reason` says what is missing; it stays empty when the op is not a
/// multiply-accumulate in the first place.
FailureOr<Contraction> matchContraction(linalg::LinalgOp op,
                                        std::string &reason);

/// How a result of a linalg op with reduction loops is accumulated.
struct Accumulation {
  Operation *combiner;
  /// The value that is combined with the old contents.
  Value value;
};

/// Matches `yield combine(out, value)` for an init of `op`.
std::optional<Accumulation> matchAccumulation(linalg::LinalgOp op,
                                              unsigned init);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_LINALGMATCHERS_H
