//===- RaiseContraction.cpp - linalg contractions to coda.gemm -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgMatchers.h"
#include "Raising.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::coda;
using linalg::LinalgOp;

LoopDims::LoopDims(EpilogueBuilder &builder, ArrayRef<DimKind> kinds)
    : dimOfLoop(kinds.size()) {
  constexpr StringLiteral letters[] = {"b", "m", "n", "p", "k"};
  for (auto [value, letter] : llvm::enumerate(letters)) {
    DimKind kind = static_cast<DimKind>(value);
    unsigned count = 0;
    for (unsigned loop = 0; loop < kinds.size(); ++loop) {
      if (kinds[loop] != kind)
        continue;
      names.push_back(letter.str() + (count ? std::to_string(count) : ""));
      dimOfLoop[loop] = builder.addDim(names.back(), kind);
      ++count;
    }
  }
}

AffineMap LoopDims::translate(AffineMap map) const {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    exprs.push_back(
        loop ? getAffineDimExpr(dimOfLoop[loop.getPosition()], map.getContext())
             : expr);
  }
  return AffineMap::get(dimOfLoop.size(), 0, exprs, map.getContext());
}

Value coda::getPlainDestination(OpBuilder &builder, Location loc, Value init) {
  if (!init.getDefiningOp<LinalgOp>())
    return init;
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, init),
                                 getElementTypeOrSelf(init.getType()));
}

/// The kind of a loop follows from the operands that it indexes.
static FailureOr<SmallVector<DimKind>> classifyLoops(const Contraction &match,
                                                     std::string &reason) {
  SmallVector<DimKind> kinds;
  for (unsigned loop = 0, e = match.outMap.getNumDims(); loop < e; ++loop) {
    bool inLhs = match.lhsMap.isFunctionOfDim(loop);
    bool inRhs = match.rhsMap.isFunctionOfDim(loop);
    bool inOut = match.outMap.isFunctionOfDim(loop);
    if (inLhs && inRhs) {
      kinds.push_back(inOut ? DimKind::Batch : DimKind::Contract);
    } else if (inOut && (inLhs || inRhs)) {
      kinds.push_back(inLhs ? DimKind::Row : DimKind::Column);
    } else {
      reason = ("loop " + Twine(loop) + " sums over one operand only").str();
      return failure();
    }
  }
  if (!llvm::is_contained(kinds, DimKind::Contract)) {
    reason = "nothing is summed over";
    return failure();
  }
  return kinds;
}

FailureOr<EpilogueOpInterface> coda::raiseContraction(RewriterBase &rewriter,
                                                      LinalgOp op,
                                                      NumericsAttr numerics,
                                                      std::string &reason) {
  FailureOr<Contraction> match = matchContraction(op, reason);
  if (failed(match))
    return failure();
  FailureOr<SmallVector<DimKind>> kinds = classifyLoops(*match, reason);
  if (failed(kinds))
    return failure();
  Value init = op.getDpsInits()[0];
  if (init.getDefiningOp<tensor::EmptyOp>()) {
    reason = "its initial value is an uninitialised tensor.empty; fill it with "
             "zero to raise it";
    return failure();
  }

  EpilogueBuilder builder(op.getContext());
  LoopDims dims(builder, *kinds);
  builder.setNumerics(numerics);
  builder.setLhs(match->lhs, dims.translate(match->lhsMap));
  builder.addRhs(match->rhs, dims.translate(match->rhsMap));
  bool accumulates = !isUniformZero(init);
  Location loc = op->getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value destination =
      accumulates ? init : getPlainDestination(rewriter, loc, init);
  builder.addOut({destination, dims.translate(match->outMap), Combiner::Store,
                  /*isUpdate=*/accumulates});
  EpilogueOpInterface gemm = builder.create(rewriter, loc);

  rewriter.setInsertionPointToEnd(&gemm.getBodyBlock());
  Value value = gemm.getAccumulatorArgs(0)[0];
  Type elementType = getElementTypeOrSelf(init.getType());
  bool isNarrow = !elementType.isF32();
  if (accumulates) {
    Value old = gemm.getUpdateArgs(0)[0];
    if (isNarrow)
      old = arith::ExtFOp::create(rewriter, loc, value.getType(), old);
    value = arith::AddFOp::create(rewriter, loc, value, old);
  }
  if (isNarrow)
    value = arith::TruncFOp::create(rewriter, loc, elementType, value);
  YieldOp::create(rewriter, loc, value);
  rewriter.replaceOp(op, gemm->getResults());
  return gemm;
}
