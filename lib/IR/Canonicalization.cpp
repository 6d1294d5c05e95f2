//===- Canonicalization.cpp - Canonical forms of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::coda;

static void eraseArguments(EpilogueOpInterface op,
                           Block::BlockArgListType args) {
  if (!args.empty())
    op.getBodyBlock().eraseArguments(args.front().getArgNumber(), args.size());
}

/// Erases an `ins`, whose arguments have no uses, with its map and arguments.
template <typename OpTy>
static void eraseIns(PatternRewriter &rewriter, OpTy op, unsigned index) {
  EpilogueOpInterface epilogue(op);
  rewriter.modifyOpInPlace(op, [&] {
    eraseArguments(epilogue, epilogue.getInsArgs(index));
    SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
    maps.erase(maps.begin() + epilogue.getNumProductOperands() + index);
    op.getInsMutable().erase(index);
    op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
  });
}

namespace {
/// ins(%a at (m)) with unused arguments  =>  no ins
template <typename OpTy> struct DropUnusedIns : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpilogueOpInterface epilogue(op);
    for (unsigned index = 0, e = epilogue.getNumIns(); index < e; ++index) {
      auto isUnused = [](BlockArgument arg) { return arg.use_empty(); };
      if (!llvm::all_of(epilogue.getInsArgs(index), isUnused) ||
          isOnlySourceOfADim(epilogue, index))
        continue;
      eraseIns(rewriter, op, index);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every ins is used");
  }

private:
  /// (C4) wants every dim to be named by some operand.
  static bool isOnlySourceOfADim(EpilogueOpInterface op, unsigned index) {
    unsigned number = op.getInsOperand(index).getOperandNumber();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
      if (!maps[number].isFunctionOfDim(dim))
        continue;
      bool elsewhere = false;
      for (auto [other, map] : llvm::enumerate(maps))
        elsewhere |= other != number && map.isFunctionOfDim(dim);
      if (!elsewhere)
        return true;
    }
    return false;
  }
};

/// ins(%a at (m), %a at (m))  =>  ins(%a at (m))
template <typename OpTy> struct MergeEqualIns : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpilogueOpInterface epilogue(op);
    for (unsigned second = 1, e = epilogue.getNumIns(); second < e; ++second)
      for (unsigned first = 0; first < second; ++first) {
        if (op.getIns()[first] != op.getIns()[second] ||
            epilogue.getInsMap(first) != epilogue.getInsMap(second))
          continue;
        rewriter.modifyOpInPlace(op, [&] {
          for (auto [kept, dropped] : llvm::zip(epilogue.getInsArgs(first),
                                                epilogue.getInsArgs(second)))
            dropped.replaceAllUsesWith(kept);
        });
        eraseIns(rewriter, op, second);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "ins are distinct");
  }
};

/// An ins with one value everywhere becomes a constant of the region.
template <typename OpTy>
struct InlineConstantIns : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpilogueOpInterface epilogue(op);
    for (unsigned index = 0, e = epilogue.getNumIns(); index < e; ++index) {
      TypedAttr constant = getSingleValue(op.getIns()[index]);
      auto isUsed = [](BlockArgument arg) { return !arg.use_empty(); };
      if (!constant || llvm::none_of(epilogue.getInsArgs(index), isUsed))
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&epilogue.getBodyBlock());
      Value value = arith::ConstantOp::create(rewriter, op.getLoc(), constant);
      for (BlockArgument arg : epilogue.getInsArgs(index))
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

/// outs(update %y at (m, n)) whose old value is unused  =>  outs(%y at (m, n))
template <typename OpTy>
struct DropUnusedUpdate : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpilogueOpInterface epilogue(op);
    for (unsigned out = 0, e = epilogue.getNumOuts(); out < e; ++out) {
      if (!epilogue.isUpdate(out) || epilogue.isReduced(out))
        continue;
      auto isUnused = [](BlockArgument arg) { return arg.use_empty(); };
      if (!llvm::all_of(epilogue.getUpdateArgs(out), isUnused))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        eraseArguments(epilogue, epilogue.getUpdateArgs(out));
        SmallVector<bool> updates(op.getUpdates());
        updates[out] = false;
        op.setUpdates(updates);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every old value is used");
  }
};

