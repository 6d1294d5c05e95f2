//===- RowDims.h - Which dims are rows of products -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_ROWDIMS_H
#define CODA_REPORT_ROWDIMS_H

#include "coda/Report/DimClasses.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::coda {

/// The dims of a product by role, as classes.
struct ProductDims {
  Operation *op;
  SmallVector<unsigned, 2> batches, rows, columns, contracts;
};

/// The dims of `op` when it is a contraction or a coda.gemm.
std::optional<ProductDims> getProductDims(Operation *op, DimClasses &classes);

/// Tells rows (tokens) from features. The same dim is a row of one product and
/// contracted by another (the gradient of a weight), so the classes are decided
/// in the order of how many products have them as rows: a product that has a
/// known row as rows or contracts has features in its other places.
class RowDims {
public:
  RowDims(ArrayRef<ProductDims> products, DimClasses &classes);

  bool isRow(unsigned dimClass) const { return rows.contains(dimClass); }
  bool hasRow(Value value, DimClasses &classes) const;

private:
  void decide(ArrayRef<ProductDims> products);
  void spreadThroughReshapes(DimClasses &classes);

  llvm::DenseSet<unsigned> rows, features;
};

} // namespace mlir::coda

#endif // CODA_REPORT_ROWDIMS_H
