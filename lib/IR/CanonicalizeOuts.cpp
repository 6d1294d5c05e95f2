//===- CanonicalizeOuts.cpp - Canonical results of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueRewriting.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::coda;

namespace {
/// outs(update %y at (m, n)) whose old value is unused  =>  outs(%y at (m, n))
struct DropUnusedUpdate : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out) {
      if (!op.isUpdate(out) || op.isReduced(out) ||
          !areUnused(op.getUpdateArgs(out)))
        continue;
      BitVector deadArgs(op.getBodyBlock().getNumArguments());
      setBits(deadArgs, op.getUpdateArgs(out));
      SmallVector<bool> updates(op.getUpdates());
      updates[out] = false;
      rewriter.modifyOpInPlace(op, [&] {
        op.getBodyBlock().eraseArguments(deadArgs);
        op->setAttr("updates", rewriter.getDenseBoolArrayAttr(updates));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every old value is used");
  }
};

/// %f = linalg.fill outs(%e), coda.gemm outs(%f at (m, n))
///   =>  coda.gemm outs(%e at (m, n))
///
/// A destination that is not updated is never read, whatever it holds. Any
/// destination-style op may stand for the fill, and a constant becomes a
/// tensor.empty.
struct BypassOverwrittenOut : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out) {
      if (op.isUpdate(out))
        continue;
      Value current = op.getOuts()[out];
      // Where order does not matter, an op may be its own destination.
      if (current.getDefiningOp() == op)
        continue;
      Value destination = findDestination(current, rewriter);
      if (!destination || destination == current)
        continue;
      rewriter.modifyOpInPlace(op,
                               [&] { op.getOutOperand(out).set(destination); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "nothing is overwritten");
  }

private:
  /// A value of the same type that does not have the contents of `out`.
  static Value findDestination(Value out, PatternRewriter &rewriter) {
    auto type = dyn_cast<RankedTensorType>(out.getType());
    auto result = dyn_cast<OpResult>(out);
    if (!type || !result)
      return {};
    if (auto def = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
      return def.getTiedOpOperand(result)->get();
    if (!matchPattern(out, m_Constant()))
      return {};
    return tensor::EmptyOp::create(rewriter, out.getLoc(), type.getShape(),
                                   type.getElementType(), type.getEncoding());
  }
};

/// Uses of a result that equals an earlier one become uses of that one.
struct MergeEqualResults : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (unsigned second = 1, e = op->getNumResults(); second < e; ++second)
      for (unsigned first = 0; first < second; ++first) {
        if (op->getResult(second).use_empty() || !areEqual(op, first, second))
          continue;
        rewriter.replaceAllUsesWith(op->getResult(second),
                                    op->getResult(first));
        return success();
      }
    return rewriter.notifyMatchFailure(op, "results are distinct");
  }

private:
  static bool areEqual(EpilogueOpInterface op, unsigned first,
                       unsigned second) {
    if (op.isUpdate(first) && op.isReduced(first) &&
        op.getOuts()[first] != op.getOuts()[second])
      return false;
    return op->getResult(first).getType() == op->getResult(second).getType() &&
           op.getOutMap(first) == op.getOutMap(second) &&
           op.getCombiner(first) == op.getCombiner(second) &&
           op.isUpdate(first) == op.isUpdate(second) &&
           op.getYieldedValues(first) == op.getYieldedValues(second);
  }
};

/// Drops tensor results that nobody uses, with their outs and yielded values.
struct DropUnusedResults : public EpiloguePattern {
  using EpiloguePattern::EpiloguePattern;

  LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() == 0)
      return rewriter.notifyMatchFailure(op, "has no results");
    llvm::SmallBitVector kept = findKeptOuts(op);
    if (kept.all())
      return rewriter.notifyMatchFailure(op, "every result is used");
    unsigned firstOut = op->getNumOperands() - op.getNumOuts();
    llvm::SmallBitVector dropped(op->getNumOperands());
    for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
      if (!kept.test(out))
        dropped.set(firstOut + out);
    if (!definesDomainWithout(op, dropped))
      return rewriter.notifyMatchFailure(
          op, "an unused result is the only one to name a dim");
    keepOuts(rewriter, op, kept);
    return success();
  }

private:
  /// Outs whose result is used, and updates whose old value a kept out needs.
  static llvm::SmallBitVector findKeptOuts(EpilogueOpInterface op) {
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
    return isKept;
  }

  static void keepOuts(PatternRewriter &rewriter, EpilogueOpInterface op,
                       const llvm::SmallBitVector &kept) {
    EpilogueOperands operands(op);
    SmallVector<MappedOut> keptOuts;
    SmallVector<Value> yielded;
    BitVector deadArgs(op.getBodyBlock().getNumArguments());
    for (auto [out, operand] : llvm::enumerate(operands.outs)) {
      if (!kept.test(out)) {
        setBits(deadArgs, op.getUpdateArgs(out));
        continue;
      }
      keptOuts.push_back(operand);
      llvm::append_range(yielded, op.getYieldedValues(out));
    }
    operands.outs = std::move(keptOuts);

    EpilogueOpInterface replacement =
        rebuildWithOperands(rewriter, op, operands);
    Operation *yield = replacement.getYield();
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    eraseDeadOps(rewriter, replacement.getBodyBlock());
    eraseBlockArguments(rewriter, replacement, deadArgs);
    for (auto [index, out] : llvm::enumerate(kept.set_bits()))
      rewriter.replaceAllUsesWith(op->getResult(out),
                                  replacement->getResult(index));
    rewriter.eraseOp(op);
  }

  /// Uses of arguments must go before the arguments.
  static void eraseDeadOps(PatternRewriter &rewriter, Block &block) {
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(block)))
      if (inner.use_empty() && !inner.hasTrait<OpTrait::IsTerminator>())
        rewriter.eraseOp(&inner);
  }
};
} // namespace

void coda::addOutPatterns(RewritePatternSet &patterns, StringRef opName) {
  patterns.add<BypassOverwrittenOut, DropUnusedResults, DropUnusedUpdate,
               MergeEqualResults>(opName, patterns.getContext());
}
