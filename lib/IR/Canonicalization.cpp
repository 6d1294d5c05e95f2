//===- Canonicalization.cpp - Canonical forms of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonical forms of what an op reads: its products, its ins and its domain.
// CanonicalizeOuts.cpp has those of its results.
//
//===----------------------------------------------------------------------===//

#include "EpilogueRewriting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::coda;

/// Drops an ins whose arguments have no uses.
static void dropIns(PatternRewriter &rewriter, EpilogueOpInterface op,
                    unsigned index) {
  BitVector deadArgs(op.getBodyBlock().getNumArguments());
  setBits(deadArgs, op.getInsArgs(index));
  EpilogueOperands operands(op);
  operands.ins.erase(operands.ins.begin() + index);
  EpilogueOpInterface replacement = rebuildWithOperands(rewriter, op, operands);
  eraseBlockArguments(rewriter, replacement, deadArgs);
  rewriter.replaceOp(op, replacement->getResults());
}

static void replaceArguments(PatternRewriter &rewriter,
                             Block::BlockArgListType from,
                             Block::BlockArgListType to) {
  for (auto [dropped, kept] : llvm::zip_equal(from, to))
    rewriter.replaceAllUsesWith(dropped, kept);
}

namespace {
/// ins(%a at (m)) with unused arguments  =>  no ins
struct DropUnusedIns : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned index = 0, e = op.getNumIns(); index < e; ++index) {
      llvm::SmallBitVector dropped(op->getNumOperands());
      dropped.set(op.getInsOperand(index).getOperandNumber());
      if (!areUnused(op.getInsArgs(index)) ||
          !definesDomainWithout(op, dropped))
        continue;
      dropIns(rewriter, op, index);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every ins is used");
  }
};

/// ins(%a at (m), %a at (m))  =>  ins(%a at (m))
/// ins(%a at (m)) outs(update %a at (m))  =>  outs(update %a at (m))
struct MergeEqualIns : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned index = 0, e = op.getNumIns(); index < e; ++index) {
      std::optional<Block::BlockArgListType> args = findEqual(op, index);
      if (!args)
        continue;
      replaceArguments(rewriter, op.getInsArgs(index), *args);
      dropIns(rewriter, op, index);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "ins are distinct");
  }

private:
  /// Arguments that have the values of an ins: those of an earlier ins or of
  /// an updated store.
  static std::optional<Block::BlockArgListType>
  findEqual(EpilogueOpInterface op, unsigned index) {
    Value value = op.getIns()[index];
    AffineMap map = op.getInsMap(index);
    for (unsigned first = 0; first < index; ++first)
      if (op.getIns()[first] == value && op.getInsMap(first) == map)
        return op.getInsArgs(first);
    for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
      if (op.isUpdate(out) && !op.isReduced(out) &&
          op.getOuts()[out] == value && op.getOutMap(out) == map)
        return op.getUpdateArgs(out);
    return std::nullopt;
  }
};

/// rhs(%w at (n, k), %w at (n, k))  =>  rhs(%w at (n, k))
struct MergeEqualRhs : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    EpilogueOperands operands(op);
    for (unsigned second = 1, e = op.getNumRhs(); second < e; ++second)
      for (unsigned first = 0; first < second; ++first) {
        const MappedOperand &kept = operands.products[1 + first];
        const MappedOperand &dropped = operands.products[1 + second];
        if (kept.value != dropped.value || kept.map != dropped.map)
          continue;
        dropRhs(rewriter, op, first, second);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "right-hand sides are distinct");
  }

private:
  static void dropRhs(PatternRewriter &rewriter, EpilogueOpInterface op,
                      unsigned kept, unsigned dropped) {
    replaceArguments(rewriter, op.getAccumulatorArgs(dropped),
                     op.getAccumulatorArgs(kept));
    BitVector deadArgs(op.getBodyBlock().getNumArguments());
    setBits(deadArgs, op.getAccumulatorArgs(dropped));
    EpilogueOperands operands(op);
    operands.products.erase(operands.products.begin() + 1 + dropped);
    EpilogueOpInterface replacement =
        rebuildWithOperands(rewriter, op, operands);
    eraseBlockArguments(rewriter, replacement, deadArgs);
    rewriter.replaceOp(op, replacement->getResults());
  }
};

