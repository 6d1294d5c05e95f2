//===- RowDims.cpp - Which dims are rows of products -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/RowDims.h"
#include "coda/IR/Coda.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::coda;

static ProductDims getGemmDims(GemmOp gemm, DimClasses &classes) {
  auto epilogue = cast<EpilogueOpInterface>(gemm.getOperation());
  auto ofKind = [&](DimKind kind) {
    return llvm::map_to_vector<2>(
        epilogue.getDimsOfKind(kind),
        [&](unsigned dim) { return classes.getLoopClass(gemm, dim); });
  };
  return {gemm, ofKind(DimKind::Batch), ofKind(DimKind::Row),
          ofKind(DimKind::Column), ofKind(DimKind::Contract)};
}

std::optional<ProductDims> mlir::coda::getProductDims(Operation *op,
                                                      DimClasses &classes) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return getGemmDims(gemm, classes);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !linalg::isaContractionOpInterface(structured))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(structured);
  if (failed(dims))
    return std::nullopt;
  auto toClasses = [&](ArrayRef<unsigned> loops) {
    return llvm::map_to_vector<2>(
        loops, [&](unsigned loop) { return classes.getLoopClass(op, loop); });
  };
  return ProductDims{op, toClasses(dims->batch), toClasses(dims->m),
                     toClasses(dims->n), toClasses(dims->k)};
}

RowDims::RowDims(ArrayRef<ProductDims> products, DimClasses &classes) {
  // Products over a true batch (attention) have rows on both sides: they say
  // something only when there is nothing else.
  std::vector<ProductDims> plain;
  llvm::copy_if(products, std::back_inserter(plain),
                [](const ProductDims &dims) { return dims.batches.empty(); });
  bool onlyBatched = plain.empty();
  decide(onlyBatched ? products : ArrayRef<ProductDims>(plain));
  if (onlyBatched)
    for (const ProductDims &dims : products)
      rows.insert(dims.batches.begin(), dims.batches.end());
  spreadThroughReshapes(classes);
}

void RowDims::decide(ArrayRef<ProductDims> products) {
  llvm::MapVector<unsigned, unsigned> votes;
  for (const ProductDims &dims : products)
    for (unsigned row : dims.rows)
      ++votes[row];
  auto byVotes = votes.takeVector();
  llvm::sort(byVotes, [](const auto &a, const auto &b) {
    return std::make_pair(b.second, a.first) <
           std::make_pair(a.second, b.first);
  });
  auto markFeatures = [&](ArrayRef<unsigned> dims) {
    for (unsigned dim : dims)
      if (!rows.contains(dim))
        features.insert(dim);
  };
  for (auto [row, count] : byVotes) {
    if (features.contains(row))
      continue;
    rows.insert(row);
    for (const ProductDims &dims : products) {
      if (llvm::is_contained(dims.rows, row))
        markFeatures(dims.contracts);
      if (llvm::is_contained(dims.contracts, row))
        markFeatures(dims.rows);
      if (llvm::is_contained(dims.rows, row) ||
          llvm::is_contained(dims.contracts, row))
        markFeatures(dims.columns);
    }
  }
}

void RowDims::spreadThroughReshapes(DimClasses &classes) {
  SmallVector<DimClasses::Composite> composites = classes.getComposites();
  // The parts of a row are rows: tokens are (batch, position).
  for (size_t before = 0; before != rows.size();) {
    before = rows.size();
    for (const DimClasses::Composite &composite : composites)
      if (rows.contains(composite.whole))
        rows.insert(composite.parts.begin(), composite.parts.end());
  }
  // What has a row among its parts holds rows, but its other parts need not be
  // rows: (batch, head). A part of size 1 says nothing about the others.
  for (const DimClasses::Composite &composite : composites)
    if (llvm::any_of(composite.parts, [&](unsigned part) {
          return rows.contains(part) &&
                 (part == composite.whole || !classes.isUnit(part));
        }))
      rows.insert(composite.whole);
}

bool RowDims::hasRow(Value value, DimClasses &classes) const {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return false;
  return llvm::any_of(
      llvm::seq<unsigned>(0, type.getRank()),
      [&](unsigned dim) { return isRow(classes.getClass(value, dim)); });
}
