//===- FuseElementwise.cpp - Elementwise neighbours in one loop nest -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUFUSEELEMENTWISEPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;

/// An op that moves values and computes nothing.
static bool isForwarding(linalg::LinalgOp op) {
  return op.getBlock()->without_terminator().empty();
}

/// Fusing must not repeat work: a producer joins a consumer that runs once for
/// each of its points. A contraction would repeat it for every column.
static bool canFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || !operand->get().hasOneUse() ||
      linalg::isaContractionOpInterface(consumer))
    return false;
  return isForwarding(producer) ||
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Reshapes may travel through elementwise ops only: a contraction keeps its
/// few, long loops.
static bool canMoveReshape(OpOperand *operand) {
  auto isElementwise = [](Operation *op) {
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
    return !linalgOp || linalgOp.getNumReductionLoops() == 0;
  };
  return isElementwise(operand->get().getDefiningOp()) &&
         isElementwise(operand->getOwner());
}

namespace {
struct CPUFuseElementwise
    : coda::impl::CPUFuseElementwisePassBase<CPUFuseElementwise> {
  using CPUFuseElementwisePassBase::CPUFuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, canFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canMoveReshape);
    linalg::populateConstantFoldLinalgOperations(
        patterns,
        [](OpOperand *operand) { return operand->get().hasOneUse(); });
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
