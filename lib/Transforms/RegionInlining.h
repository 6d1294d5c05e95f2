//===- RegionInlining.h - Merging the regions of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_REGIONINLINING_H
#define CODA_LIB_TRANSFORMS_REGIONINLINING_H

#include "FusionLegality.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::coda {

/// A map over the dims of one op as a map over the dims of another.
AffineMap rebind(AffineMap map, const DimBinding &binding, unsigned numDims);

/// Creates, at `producer`, one op that computes the results of both, those of
/// the producer first, and replaces both by it. The definitions of the
/// consumer's other operands must stand before the producer.
EpilogueOpInterface inlineConsumer(RewriterBase &rewriter,
                                   EpilogueOpInterface producer,
                                   EpilogueOpInterface consumer,
                                   const DimBinding &binding);

/// Replaces `consumer` by an op that recomputes what it reads of the
/// elementwise map `producer`. The producer stays for its other users.
EpilogueOpInterface inlineProducer(RewriterBase &rewriter,
                                   EpilogueOpInterface producer,
                                   EpilogueOpInterface consumer, unsigned index,
                                   const DimBinding &binding);

/// Replaces two products that share lhs by one with the right-hand sides of
/// both, at `first`. The definitions of the second's other operands must stand
/// before it.
EpilogueOpInterface mergeSiblings(RewriterBase &rewriter, GemmOp first,
                                  GemmOp second, const DimBinding &binding);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_REGIONINLINING_H
