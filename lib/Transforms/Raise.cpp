//===- Raise.cpp - Raise linalg to coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Transforms/Passes.h"

#include "Raising.h"
#include "Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CODARAISEPASS
#include "coda/Transforms/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;
using linalg::LinalgOp;

/// Whether a reshape only adds or drops dims of size 1.
static bool changesUnitDimsOnly(Operation *reshape) {
  auto countWide = [](Type type) {
    return llvm::count_if(cast<ShapedType>(type).getShape(),
                          [](int64_t size) { return size != 1; });
  };
  return countWide(reshape->getOperand(0).getType()) ==
         countWide(reshape->getResult(0).getType());
}

/// The reshape at either end of the use that upstream asks about.
static bool shouldPropagateReshape(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(producer))
    return !changesUnitDimsOnly(producer);
  return !changesUnitDimsOnly(use->getOwner());
}

/// Gives linalg one form, in which no reshape stands between two ops. Dims of
/// size 1 go first: propagation would bring them back.
static LogicalResult normalizeLinalg(FunctionOpInterface function) {
  MLIRContext *context = function->getContext();
  RewritePatternSet unitDims(context);
  linalg::ControlDropUnitDims options;
  linalg::populateLinalgNamedOpsGeneralizationPatterns(unitDims);
  linalg::populateFoldUnitExtentDimsPatterns(unitDims, options);
  linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(unitDims, options);
  RewritePatternSet reshapes(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(reshapes,
                                                    shouldPropagateReshape);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(reshapes, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(reshapes, context);
  tensor::populateFoldTensorEmptyPatterns(reshapes);
  return failure(failed(applyPatternsGreedily(function, std::move(unitDims))) ||
                 failed(applyPatternsGreedily(function, std::move(reshapes))));
}

static SmallVector<LinalgOp> collectLinalgOps(FunctionOpInterface function) {
  SmallVector<LinalgOp> ops;
  function->walk([&](LinalgOp op) { ops.push_back(op); });
  return ops;
}

static bool isFill(LinalgOp op) {
  return op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         llvm::none_of(op.getDpsInputs(), [](Value input) {
           return isa<ShapedType>(input.getType());
         });
}

namespace {
class RaisePass : public coda::impl::CodaRaisePassBase<RaisePass> {
public:
  using CodaRaisePassBase::CodaRaisePassBase;

  void runOnOperation() override {
    // Ops of this function may stand where ops of the last one stood.
    refused.clear();
    FunctionOpInterface function = getOperation();
    if (function.isExternal() || !containsLinalg(function))
      return;
    if (failed(normalizeLinalg(function))) {
      function.emitError("coda-raise: patterns did not converge");
      return signalPassFailure();
    }
    SetVector<Operation *> products = raiseProducts(function);
    raiseNeighbours(function, products);
  }

private:
  static bool containsLinalg(FunctionOpInterface function) {
    return function->walk([](LinalgOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  NumericsAttr getNumericsAttr() {
    return NumericsAttr::get(&getContext(), numerics);
  }

  SetVector<Operation *> raiseProducts(FunctionOpInterface function) {
    IRRewriter rewriter(&getContext());
    SetVector<Operation *> products;
    for (LinalgOp op : collectLinalgOps(function)) {
      std::string reason;
      FailureOr<EpilogueOpInterface> gemm =
          raiseContraction(rewriter, op, getNumericsAttr(), reason);
      if (succeeded(gemm))
        products.insert(*gemm);
      else if (!reason.empty())
        remarkMissed(op, kRaiseCategory, "raise-contraction",
                     "left " + describeOp(op), reason);
    }
    return products;
  }

  /// Follows uses in both directions from the products.
  void raiseNeighbours(FunctionOpInterface function,
                       const SetVector<Operation *> &products) {
    SetVector<Operation *> reached(products);
    for (size_t next = 0; next < reached.size(); ++next) {
      Operation *op = reached[next];
      auto reach = [&](Operation *neighbour) {
        if (isCandidate(neighbour))
          reached.insert(neighbour);
      };
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          reach(def);
      for (Operation *user : op->getUsers())
        reach(user);
    }
    // In program order, so that names do not depend on how ops were reached.
    IRRewriter rewriter(&getContext());
    for (LinalgOp op : collectLinalgOps(function))
      if (reached.contains(op))
        raiseToMap(rewriter, op, getNumericsAttr());
  }

  /// Whether a neighbour of a product can be raised; a remark says why not.
  bool isCandidate(Operation *neighbour) {
    auto op = dyn_cast<LinalgOp>(neighbour);
    if (!op || isFill(op))
      return false;
    std::string reason;
    if (succeeded(canRaiseToMap(op, reason)))
      return true;
    if (refused.insert(op).second)
      remarkMissed(op, kRaiseCategory, "raise-map", "left " + describeOp(op),
                   reason);
    return false;
  }

  SmallPtrSet<Operation *, 8> refused;
};
} // namespace