/// Drops tensor results that nobody uses, with their outs and yielded values.
template <typename OpTy>
struct DropUnusedResults : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    EpilogueOpInterface epilogue(op);
    if (op->getNumResults() == 0)
      return rewriter.notifyMatchFailure(op, "has no results");
    if (op->use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<unsigned> kept = getKeptOuts(epilogue);
    if (kept.size() == op->getNumResults())
      return rewriter.notifyMatchFailure(op, "every result is used");
    if (!namesEveryDim(epilogue, kept))
      return rewriter.notifyMatchFailure(
          op, "an unused result is the only one to name a dim");
    Operation *replacement = moveToOpWithOuts(rewriter, epilogue, kept);
    for (auto [index, out] : llvm::enumerate(kept))
      rewriter.replaceAllUsesWith(op->getResult(out),
                                  replacement->getResult(index));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Outs whose result is used, and updates whose old value a kept out needs.
  static SmallVector<unsigned> getKeptOuts(EpilogueOpInterface op) {
    llvm::SmallDenseSet<Value> needed;
    SmallVector<Value> worklist;
    llvm::SmallBitVector isKept(op.getNumOuts());
    auto keep = [&](unsigned out) {
      isKept.set(out);
      llvm::append_range(worklist, op.getYieldedValues(out));
    };
    for (OpResult result : op->getResults())
      if (!result.use_empty())
        keep(result.getResultNumber());
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!needed.insert(value).second)
        continue;
      if (Operation *def = value.getDefiningOp())
        llvm::append_range(worklist, def->getOperands());
      for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
        if (!isKept.test(out) &&
            llvm::is_contained(op.getUpdateArgs(out), value))
          keep(out);
    }
    return SmallVector<unsigned>(isKept.set_bits());
  }

  static bool namesEveryDim(EpilogueOpInterface op, ArrayRef<unsigned> kept) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned firstOut = op.getNumProductOperands() + op.getNumIns();
    llvm::SmallBitVector named(op.getNumDims());
    auto addDims = [&](AffineMap map) {
      for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
        if (map.isFunctionOfDim(dim))
          named.set(dim);
    };
    llvm::for_each(ArrayRef(maps).take_front(firstOut), addDims);
    for (unsigned out : kept)
      addDims(maps[firstOut + out]);
    return named.all();
  }

  static SmallVector<Operation *> getOps(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &inner : block.without_terminator())
      ops.push_back(&inner);
    return ops;
  }

  /// Moves the region into a new op that has only the outs in `kept`.
  static Operation *moveToOpWithOuts(PatternRewriter &rewriter,
                                     EpilogueOpInterface op,
                                     ArrayRef<unsigned> kept) {
    unsigned numProducts = op.getNumProductOperands();
    unsigned firstOut = numProducts + op.getNumIns();
    SmallVector<Value> operands(op->getOperands().take_front(firstOut));
    SmallVector<Attribute> maps(
        op.getIndexingMaps().getValue().take_front(firstOut));
    SmallVector<Attribute> combiners;
    SmallVector<bool> updates;
    SmallVector<Value> yielded;
    SmallVector<Type> types;
    for (unsigned out : kept) {
      operands.push_back(op.getOuts()[out]);
      types.push_back(op.getOuts()[out].getType());
      maps.push_back(op.getIndexingMaps()[firstOut + out]);
      combiners.push_back(op.getCombiners()[out]);
      updates.push_back(op.isUpdate(out));
      llvm::append_range(yielded, op.getYieldedValues(out));
    }

    Block &block = op.getBodyBlock();
    BitVector deadArgs(block.getNumArguments());
    for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
      if (!llvm::is_contained(kept, out))
        for (BlockArgument arg : op.getUpdateArgs(out))
          deadArgs.set(arg.getArgNumber());
    rewriter.modifyOpInPlace(op, [&] {
      op.getYield()->setOperands(yielded);
      // Users come after the ops that they use.
      SmallVector<Operation *> ops = getOps(block);
      for (Operation *inner : llvm::reverse(ops))
        if (inner->use_empty())
          rewriter.eraseOp(inner);
      block.eraseArguments(deadArgs);
    });

    NamedAttrList attrs(op->getAttrDictionary());
    attrs.set("indexing_maps", rewriter.getArrayAttr(maps));
    attrs.set("combiners", rewriter.getArrayAttr(combiners));
    attrs.set("updates", rewriter.getDenseBoolArrayAttr(updates));
    SmallVector<int32_t> segments;
    if (numProducts != 0)
      segments = {1, static_cast<int32_t>(numProducts - 1)};
    segments.push_back(op.getNumIns());
    segments.push_back(kept.size());
    attrs.set("operandSegmentSizes", rewriter.getDenseI32ArrayAttr(segments));
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(types);
    state.addAttributes(attrs);
    state.addRegion()->takeBody(op.getBody());
    return rewriter.create(state);
  }
};

template <typename OpTy> void addPatterns(RewritePatternSet &patterns) {
  patterns
      .add<DropUnusedIns<OpTy>, DropUnusedResults<OpTy>, DropUnusedUpdate<OpTy>,
           InlineConstantIns<OpTy>, MergeEqualIns<OpTy>>(patterns.getContext());
}
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  addPatterns<GemmOp>(patterns);
}

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  addPatterns<MapOp>(patterns);
}

LogicalResult GemmOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return memref::foldMemRefCast(*this);
}

LogicalResult MapOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return memref::foldMemRefCast(*this);
}
