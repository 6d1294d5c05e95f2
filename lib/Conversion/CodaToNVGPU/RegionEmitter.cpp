//===- RegionEmitter.cpp - The region of an op, point by point -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionEmitter.h"

#include "MathLowering.h"

using namespace mlir;
using namespace mlir::coda;

static Level computeLevel(EpilogueOpInterface op, Value value) {
  bool hasRow = false, hasColumn = false;
  llvm::SmallBitVector support = op.getSupport(value);
  for (unsigned dim : support.set_bits())
    (op.getDimKind(dim) == DimKind::Column ? hasColumn : hasRow) = true;
  if (hasColumn)
    return hasRow ? Level::Point : Level::ColumnPair;
  return hasRow ? Level::Row : Level::Uniform;
}

RegionEmitter::RegionEmitter(ImplicitLocOpBuilder &b, EpilogueOpInterface op,
                             PointSource &source)
    : b(b), op(op), source(source) {
  Block &body = op.getBodyBlock();
  for (BlockArgument argument : body.getArguments())
    levels[argument] = computeLevel(op, argument);
  for (Operation &nested : body.without_terminator())
    for (Value result : nested.getResults())
      levels[result] = computeLevel(op, result);
}

RegionEmitter::Cache &RegionEmitter::getCache(Level level, Point point) {
  switch (level) {
  case Level::Uniform:
    return uniform;
  case Level::Row:
    return rows[point.row];
  case Level::ColumnPair:
    return columnPairs[point.columnPair];
  case Level::Point:
    break;
  }
  if (currentPoint.row != point.row ||
      currentPoint.columnPair != point.columnPair) {
    current.clear();
    currentPoint = point;
  }
  return current;
}

Value RegionEmitter::emitPair(Value value, Point point) {
  Value emitted = emit(value, point);
  return isPair(getLevel(value)) ? emitted : splat(b, emitted);
}

Value RegionEmitter::emit(Value value, Point point) {
  Level level = getLevel(value);
  if (Value known = getCache(level, point).lookup(value))
    return known;
  Value emitted;
  if (auto argument = dyn_cast<BlockArgument>(value))
    emitted = source.emitArgument(argument, level, point);
  else
    emitted = emitOperation(value.getDefiningOp(), level, point);
  getCache(level, point)[value] = emitted;
  return emitted;
}

Value RegionEmitter::emitOperation(Operation *nested, Level level,
                                   Point point) {
  if (auto index = dyn_cast<IndexOp>(nested))
    return source.emitIndex(*op.findDim(index.getDim()), level, point);
  bool pair = isPair(level);
  SmallVector<Value> operands;
  for (Value operand : nested->getOperands())
    operands.push_back(pair ? emitPair(operand, point) : emit(operand, point));
  return emitPointwise(b, nested, operands, pair);
}

LogicalResult mlir::coda::checkRegion(EpilogueOpInterface op) {
  for (Operation &nested : op.getBodyBlock().without_terminator()) {
    if (isa<IndexOp>(nested))
      continue;
    if (isa<GroupReduceOp>(nested))
      return nested.emitOpError(
          "is not lowered to the GPU here; split it into a reduced result and "
          "a coda.map");
    if (std::optional<std::string> error = findPointwiseError(&nested))
      return op->emitOpError("has no Hopper kernel: ") << *error;
  }
  return success();
}
