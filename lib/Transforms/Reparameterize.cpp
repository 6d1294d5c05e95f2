//===- Reparameterize.cpp - Move scales of rows past products -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Transforms/Passes.h"

#include "Remarks.h"
#include "ScalarExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CODAREPARAMETERIZEPASS
#include "coda/Transforms/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Match
//===----------------------------------------------------------------------===//

namespace {
/// A scalar that multiplies or divides.
struct Factor {
  ScalarAt scalar;
  bool isDivisor = false;
};

/// A value as a product of factors: those that depend on rows only, and the
/// rest.
struct Factorization {
  SmallVector<Factor> ofRows;
  SmallVector<Factor> rest;
};
} // namespace

/// Splits a scalar along its multiplications and divisions. Roundings between
/// them are not kept: the rewrite moves one.
static void factorize(const ScalarAt &unfollowed, bool isDivisor,
                      const llvm::SmallBitVector &rows, Factorization &result) {
  // A power by squaring has exponentially many factors; the rest stays whole.
  constexpr size_t maxFactors = 32;
  if (result.ofRows.size() + result.rest.size() >= maxFactors) {
    result.rest.push_back({unfollowed, isDivisor});
    return;
  }
  llvm::SmallBitVector outsideRows = getSupport(unfollowed, rows.size());
  outsideRows.reset(rows);
  if (outsideRows.none()) {
    result.ofRows.push_back({unfollowed, isDivisor});
    return;
  }
  ScalarAt scalar = followArgument(unfollowed);
  auto visit = [&](Value operand, bool divides) {
    factorize({scalar.map, operand, scalar.binding}, divides, rows, result);
  };
  Operation *def = scalar.value.getDefiningOp();
  if (auto mul = dyn_cast_or_null<arith::MulFOp>(def)) {
    visit(mul.getLhs(), isDivisor);
    visit(mul.getRhs(), isDivisor);
  } else if (auto div = dyn_cast_or_null<arith::DivFOp>(def)) {
    visit(div.getLhs(), isDivisor);
    visit(div.getRhs(), !isDivisor);
  } else if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(def)) {
    visit(def->getOperand(0), isDivisor);
  } else {
    result.rest.push_back({unfollowed, isDivisor});
  }
}

