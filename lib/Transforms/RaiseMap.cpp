//===- RaiseMap.cpp - Elementwise and reduction linalg ops to coda.map -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgMatchers.h"
#include "Raising.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::coda;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static LogicalResult checkBody(LinalgOp op, std::string &reason) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    StringRef name = inner.getName().getStringRef();
    if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner) ||
        !isSpeculatable(&inner)) {
      reason = ("its body has '" + name +
                "', which is not a pure scalar op that may run at any point")
                   .str();
      return failure();
    }
    if (!llvm::all_of(inner.getOperandTypes(), isScalar) ||
        !llvm::all_of(inner.getResultTypes(), isScalar)) {
      reason =
          ("its body has '" + name +
           "' on a whole tensor, so a point needs elements of other points")
              .str();
      return failure();
    }
  }
  return success();
}

static LogicalResult checkOperands(LinalgOp op, std::string &reason) {
  if (!op.hasPureTensorSemantics()) {
    reason = "it works on buffers";
    return failure();
  }
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true)) {
      reason = "an operand is not indexed by distinct loops";
      return failure();
    }
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineConstantExpr>(expr) && op.getShape(&operand)[dim] != 1) {
        reason = "an operand is read at index 0 of a dimension whose size is "
                 "not 1";
        return failure();
      }
  }
  for (Value operand : op->getOperands())
    if (!getElementTypeOrSelf(operand.getType()).isIntOrIndexOrFloat()) {
      reason = "an operand has elements that are no scalars";
      return failure();
    }
  return success();
}

/// The combiner of an init that reduction loops accumulate into.
static std::optional<Combiner> matchCombiner(LinalgOp op, unsigned init) {
  std::optional<Accumulation> accumulation = matchAccumulation(op, init);
  if (!accumulation)
    return std::nullopt;
  Value start = op.getDpsInits()[init];
  if (isa<arith::AddFOp>(accumulation->combiner))
    return Combiner::Add;
  if (isa<arith::MaximumFOp>(accumulation->combiner) &&
      isUniformNegativeInfinity(start))
    return Combiner::Max;
  return std::nullopt;
}

static LogicalResult checkReductions(LinalgOp op, std::string &reason) {
  if (op.getNumReductionLoops() == 0)
    return success();
  for (unsigned init = 0, e = op.getNumDpsInits(); init < e; ++init) {
    if (!getElementTypeOrSelf(op.getDpsInits()[init].getType()).isF32()) {
      reason = "it reduces in a type other than f32";
      return failure();
    }
    if (!matchCombiner(op, init)) {
      reason = "it reduces by something else than a sum, or a maximum that "
               "starts at -inf";
      return failure();
    }
  }
  return success();
}

/// Stores must name every dim: an init that lacks a parallel loop would be
/// written several times.
static LogicalResult checkInits(LinalgOp op, std::string &reason) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      if (type == utils::IteratorType::parallel && !map.isFunctionOfDim(loop)) {
        reason = "a result is not indexed by every parallel loop";
        return failure();
      }
  }
  return success();
}

