//===- Prepare.cpp - Tensor programs as the host pipeline expects them -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "coda/IR/LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUPREPAREPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using utils::IteratorType;

/// The caller keeps the contents of its tensors: they are not overwritten by
/// results that could reuse their memory.
static void protectArguments(FunctionOpInterface function) {
  OpBuilder b(function.getContext());
  for (BlockArgument arg : function.getArguments())
    if (isa<TensorType>(arg.getType()))
      function.setArgAttr(
          arg.getArgNumber(),
          bufferization::BufferizationDialect::kWritableAttrName,
          b.getBoolAttr(false));
}

static bool isZeroFill(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

namespace {
/// linalg.softmax and its like ⇒ the ops they stand for.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// A contraction into a tensor of bf16 or f16 ⇒ one into f32 zeros, and a
/// generic that adds the init, unless it is zero, and rounds.
struct WidenAccumulator : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!coda::isMultiplyAccumulate(op) || !op.hasPureTensorSemantics())
      return failure();
    Value init = op.getDpsInitOperand(0)->get();
    auto narrow = dyn_cast<FloatType>(getElementTypeOrSelf(init));
    if (!narrow || narrow.getWidth() >= 32)
      return failure();
    if (!llvm::all_of(op.getDpsInputs(), [](Value input) {
          auto type = dyn_cast<FloatType>(getElementTypeOrSelf(input));
          return type && type.getWidth() <= 32;
        }))
      return failure();
    Value wide = contract(rewriter, op, init);
    rewriter.replaceOp(op, round(rewriter, op.getLoc(), wide, init));
    return success();
  }

private:
  static Value widen(OpBuilder &b, Location loc, Value value) {
    if (getElementTypeOrSelf(value).getIntOrFloatBitWidth() >= 32)
      return value;
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  }

  static Value contract(OpBuilder &b, linalg::LinalgOp op, Value init) {
    Location loc = op.getLoc();
    Type f32 = b.getF32Type();
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0.0));
    Value empty = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, init), f32);
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    auto product = linalg::GenericOp::create(
        b, loc, zeros.getType(), op.getDpsInputs(), zeros,
        op.getIndexingMapsArray(), op.getIteratorTypesArray(),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value value = arith::MulFOp::create(b, loc, widen(b, loc, args[0]),
                                              widen(b, loc, args[1]));
          value = arith::AddFOp::create(b, loc, args[2], value);
          linalg::YieldOp::create(b, loc, value);
        });
    return product.getResult(0);
  }

  static Value round(OpBuilder &b, Location loc, Value wide, Value init) {
    bool addsInit = !isZeroFill(init);
    auto type = cast<RankedTensorType>(init.getType());
    AffineMap map = b.getMultiDimIdentityMap(type.getRank());
    SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        b, loc, type, wide, init, {map, map}, iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value value = args[0];
          if (addsInit)
            value =
                arith::AddFOp::create(b, loc, value, widen(b, loc, args[1]));
          value = arith::TruncFOp::create(b, loc, type.getElementType(), value);
          linalg::YieldOp::create(b, loc, value);
        });
    return generic.getResult(0);
  }
};

struct CPUPrepare : coda::impl::CPUPreparePassBase<CPUPrepare> {
  using CPUPreparePassBase::CPUPreparePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      protectArguments(function);
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAggregate, WidenAccumulator>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
