//===- RegionEmitter.h - The region of an op, point by point -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the values of a region for pairs of neighbouring columns. What depends
// on rows only is computed once for each row of a thread, what depends on
// columns only once for each pair of columns, and the rest at each point.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_REGIONEMITTER_H
#define CODA_LIB_CONVERSION_CODATONVGPU_REGIONEMITTER_H

#include "coda/IR/Coda.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::coda {

/// What a value depends on. Values of the first two levels are scalars, those
/// of the others pairs.
enum class Level { Uniform, Row, ColumnPair, Point };

inline bool isPair(Level level) { return level >= Level::ColumnPair; }

/// The rows and pairs of columns of one thread, numbered.
struct Point {
  unsigned row;
  unsigned columnPair;
};

/// Supplies what the region does not compute.
class PointSource {
public:
  virtual ~PointSource() = default;
  /// The value of a block argument: a scalar or a pair, as its level says.
  virtual Value emitArgument(BlockArgument argument, Level level,
                             Point point) = 0;
  /// The index along a dim, as i64.
  virtual Value emitIndex(unsigned dim, Level level, Point point) = 0;
};

class RegionEmitter {
public:
  RegionEmitter(ImplicitLocOpBuilder &b, EpilogueOpInterface op,
                PointSource &source);

  Level getLevel(Value value) const { return levels.lookup(value); }

  /// A value of the region as a pair at a point, whatever its level. The caller
  /// keeps the insertion point where earlier values dominate it.
  Value emitPair(Value value, Point point);

private:
  using Cache = DenseMap<Value, Value>;

  Value emit(Value value, Point point);
  Value emitOperation(Operation *op, Level level, Point point);
  Cache &getCache(Level level, Point point);

  ImplicitLocOpBuilder &b;
  EpilogueOpInterface op;
  PointSource &source;
  DenseMap<Value, Level> levels;
  Cache uniform;
  DenseMap<unsigned, Cache> rows;
  DenseMap<unsigned, Cache> columnPairs;
  Cache current;
  Point currentPoint = {~0u, ~0u};
};

/// Why a region cannot be emitted, in words with the op's location attached by
/// the caller, or success.
LogicalResult checkRegion(EpilogueOpInterface op);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_REGIONEMITTER_H
