//===- FusionLegality.h - Whether two coda ops may become one -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_FUSIONLEGALITY_H
#define CODA_LIB_TRANSFORMS_FUSIONLEGALITY_H

#include "coda/IR/Coda.h"

namespace mlir::coda {

/// For each dim of one op the dim of another that it is.
using DimBinding = SmallVector<unsigned>;

/// The coda op in the block of `user` that defines `value`, or null.
EpilogueOpInterface getProducerInBlock(Value value, Operation *user);

/// Whether every result of a map is a store, so that each point of a result
/// depends on one point of the operands.
bool isElementwise(EpilogueOpInterface op);

/// Binds the dims of `consumer` to those of `producer` when every point of the
/// consumer reads results of the producer at one point of the producer, and at
/// no other. On failure `reason` says what it reads besides.
FailureOr<DimBinding> bindConsumer(EpilogueOpInterface producer,
                                   EpilogueOpInterface consumer,
                                   std::string &reason);

/// Binds the dims of the elementwise map `producer` to those of `consumer`
/// through the ins number `index` of the consumer.
FailureOr<DimBinding> bindProducer(EpilogueOpInterface producer,
                                   EpilogueOpInterface consumer, unsigned index,
                                   std::string &reason);

/// Binds the dims of product `second` to those of product `first`, which share
/// lhs and are both read by `consumer`.
FailureOr<DimBinding> bindSibling(GemmOp first, GemmOp second,
                                  EpilogueOpInterface consumer,
                                  std::string &reason);

/// Whether the definitions of `values` may move before `target`, so that an op
/// that uses them may stand there; moves them if so.
LogicalResult moveDefinitionsBefore(ValueRange values, Operation *target,
                                    std::string &reason);

/// What a rewrite of an op may do: the stricter of what the op says and of the
/// pass's option.
Numerics getStricterNumerics(Operation *op, Numerics option);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_FUSIONLEGALITY_H