/// An ins with one value everywhere becomes a constant of the region.
struct InlineConstantIns : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned index = 0, e = op.getNumIns(); index < e; ++index) {
      TypedAttr constant = getSingleValue(op.getIns()[index]);
      if (!constant || areUnused(op.getInsArgs(index)))
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&op.getBodyBlock());
      Value value = arith::ConstantOp::create(rewriter, op.getLoc(), constant);
      for (BlockArgument arg : op.getInsArgs(index))
        rewriter.replaceAllUsesWith(arg, value);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no ins is constant");
  }

private:
  static TypedAttr getSingleValue(Value ins) {
    Attribute attr;
    if (!matchPattern(ins, m_Constant(&attr)))
      return {};
    if (auto splat = dyn_cast<SplatElementsAttr>(attr))
      return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
    if (isa<ShapedType>(ins.getType()))
      return {};
    return dyn_cast<TypedAttr>(attr);
  }
};

/// members(p), at (n, p) where p has size 1  =>  at (n, 0)
///
/// The region stays as it is: such a member has one value either way.
struct DropUnitMember : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned dim : op.getDimsOfKind(DimKind::Member)) {
      if (op.getDimSize(dim) != 1 || standsOverDynamicSize(op, dim))
        continue;
      rewriter.modifyOpInPlace(op, [&] { dropDim(rewriter, op, dim); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no member of size 1");
  }

private:
  /// (C3) wants a 0 to stand over a static size of 1.
  static bool standsOverDynamicSize(EpilogueOpInterface op, unsigned dim) {
    AffineExpr expr = getAffineDimExpr(dim, op.getContext());
    for (auto [operand, map] :
         llvm::zip(op->getOpOperands(), op.getIndexingMapsArray()))
      if (std::optional<unsigned> dimension = map.getResultPosition(expr))
        if (cast<ShapedType>(operand.get().getType()).isDynamicDim(*dimension))
          return true;
    return false;
  }

  static void dropDim(PatternRewriter &rewriter, EpilogueOpInterface op,
                      unsigned dim) {
    SmallVector<Attribute> names(op.getDimNames().getValue());
    SmallVector<Attribute> kinds(op.getDimKinds().getValue());
    names.erase(names.begin() + dim);
    kinds.erase(kinds.begin() + dim);
    SmallVector<AffineExpr> dims;
    for (unsigned old = 0, e = op.getNumDims(); old < e; ++old)
      dims.push_back(
          old == dim ? rewriter.getAffineConstantExpr(0)
                     : rewriter.getAffineDimExpr(old < dim ? old : old - 1));
    SmallVector<AffineMap> maps;
    for (AffineMap map : op.getIndexingMapsArray())
      maps.push_back(map.replaceDimsAndSymbols(dims, {}, names.size(), 0));
    op->setAttr("dim_names", rewriter.getArrayAttr(names));
    op->setAttr("dim_kinds", rewriter.getArrayAttr(kinds));
    op->setAttr("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  }
};
} // namespace

void coda::addInPatterns(RewritePatternSet &patterns, StringRef opName) {
  patterns.add<DropUnitMember, DropUnusedIns, InlineConstantIns, MergeEqualIns,
               MergeEqualRhs>(opName, patterns.getContext());
}

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  addInPatterns(patterns, getOperationName());
  addOutPatterns(patterns, getOperationName());
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  addInPatterns(patterns, getOperationName());
  addOutPatterns(patterns, getOperationName());
}

/// Looks through casts of memrefs that only forget what a type says: others may
/// state a size that a map or a member relies on.
static LogicalResult foldCasts(Operation *op) {
  bool folded = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    operand.set(cast.getSource());
    folded = true;
  }
  return success(folded);
}

LogicalResult GemmOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return foldCasts(*this);
}

LogicalResult MapOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return foldCasts(*this);
}

OpFoldResult GroupReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? getValue() : Value();
}
