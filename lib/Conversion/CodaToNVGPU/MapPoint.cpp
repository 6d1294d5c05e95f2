//===- MapPoint.cpp - One point of a map -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapPoint.h"

#include "MathLowering.h"

using namespace mlir;
using namespace mlir::coda;

unsigned mlir::coda::getElementBytes(OpOperand &operand) {
  Type type = getKernelType(getElementTypeOrSelf(operand.get().getType()));
  return type.getIntOrFloatBitWidth() / 8;
}

void MapPoint::setIndices(ArrayRef<unsigned> dims, Value position) {
  for (unsigned dim : llvm::reverse(dims)) {
    if (dim == dims.front()) {
      indices[dim] = position;
      return;
    }
    Value size = b.extendToI64(params.getDimSize(dim));
    indices[dim] = b.remainder(position, size);
    position = b.divide(position, size);
  }
}

Value MapPoint::emitAddress(OpOperand &operand, ArrayRef<int64_t> members) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned number = operand.getOperandNumber();
  SmallVector<unsigned> memberDims = op.getMembersOf(map);
  Value offset = b.constantI64(0);
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    // A dimension of size 1 is read at 0.
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    if (!dimExpr)
      continue;
    unsigned dim = dimExpr.getPosition();
    Value stride = params.getStride({number, static_cast<unsigned>(position)});
    const auto *member = llvm::find(memberDims, dim);
    Value index = member == memberDims.end()
                      ? indices.lookup(dim)
                      : b.constantI64(members[member - memberDims.begin()]);
    offset = b.add(offset, b.mul(index, stride));
  }
  Type element = cast<MemRefType>(operand.get().getType()).getElementType();
  return b.globalAddress(params.getPointer(number), getKernelType(element),
                         offset);
}

Value MapPoint::emitLoad(OpOperand &operand, ArrayRef<int64_t> members) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return params.getScalar(operand.getOperandNumber());
  return LLVM::LoadOp::create(b, getKernelType(type.getElementType()),
                              emitAddress(operand, members),
                              getElementBytes(operand));
}

void MapPoint::emitArguments() {
  auto load = [&](OpOperand &operand, Block::BlockArgListType arguments) {
    auto tuples = op.getMemberTuples(op.getMatchingIndexingMap(&operand));
    for (auto [argument, members] : llvm::zip(arguments, tuples))
      if (!argument.use_empty())
        values[argument] = emitLoad(operand, members);
  };
  for (unsigned index = 0; index < op.getNumIns(); ++index)
    load(op.getInsOperand(index), op.getInsArgs(index));
  for (unsigned out = 0; out < op.getNumOuts(); ++out)
    load(op.getOutOperand(out), op.getUpdateArgs(out));
}

void MapPoint::emitNested(Operation &nested) {
  if (auto index = dyn_cast<IndexOp>(nested)) {
    values[index] = indices.lookup(*op.findDim(index.getDim()));
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : nested.getOperands())
    operands.push_back(values.lookup(operand));
  values[nested.getResult(0)] =
      emitPointwise(b, &nested, operands, /*pair=*/false);
}

void MapPoint::emitRegion(Operation *end) {
  emitArguments();
  for (Operation &nested : op.getBodyBlock().without_terminator()) {
    if (&nested == end)
      return;
    if (!values.contains(nested.getResult(0)))
      emitNested(nested);
  }
}

void MapPoint::emitStores() {
  for (unsigned out = 0; out < op.getNumOuts(); ++out) {
    if (op.isReduced(out))
      continue;
    OpOperand &operand = op.getOutOperand(out);
    for (auto [value, members] : llvm::zip_equal(
             op.getYieldedValues(out), op.getMemberTuples(op.getOutMap(out))))
      LLVM::StoreOp::create(b, values.lookup(value),
                            emitAddress(operand, members),
                            getElementBytes(operand));
  }
}
