//===- ScalarExpression.h - Scalars of regions, followed across maps -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_SCALAREXPRESSION_H
#define CODA_LIB_TRANSFORMS_SCALAREXPRESSION_H

#include "EpilogueBuilder.h"
#include "FusionLegality.h"

#include <map>
#include <set>
#include <tuple>

namespace mlir::coda {

/// A scalar in the region of a map, seen from a point of some other domain (the
/// reader's), with the dims of the map bound to those of that domain.
struct ScalarAt {
  EpilogueOpInterface map;
  Value value;
  DimBinding binding;
};

/// What tells scalars apart.
using ScalarKey = std::tuple<const void *, const void *, DimBinding>;

/// If the scalar is an argument that another elementwise map computes, the
/// scalar in that map's region; else the scalar itself.
ScalarAt followArgument(ScalarAt scalar);

/// The dims of the reader's domain that a scalar depends on. Elementwise maps
/// are looked through.
llvm::SmallBitVector getSupport(const ScalarAt &scalar, unsigned numDims);

/// Clones the computation of scalars into the region of an op that is being
/// built over the reader's domain. Two phases: every operand that the scalars
/// need is first added to the op; once the op exists, the scalars are emitted.
class ScalarCloner {
public:
  ScalarCloner(EpilogueBuilder &builder, unsigned numDims)
      : builder(builder), numDims(numDims) {}

  /// Declares that the scalar will be emitted. When `acrossMaps` is set,
  /// elementwise maps are computed again instead of having their results read.
  void declare(const ScalarAt &scalar, bool acrossMaps);
  /// Emits a declared scalar at the insertion point, in the region of `op`.
  Value emit(OpBuilder &rewriter, EpilogueOpInterface op,
             const ScalarAt &scalar, bool acrossMaps);

private:
  unsigned addIns(Value value, AffineMap map);
  /// The operand that an argument stands for, as this op indexes it.
  std::pair<Value, AffineMap> getOperandOf(const ScalarAt &scalar) const;

  EpilogueBuilder &builder;
  unsigned numDims;
  SmallVector<std::pair<Value, AffineMap>> added;
  SmallVector<unsigned> positions;
  /// With whether maps are looked through, as the two may differ below.
  using Request = std::pair<bool, ScalarKey>;
  std::set<Request> declared;
  std::map<std::pair<Operation *, Request>, Value> emitted;
};

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_SCALAREXPRESSION_H
