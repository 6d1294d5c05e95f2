//===- PointAccess.h - Points of a thread and their memory -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows and column pairs that one thread holds, in coordinates of the op,
// and ordinary accesses to global memory at them. Loads beyond the domain are
// redirected to its last row or column; stores beyond it are skipped.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_POINTACCESS_H
#define CODA_LIB_CONVERSION_CODATONVGPU_POINTACCESS_H

#include "GemmContext.h"
#include "Mainloop.h"
#include "RegionEmitter.h"

namespace mlir::coda {

class PointAccess {
public:
  PointAccess(GemmContext &context, const Consumer &consumer,
              const TileCoordinates &at);

  /// The row or the first column of a slot, as i32; it may lie beyond the
  /// domain.
  Value getRow(unsigned slot);
  Value getColumn(unsigned pair);
  /// Whether they lie inside; null when they always do.
  Value isColumnInside(unsigned pair, unsigned element);

  /// The first row of the consumer in the tile.
  Value getConsumerRow() const { return consumerRow; }

  /// The index along a dim, as i64, of a scalar or pair.
  Value emitIndex(unsigned dim, Level level, Point point);
  /// An element or pair of an operand.
  Value emitLoad(OpOperand &operand, ArrayRef<int64_t> members, Level level,
                 Point point);
  /// Stores a pair where it lies inside.
  void emitStore(OpOperand &operand, ArrayRef<int64_t> members, Value pair,
                 Point point);
  /// The address of an element of an operand that names no columns at a row.
  Value emitRowAddress(OpOperand &operand, ArrayRef<int64_t> members,
                       Value row);

private:
  /// Whether a thread may read an element of an out: those beyond the last row
  /// or column would read what others write. Null for operands that nobody
  /// writes, where they read the last element.
  Value getInside(OpOperand &operand, Point point, unsigned element);
  /// Index of a dim, given the index of its kind.
  Value emitDimIndex(unsigned dim, Value kindIndex);
  /// Offset in elements, as i64, of the dims of one kind; null for none.
  Value emitKindOffset(OpOperand &operand, DimKind kind, Value kindIndex);
  Value emitMemberOffset(OpOperand &operand, ArrayRef<int64_t> members);
  Value emitAddress(OpOperand &operand, ArrayRef<int64_t> members, Value row,
                    Value column);
  /// Row and column to read for a level; null where it does not depend on them.
  Value getLoadRow(Level level, unsigned slot);
  Value getLoadColumn(unsigned pair, unsigned element);
  /// Whether neighbouring columns of an operand are one aligned access.
  bool isPairAligned(OpOperand &operand);

  GemmContext &context;
  KernelBuilder &b;
  EpilogueOpInterface op;
  Value consumerRow;
  Value threadRow;
  Value threadColumn;
  std::optional<int64_t> staticColumns;
  DenseMap<unsigned, Value> rows;
  DenseMap<unsigned, Value> loadRows;
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_POINTACCESS_H
