//===- GemmPlan.h - Every decision about a gemm kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is decided before the first op of a kernel is emitted. What the
// lowering cannot do is refused here, with a reason.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_GEMMPLAN_H
#define CODA_LIB_CONVERSION_CODATONVGPU_GEMMPLAN_H

#include "OperandView.h"
#include "Schedule.h"

namespace mlir::coda {

/// A tile of one member tuple of an operand, moved by the copy engine.
struct TileAccess {
  /// Index into the views beside it.
  unsigned view;
  SmallVector<int64_t> members;
  /// The block argument that it supplies or the value that is yielded for it.
  Value value;
};

/// Moves of one direction and the tensor maps that they use.
struct TileAccesses {
  SmallVector<TensorMapView> views;
  SmallVector<TileAccess> accesses;
};

/// A value written element by element.
struct DirectStore {
  unsigned out;
  SmallVector<int64_t> members;
  Value yielded;
};

/// A value reduced over all columns of a row.
struct RowReduction {
  unsigned out;
  SmallVector<int64_t> members;
  Value yielded;
  Combiner combiner;
};

struct GemmPlan {
  Schedule schedule;
  ScheduleDemand demand;
  TensorMapView lhs;
  /// One access for each accumulator of a point, in the order of the region's
  /// arguments.
  TileAccesses rhs;
  /// Rows of lhs, or columns of rhs, are contiguous in memory, not contracts.
  bool lhsIsMMajor = false;
  bool rhsIsNMajor = false;
  TileAccesses loads;
  TileAccesses stores;
  SmallVector<DirectStore> directStores;
  SmallVector<RowReduction> reductions;
};

/// Plans a kernel; on failure an error that says why is attached to the op.
FailureOr<GemmPlan> planGemm(GemmOp op);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_GEMMPLAN_H
