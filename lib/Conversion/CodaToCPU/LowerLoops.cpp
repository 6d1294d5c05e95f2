//===- LowerLoops.cpp - Linalg on buffers to loops for the host -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPULOWERLOOPSPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

static bool isInsideParallel(Operation *op) {
  return op->getParentOfType<scf::ParallelOp>() ||
         op->getParentOfType<scf::ForallOp>();
}

/// A failed assertion ends the call, which only its own thread can do.
static bool hasAssertion(Operation *op) {
  return op->walk([](cf::AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static bool isWorthParallel(ArrayRef<int64_t> ranges) {
  int64_t points = 1;
  for (int64_t range : ranges) {
    if (ShapedType::isDynamic(range))
      return true;
    points *= range;
  }
  return points >= minParallelPoints;
}

/// The outermost parallel dim with more than one index.
static std::optional<unsigned> findParallelDim(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!isWorthParallel(ranges))
    return std::nullopt;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (linalg::isParallelIterator(iterator) && ranges[dim] != 1)
      return dim;
  return std::nullopt;
}

/// Same op with `dim` as its outermost loop; the order of the others is kept.
static FailureOr<linalg::GenericOp>
moveOutermost(RewriterBase &rewriter, linalg::GenericOp op, unsigned dim) {
  if (dim == 0)
    return op;
  SmallVector<unsigned> order = {dim};
  for (unsigned other = 0, e = op.getNumLoops(); other < e; ++other)
    if (other != dim)
      order.push_back(other);
  return linalg::interchangeGenericOp(rewriter, op, order);
}

/// scf.for of a loop without results ⇒ scf.parallel. The caller knows that its
/// iterations are independent.
static void parallelize(RewriterBase &rewriter, scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop);
  auto parallel =
      scf::ParallelOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                              loop.getUpperBound(), loop.getStep());
  Block *body = parallel.getBody();
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body->getTerminator(),
                             body->getArgument(0));
  rewriter.eraseOp(loop);
}

static LogicalResult lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                                  bool parallel) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return op->emitError("has no loops for the host");
    generic = *general;
  }
  parallel &= !isInsideParallel(generic) && !hasAssertion(generic);
  if (succeeded(lowerContraction(rewriter, generic, parallel)))
    return success();
  std::optional<unsigned> outer;
  if (parallel)
    outer = findParallelDim(generic);
  if (outer) {
    FailureOr<linalg::GenericOp> moved =
        moveOutermost(rewriter, generic, *outer);
    if (failed(moved))
      return generic->emitError("cannot reorder loops");
    generic = *moved;
  }
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::LinalgLoops> loops =
      linalg::linalgOpToLoops(rewriter, generic);
  if (failed(loops))
    return generic->emitError("has no loops for the host");
  rewriter.eraseOp(generic);
  if (outer && !loops->empty())
    parallelize(rewriter, cast<scf::ForOp>(loops->front()));
  return success();
}

/// memref.copy between layouts would call a runtime function; loops do not.
static void lowerStridedCopy(RewriterBase &rewriter, memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!source || !target ||
      (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
    return;
  rewriter.setInsertionPoint(copy);
  rewriter.replaceOp(copy, linalg::makeMemRefCopyOp(rewriter, copy.getLoc(),
                                                    copy.getSource(),
                                                    copy.getTarget()));
}

namespace {
struct CPULowerLoops : coda::impl::CPULowerLoopsPassBase<CPULowerLoops> {
  using CPULowerLoopsPassBase::CPULowerLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](memref::CopyOp copy) { lowerStridedCopy(rewriter, copy); });
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (failed(lowerToLoops(rewriter, op, parallel)))
        return signalPassFailure();
  }
};
} // namespace
