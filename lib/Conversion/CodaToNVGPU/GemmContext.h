//===- GemmContext.h - What the parts of a gemm kernel share -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_GEMMCONTEXT_H
#define CODA_LIB_CONVERSION_CODATONVGPU_GEMMCONTEXT_H

#include "GemmPlan.h"
#include "KernelBuilder.h"
#include "KernelParams.h"
#include "SharedMemoryPlan.h"

namespace mlir::coda {

/// Values of the whole block. Integers are i32.
struct GemmContext {
  GemmContext(KernelBuilder &b, GemmOp op, const GemmPlan &plan,
              KernelParams &params)
      : b(b), op(cast<EpilogueOpInterface>(op.getOperation())), plan(plan),
        memory(plan.schedule, plan.demand), params(params) {}

  int64_t getPointColumns() const {
    return plan.demand.getPointColumns(plan.schedule);
  }

  KernelBuilder &b;
  EpilogueOpInterface op;
  const GemmPlan &plan;
  SharedMemoryPlan memory;
  KernelParams &params;

  // Parameters.
  Value lhsMap;
  SmallVector<Value> rhsMaps;
  SmallVector<Value> loadMaps;
  SmallVector<Value> storeMaps;
  Value partials;
  Value arrivals;
  /// Sizes of the product, in points.
  Value rows;
  Value columns;

  // Counts derived from them.
  Value contractTiles;
  Value rowTiles;
  Value columnTiles;
  Value tiles;

  // The thread.
  Value shared;
  Value thread;
  Value block;
  Value blocks;

  Value getShared(Value bytes) { return b.sharedAddress(shared, bytes); }
  Value getFullBarrier(Value stage);
  Value getEmptyBarrier(Value stage);
};

/// A tile of points.
struct TileCoordinates {
  Value rowTile;
  Value columnTile;
  /// The first point.
  Value row;
  Value column;
};

/// The position of tile number `tile`: groups of row tiles walk along the
/// columns together, so that concurrent blocks share operands in L2.
TileCoordinates getTileCoordinates(GemmContext &context, Value tile);

/// Coordinates of a box for the copy engine: inner, outer, members.
SmallVector<Value> getBoxCoordinates(KernelBuilder &b, Value inner, Value outer,
                                     ArrayRef<int64_t> members);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_GEMMCONTEXT_H
