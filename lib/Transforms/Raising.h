//===- Raising.h - Single linalg ops to coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_RAISING_H
#define CODA_LIB_TRANSFORMS_RAISING_H

#include "EpilogueBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::coda {

/// The loops of a linalg op as dims of a coda op: sorted by kind, and named by
/// kind so that equal ops are equal text.
class LoopDims {
public:
  LoopDims(EpilogueBuilder &builder, ArrayRef<DimKind> kinds);

  /// A map over loops as a map over dims.
  AffineMap translate(AffineMap map) const;
  /// The name of the dim that a loop became.
  StringRef getName(unsigned loop) const { return names[dimOfLoop[loop]]; }

private:
  SmallVector<unsigned> dimOfLoop;
  SmallVector<std::string> names;
};

/// A destination for a result that does not read it: `init` itself, unless an
/// op computes it, which is then wasted.
Value getPlainDestination(OpBuilder &builder, Location loc, Value init);

/// Turns a contraction into a `coda.gemm` with an identity epilogue. On failure
/// `reason` says why, unless `op` is not a contraction at all.
FailureOr<EpilogueOpInterface> raiseContraction(RewriterBase &rewriter,
                                                linalg::LinalgOp op,
                                                NumericsAttr numerics,
                                                std::string &reason);

/// Whether an elementwise or reduction op can become a `coda.map`, with the
/// reason when it cannot.
LogicalResult canRaiseToMap(linalg::LinalgOp op, std::string &reason);

/// Turns such an op into a `coda.map`.
EpilogueOpInterface raiseToMap(RewriterBase &rewriter, linalg::LinalgOp op,
                               NumericsAttr numerics);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_RAISING_H