/// Rows of a product as dims of the map that computes its lhs.
static llvm::SmallBitVector getRowsOfLhs(GemmOp gemm, EpilogueOpInterface map,
                                         unsigned out) {
  EpilogueOpInterface op(gemm);
  llvm::SmallBitVector rows(map.getNumDims());
  for (auto [ofGemm, ofMap] : llvm::zip_equal(gemm.getLhsMap().getResults(),
                                              map.getOutMap(out).getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(ofMap)) {
      // A dimension of size 1 is no row of the product.
      auto product = dyn_cast<AffineDimExpr>(ofGemm);
      if (product && op.getDimKind(product.getPosition()) != DimKind::Contract)
        rows.set(dim.getPosition());
    }
  return rows;
}

static DimBinding getIdentity(unsigned numDims) {
  return llvm::to_vector(llvm::seq(0u, numDims));
}

/// The dims of the map that computes a lhs as dims of the product.
static FailureOr<DimBinding> bindToProduct(GemmOp gemm, EpilogueOpInterface map,
                                           unsigned out) {
  DimBinding binding(map.getNumDims(), 0);
  llvm::SmallBitVector bound(map.getNumDims());
  for (auto [ofGemm, ofMap] : llvm::zip_equal(gemm.getLhsMap().getResults(),
                                              map.getOutMap(out).getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(ofMap)) {
      auto product = dyn_cast<AffineDimExpr>(ofGemm);
      if (!product)
        return failure();
      binding[dim.getPosition()] = product.getPosition();
      bound.set(dim.getPosition());
    }
  if (!bound.all())
    return failure();
  return binding;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

static Value toF32(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type();
  if (value.getType() == f32)
    return value;
  return arith::ExtFOp::create(builder, loc, f32, value);
}

static bool isAtMostF32(const Factor &factor) {
  auto type = dyn_cast<FloatType>(factor.scalar.value.getType());
  return type && type.getWidth() <= 32;
}

/// Emits a product of factors in f32.
static Value emitProduct(OpBuilder &builder, ScalarCloner &cloner,
                         EpilogueOpInterface op, ArrayRef<Factor> factors,
                         bool acrossMaps) {
  Location loc = op->getLoc();
  Value product;
  for (bool divisors : {false, true})
    for (const Factor &factor : factors) {
      if (factor.isDivisor != divisors)
        continue;
      Value value = toF32(builder, loc,
                          cloner.emit(builder, op, factor.scalar, acrossMaps));
      if (!product && divisors)
        product = arith::ConstantOp::create(builder, loc,
                                            builder.getF32FloatAttr(1.0));
      if (!product)
        product = value;
      else if (divisors)
        product = arith::DivFOp::create(builder, loc, product, value);
      else
        product = arith::MulFOp::create(builder, loc, product, value);
    }
  return product;
}

/// The map without the factors of rows. Where maps meet stays as it is: other
/// results of theirs are read, not computed again.
static Value emitUnscaled(RewriterBase &rewriter, EpilogueOpInterface map,
                          unsigned out, ArrayRef<Factor> rest) {
  rewriter.setInsertionPoint(map);
  EpilogueBuilder builder(map.getContext());
  for (unsigned dim = 0, e = map.getNumDims(); dim < e; ++dim)
    builder.addDim(map.getDimName(dim), map.getDimKind(dim));
  builder.setNumerics(map->getAttrOfType<NumericsAttr>("numerics"));
  ScalarCloner cloner(builder, map.getNumDims());
  for (const Factor &factor : rest)
    cloner.declare(factor.scalar, /*acrossMaps=*/false);
  builder.addOut({map.getOuts()[out], map.getOutMap(out)});
  Location loc = map->getLoc();
  EpilogueOpInterface unscaled = builder.create(rewriter, loc);
  rewriter.setInsertionPointToEnd(&unscaled.getBodyBlock());
  Value value =
      emitProduct(rewriter, cloner, unscaled, rest, /*acrossMaps=*/false);
  Type type = getElementTypeOrSelf(map.getOuts()[out].getType());
  if (type != value.getType())
    value = arith::TruncFOp::create(rewriter, loc, type, value);
  YieldOp::create(rewriter, loc, value);
  return unscaled->getResult(0);
}

/// Replaces a product by one that reads `lhs` and scales its accumulators.
static void scaleAccumulators(RewriterBase &rewriter, GemmOp gemm, Value lhs,
                              ArrayRef<Factor> ofRows,
                              const DimBinding &binding) {
  EpilogueOpInterface old(gemm);
  rewriter.setInsertionPoint(gemm);
  SmallVector<Factor> factors(ofRows);
  for (Factor &factor : factors)
    for (unsigned &dim : factor.scalar.binding)
      dim = binding[dim];
  EpilogueBuilder builder = EpilogueBuilder::copyOf(old);
  builder.setLhs(lhs, gemm.getLhsMap());
  ScalarCloner cloner(builder, old.getNumDims());
  for (const Factor &factor : factors)
    cloner.declare(factor.scalar, /*acrossMaps=*/true);
  EpilogueOpInterface scaled = builder.create(rewriter, gemm.getLoc());

  rewriter.setInsertionPointToEnd(&scaled.getBodyBlock());
  Value scale =
      emitProduct(rewriter, cloner, scaled, factors, /*acrossMaps=*/true);
  IRMapping mapping;
  for (unsigned rhs = 0, e = old.getNumRhs(); rhs < e; ++rhs)
    for (auto [from, to] : llvm::zip_equal(old.getAccumulatorArgs(rhs),
                                           scaled.getAccumulatorArgs(rhs)))
      mapping.map(from,
                  arith::MulFOp::create(rewriter, gemm.getLoc(), to, scale)
                      .getResult());
  for (unsigned index = 0, e = old.getNumIns(); index < e; ++index)
    for (auto [from, to] :
         llvm::zip_equal(old.getInsArgs(index), scaled.getInsArgs(index)))
      mapping.map(from, to);
  for (unsigned out = 0, e = old.getNumOuts(); out < e; ++out)
    for (auto [from, to] :
         llvm::zip_equal(old.getUpdateArgs(out), scaled.getUpdateArgs(out)))
      mapping.map(from, to);
  YieldOp::create(rewriter, gemm.getLoc(),
                  cloneRegionInto(rewriter, old, mapping,
                                  [](StringAttr name) { return name; }));
  rewriter.replaceOp(gemm, scaled->getResults());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class ReparameterizePass
    : public coda::impl::CodaReparameterizePassBase<ReparameterizePass> {
public:
  using CodaReparameterizePassBase::CodaReparameterizePassBase;

  void runOnOperation() override {
    // Products are replaced on the way; the maps that feed them are not.
    llvm::SetVector<Value> operands;
    getOperation()->walk([&](GemmOp gemm) {
      if (auto map = gemm.getLhs().getDefiningOp<MapOp>())
        if (map->getBlock() == gemm->getBlock())
          operands.insert(gemm.getLhs());
    });
    for (Value lhs : operands)
      moveScalePastProducts(lhs);
  }

private:
  void moveScalePastProducts(Value lhs);
  LogicalResult checkUsers(Value lhs, std::string &reason);
};
} // namespace

/// Every user must be a product that reads the value as its lhs only, over rows
/// of the same dims.
LogicalResult ReparameterizePass::checkUsers(Value lhs, std::string &reason) {
  auto result = cast<OpResult>(lhs);
  auto map = cast<EpilogueOpInterface>(result.getOwner());
  std::optional<llvm::SmallBitVector> rows;
  for (OpOperand &use : lhs.getUses()) {
    auto gemm = dyn_cast<GemmOp>(use.getOwner());
    if (!gemm || use.getOperandNumber() != 0 ||
        gemm->getBlock() != map->getBlock()) {
      reason = "the scaled value is also read by " +
               describeOp(use.getOwner()) + ", which cannot take the scale";
      return failure();
    }
    if (failed(bindToProduct(gemm, map, result.getResultNumber()))) {
      reason = "the lhs has a dimension of size 1";
      return failure();
    }
    llvm::SmallBitVector own =
        getRowsOfLhs(gemm, map, result.getResultNumber());
    if (rows && *rows != own) {
      reason = "its users sum over different dims";
      return failure();
    }
    rows = own;
  }
  return success();
}

/// The first product in program order that has `lhs` as its lhs.
static GemmOp getFirstProductOf(Value lhs) {
  GemmOp first;
  for (OpOperand &use : lhs.getUses())
    if (auto gemm = dyn_cast<GemmOp>(use.getOwner());
        gemm && use.getOperandNumber() == 0 &&
        gemm->getBlock() == lhs.getParentBlock() &&
        (!first || gemm->isBeforeInBlock(first)))
      first = gemm;
  return first;
}

/// %n = coda.map { x * r } ; coda.gemm lhs(%n)
///   =>  %u = coda.map { x } ; coda.gemm lhs(%u) ins(r's operands) { acc * r }
void ReparameterizePass::moveScalePastProducts(Value lhs) {
  auto result = cast<OpResult>(lhs);
  auto map = cast<EpilogueOpInterface>(result.getOwner());
  if (!isElementwise(map) || !map.getDimsOfKind(DimKind::Member).empty())
    return;
  unsigned out = result.getResultNumber();
  GemmOp firstGemm = getFirstProductOf(lhs);
  if (failed(bindToProduct(firstGemm, map, out)))
    return;
  Factorization factors;
  factorize({map, map.getYieldedValues(out)[0], getIdentity(map.getNumDims())},
            /*isDivisor=*/false, getRowsOfLhs(firstGemm, map, out), factors);
  auto dependsOnRow = [&](const Factor &factor) {
    return getSupport(factor.scalar, map.getNumDims()).any();
  };
  // A constant factor gains nothing by moving.
  if (llvm::none_of(factors.ofRows, dependsOnRow) || factors.rest.empty() ||
      !llvm::all_of(factors.ofRows, isAtMostF32) ||
      !llvm::all_of(factors.rest, isAtMostF32))
    return;

  constexpr StringLiteral what = "scale-of-rows";
  std::string found =
      "a scale of the rows of the lhs of " + describeOp(firstGemm);
  Numerics allowed = std::min(getStricterNumerics(map, numerics),
                              getStricterNumerics(firstGemm, numerics));
  if (allowed == Numerics::Bitwise) {
    remarkMissed(map, kReparameterizeCategory, what, "left " + found,
                 "moving it past the product moves a rounding, which numerics "
                 "= bitwise forbids");
    return;
  }
  std::string reason;
  if (failed(checkUsers(lhs, reason))) {
    remarkMissed(map, kReparameterizeCategory, what, "left " + found, reason);
    return;
  }
  remarkPassed(map, kReparameterizeCategory, what,
               "moved " + found + " past it: (diag(r) X) W = diag(r) (X W)");
  IRRewriter rewriter(&getContext());
  Value unscaled = emitUnscaled(rewriter, map, out, factors.rest);
  SmallVector<GemmOp> products;
  for (Operation *user : lhs.getUsers())
    products.push_back(cast<GemmOp>(user));
  llvm::sort(products,
             [](GemmOp a, GemmOp b) { return a->isBeforeInBlock(b); });
  for (GemmOp gemm : products)
    scaleAccumulators(rewriter, gemm, unscaled, factors.ofRows,
                      *bindToProduct(gemm, map, out));
}
