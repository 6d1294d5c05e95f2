//===- PassCount.h - Memory-bound passes of a function -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what one kernel launch each would be in an unfused lowering. A *pass*
// is an op on tensors that is neither a product nor a view and that reads or
// writes a tensor of activation size.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_PASSCOUNT_H
#define CODA_REPORT_PASSCOUNT_H

#include "coda/Report/SymbolicSize.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::coda {

enum class OpClass {
  Product,        // a contraction or coda.gemm
  Pass,           // touches a tensor of activation size
  PerRow,         // works on row statistics and smaller
  Table,          // works on position tables, masks and constants only
  Weight,         // works on weights only
  WeightGradient, // derived from activations, as large as a weight
};

struct CountedOp {
  Operation *op;
  OpClass opClass;
  /// Bytes of all operands read and all results written.
  SymbolicSize bytes;
  /// The part of them that is not weights: tensors with rows.
  SymbolicSize activationBytes;
};

struct PassCount {
  SmallVector<CountedOp> ops;

  unsigned count(OpClass opClass) const;
  /// Traffic of every counted op.
  SymbolicSize getBytes() const;
  SymbolicSize getActivationBytes() const;
};

/// Classifies the ops of a function.
///
/// A dim is a *row* when it is the row dim of a product (see `RowDims`). A
/// tensor has activation size when it has a row dim, more elements than there
/// are rows, and at least an eighth of those of the smallest operand or result
/// of a product: a rotation works on parts of heads. Arguments with rows that
/// are smaller than half of that are tables and masks. Without a product, size
/// alone decides.
PassCount countPasses(FunctionOpInterface function);

} // namespace mlir::coda

#endif // CODA_REPORT_PASSCOUNT_H