LogicalResult coda::canRaiseToMap(LinalgOp op, std::string &reason) {
  return failure(
      failed(checkOperands(op, reason)) || failed(checkBody(op, reason)) ||
      failed(checkInits(op, reason)) || failed(checkReductions(op, reason)));
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Reduction loops are columns. The last loop of an elementwise op is one too;
/// when the map joins a product, the product's kinds win.
static SmallVector<DimKind> chooseKinds(LinalgOp op) {
  SmallVector<DimKind> kinds(op.getNumLoops(), DimKind::Row);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      kinds[loop] = DimKind::Column;
  if (op.getNumReductionLoops() == 0 && kinds.size() > 1)
    kinds.back() = DimKind::Column;
  return kinds;
}

/// Scalars that the body captures; constants are left to the region.
static SetVector<Value> getCapturedScalars(LinalgOp op) {
  SetVector<Value> captured;
  auto visit = [&](Value value) {
    if (value.getParentBlock() != op.getBlock() &&
        !matchPattern(value, m_Constant()))
      captured.insert(value);
  };
  for (Operation &inner : *op.getBlock())
    llvm::for_each(inner.getOperands(), visit);
  return captured;
}

/// Whether the region reads what an init held before.
static bool isRead(LinalgOp op, unsigned init) {
  return !op.getRegionOutputArgs()[init].use_empty();
}

static EpilogueBuilder::Out describeOut(LinalgOp op, const LoopDims &dims,
                                        unsigned init) {
  OpOperand *operand = op.getDpsInitOperand(init);
  EpilogueBuilder::Out out;
  out.value = operand->get();
  out.map = dims.translate(op.getMatchingIndexingMap(operand));
  if (op.getNumReductionLoops() == 0) {
    out.isUpdate = isRead(op, init);
    return out;
  }
  out.combiner = *matchCombiner(op, init);
  out.isUpdate = out.combiner == Combiner::Add && !isUniformZero(out.value);
  return out;
}

/// Maps the values that the body of `op` reads to values of the new region.
static IRMapping mapArguments(RewriterBase &rewriter, LinalgOp op,
                              EpilogueOpInterface map,
                              const SetVector<Value> &captured) {
  IRMapping mapping;
  unsigned numInputs = op.getNumDpsInputs();
  for (unsigned input = 0; input < numInputs; ++input)
    mapping.map(op.getBlock()->getArgument(input), map.getInsArgs(input)[0]);
  for (auto [index, value] : llvm::enumerate(captured))
    mapping.map(value, map.getInsArgs(numInputs + index)[0]);
  for (unsigned init = 0, e = op.getNumDpsInits(); init < e; ++init)
    if (!map.getUpdateArgs(init).empty())
      mapping.map(op.getRegionOutputArgs()[init], map.getUpdateArgs(init)[0]);
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !mapping.contains(operand))
        mapping.map(operand,
                    rewriter.clone(*operand.getDefiningOp())
                        ->getResult(cast<OpResult>(operand).getResultNumber()));
  return mapping;
}

EpilogueOpInterface coda::raiseToMap(RewriterBase &rewriter, LinalgOp op,
                                     NumericsAttr numerics) {
  EpilogueBuilder builder(op.getContext());
  LoopDims dims(builder, chooseKinds(op));
  builder.setNumerics(numerics);
  for (OpOperand *input : op.getDpsInputOperands())
    builder.addIns(input->get(),
                   dims.translate(op.getMatchingIndexingMap(input)));
  SetVector<Value> captured = getCapturedScalars(op);
  AffineMap scalarMap = AffineMap::get(op.getNumLoops(), 0, op.getContext());
  for (Value value : captured)
    builder.addIns(value, scalarMap);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (unsigned init = 0, e = op.getNumDpsInits(); init < e; ++init) {
    EpilogueBuilder::Out out = describeOut(op, dims, init);
    if (!out.isUpdate)
      out.value = getPlainDestination(rewriter, op->getLoc(), out.value);
    builder.addOut(out);
  }
  EpilogueOpInterface map = builder.create(rewriter, op->getLoc());
  rewriter.setInsertionPointToEnd(&map.getBodyBlock());
  IRMapping mapping = mapArguments(rewriter, op, map, captured);

  // The combiner of a reduction is said by the out, not by the region.
  SmallVector<Value> yielded(op.getBlock()->getTerminator()->getOperands());
  SmallPtrSet<Operation *, 2> combiners;
  if (op.getNumReductionLoops() != 0)
    for (unsigned init = 0, e = op.getNumDpsInits(); init < e; ++init) {
      Accumulation accumulation = *matchAccumulation(op, init);
      combiners.insert(accumulation.combiner);
      yielded[init] = accumulation.value;
    }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (combiners.contains(&inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  IndexOp::create(rewriter, index.getLoc(),
                                  rewriter.getIndexType(),
                                  dims.getName(index.getDim())));
      continue;
    }
    rewriter.clone(inner, mapping);
  }
  for (Value &value : yielded)
    value = mapping.lookup(value);
  YieldOp::create(rewriter, op->getLoc(), yielded);
  rewriter.replaceOp(op, map->getResults());
  return map;
}
