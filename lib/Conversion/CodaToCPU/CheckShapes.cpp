//===- CheckShapes.cpp - Assertions on sizes of run time -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUCHECKSHAPESPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

/// Where the source wrote an op, or nothing.
static std::string describeLocation(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()) + ": ")
      .str();
}

static std::string describeFailure(Operation *op, StringRef problem) {
  return (describeLocation(op->getLoc()) + "'" + op->getName().getStringRef() +
          "' op " + problem)
      .str();
}

static void assertEqual(OpBuilder &b, Operation *op, OpFoldResult lhs,
                        OpFoldResult rhs, const Twine &problem) {
  if (lhs == rhs)
    return;
  Location loc = op->getLoc();
  Value equal =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            getValueOrCreateConstantIndexOp(b, loc, lhs),
                            getValueOrCreateConstantIndexOp(b, loc, rhs));
  cf::AssertOp::create(b, loc, equal, describeFailure(op, problem.str()));
}

static OpFoldResult getSize(OpBuilder &b, Location loc, Value value,
                            unsigned dimension) {
  if (isa<MemRefType>(value.getType()))
    return memref::getMixedSize(b, loc, value, dimension);
  return tensor::getMixedSize(b, loc, value, dimension);
}

static std::string describeOperand(Operation *op, unsigned number) {
  if (auto epilogue = dyn_cast<EpilogueOpInterface>(op))
    return epilogue.describeOperand(number);
  return "operand " + std::to_string(number);
}

/// All operands agree on the size of a loop that walks them.
static void checkLoop(OpBuilder &b, IndexingMapOpInterface op, unsigned dim) {
  AffineExpr expr = b.getAffineDimExpr(dim);
  std::optional<std::pair<unsigned, unsigned>> first;
  for (OpOperand &operand : op->getOpOperands()) {
    auto position = op.getMatchingIndexingMap(&operand).getResultPosition(expr);
    if (!position)
      continue;
    std::pair<unsigned, unsigned> place(operand.getOperandNumber(), *position);
    if (!first) {
      first = place;
      continue;
    }
    auto describe = [&](std::pair<unsigned, unsigned> place) {
      return "dimension " + std::to_string(place.second) + " of " +
             describeOperand(op, place.first);
    };
    assertEqual(
        b, op,
        getSize(b, op.getLoc(), op->getOperand(first->first), first->second),
        getSize(b, op.getLoc(), operand.get(), *position),
        "needs one size for " + describe(*first) + " and " + describe(place));
  }
}

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && !shaped.hasStaticShape();
}

static void checkLoops(OpBuilder &b, IndexingMapOpInterface op) {
  if (llvm::none_of(op->getOperandTypes(), isDynamic))
    return;
  unsigned loops = op.getIndexingMapsArray().front().getNumDims();
  for (unsigned dim = 0; dim < loops; ++dim)
    checkLoop(b, op, dim);
}

/// The parts of a dimension make up the whole.
static void checkExpandShape(OpBuilder &b, tensor::ExpandShapeOp op) {
  if (!isDynamic(op.getType()))
    return;
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> parts = op.getMixedOutputShape();
  for (auto [dimension, group] :
       llvm::enumerate(op.getReassociationIndices())) {
    Value product = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t part : group)
      product = b.createOrFold<arith::MulIOp>(
          loc, product, getValueOrCreateConstantIndexOp(b, loc, parts[part]));
    assertEqual(b, op, tensor::getMixedSize(b, loc, op.getSrc(), dimension),
                product,
                "needs parts that make up dimension " + Twine(dimension));
  }
}

namespace {
struct CPUCheckShapes : coda::impl::CPUCheckShapesPassBase<CPUCheckShapes> {
  using CPUCheckShapesPassBase::CPUCheckShapesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, EpilogueOpInterface, tensor::ExpandShapeOp,
              tensor::ExtractOp, tensor::ExtractSliceOp>(op))
        ops.push_back(op);
    });
    OpBuilder b(&getContext());
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
        checkExpandShape(b, expand);
      else if (auto mapped = dyn_cast<IndexingMapOpInterface>(op))
        checkLoops(b, mapped);
      else if (auto checked = dyn_cast<RuntimeVerifiableOpInterface>(op))
        checked.generateRuntimeVerification(b, op->getLoc(), describeFailure);
    }
  }
};
} // namespace
