//===- PointAccess.cpp - Points of a thread and their memory -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointAccess.h"

#include "FragmentLayout.h"
#include "MathLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::coda;

PointAccess::PointAccess(GemmContext &context, const Consumer &consumer,
                         const TileCoordinates &at)
    : context(context), b(context.b), op(context.op) {
  consumerRow =
      b.add(at.row,
            b.mul(consumer.index, context.plan.schedule.getRowsPerConsumer()));
  Value warpRow = b.add(b.mul(consumer.warp, fragment::warpRows),
                        b.divide(consumer.lane, fragment::rowLanes));
  threadRow = b.add(consumerRow, warpRow);
  Value lanePair = b.remainder(consumer.lane, fragment::rowLanes);
  threadColumn = b.add(at.column, b.mul(lanePair, fragment::pairColumns));
  staticColumns = getStaticKindSize(op, DimKind::Column);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Value PointAccess::getRow(unsigned slot) {
  Value &row = rows[slot];
  if (!row)
    row = b.add(threadRow,
                slot / 2 * fragment::rows + slot % 2 * fragment::halfDistance);
  return row;
}

Value PointAccess::getColumn(unsigned pair) {
  return b.add(threadColumn, pair * fragment::groupColumns);
}

Value PointAccess::isColumnInside(unsigned pair, unsigned element) {
  if (staticColumns && *staticColumns % context.getPointColumns() == 0)
    return Value();
  return b.less(b.add(getColumn(pair), element), context.columns);
}

Value PointAccess::getLoadRow(Level level, unsigned slot) {
  if (level == Level::Uniform || level == Level::ColumnPair)
    return Value();
  Value &row = loadRows[slot];
  if (!row)
    row = b.minimum(getRow(slot), b.sub(context.rows, 1));
  return row;
}

Value PointAccess::getLoadColumn(unsigned pair, unsigned element) {
  Value column = b.add(getColumn(pair), element);
  if (staticColumns && *staticColumns % context.getPointColumns() == 0)
    return column;
  return b.minimum(column, b.sub(context.columns, 1));
}

Value PointAccess::emitDimIndex(unsigned dim, Value kindIndex) {
  SmallVector<unsigned> dims = op.getDimsOfKind(op.getDimKind(dim));
  for (unsigned last : llvm::reverse(dims)) {
    bool isFirst = last == dims.front();
    if (last == dim)
      return isFirst ? kindIndex
                     : b.remainder(kindIndex, context.params.getDimSize(last));
    kindIndex = b.divide(kindIndex, context.params.getDimSize(last));
  }
  llvm_unreachable("a dim is among the dims of its kind");
}

Value PointAccess::emitIndex(unsigned dim, Level level, Point point) {
  if (op.getDimKind(dim) == DimKind::Row)
    return b.extendToI64(emitDimIndex(dim, getRow(point.row)));
  SmallVector<Value> indices;
  for (unsigned element = 0; element < fragment::pairColumns; ++element)
    indices.push_back(b.extendToI64(
        emitDimIndex(dim, b.add(getColumn(point.columnPair), element))));
  return vector::FromElementsOp::create(
      b, VectorType::get(fragment::pairColumns, b.getI64Type()), indices);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Adds what may be absent.
static Value addOffsets(KernelBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return b.add(lhs, rhs);
}

Value PointAccess::emitKindOffset(OpOperand &operand, DimKind kind,
                                  Value kindIndex) {
  unsigned number = operand.getOperandNumber();
  // Dims that are one dimension of memory need no division.
  auto collapsed = collapseDims(op, operand, kind);
  if (auto *dim = std::get_if<TensorMapDim>(&collapsed)) {
    if (dim->memrefDims.empty())
      return Value();
    Value stride = context.params.getStride({number, dim->memrefDims.back()});
    return b.mul(b.extendToI64(kindIndex), stride);
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value offset;
  for (unsigned dim : op.getDimsOfKind(kind)) {
    auto position = map.getResultPosition(b.getAffineDimExpr(dim));
    if (!position)
      continue;
    Value index = b.extendToI64(emitDimIndex(dim, kindIndex));
    Value stride = context.params.getStride({number, *position});
    offset = addOffsets(b, offset, b.mul(index, stride));
  }
  return offset;
}

Value PointAccess::emitMemberOffset(OpOperand &operand,
                                    ArrayRef<int64_t> members) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value offset;
  for (auto [dim, index] : llvm::zip_equal(op.getMembersOf(map), members)) {
    unsigned position = *map.getResultPosition(b.getAffineDimExpr(dim));
    Value stride =
        context.params.getStride({operand.getOperandNumber(), position});
    offset = addOffsets(b, offset, b.mul(stride, index));
  }
  return offset;
}

Value PointAccess::emitAddress(OpOperand &operand, ArrayRef<int64_t> members,
                               Value row, Value column) {
  Value offset = emitMemberOffset(operand, members);
  if (row)
    offset = addOffsets(b, offset, emitKindOffset(operand, DimKind::Row, row));
  if (column)
    offset =
        addOffsets(b, offset, emitKindOffset(operand, DimKind::Column, column));
  Value pointer = context.params.getPointer(operand.getOperandNumber());
  if (!offset)
    return pointer;
  Type element = cast<MemRefType>(operand.get().getType()).getElementType();
  return b.globalAddress(pointer, getKernelType(element), offset);
}

Value PointAccess::emitRowAddress(OpOperand &operand, ArrayRef<int64_t> members,
                                  Value row) {
  return emitAddress(operand, members, row, Value());
}

bool PointAccess::isPairAligned(OpOperand &operand) {
  auto type = cast<MemRefType>(operand.get().getType());
  // Any column count but an even one would redirect one of the two only.
  if (!staticColumns || *staticColumns % fragment::pairColumns != 0)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty())
    return false;
  auto isEven = [](int64_t value) {
    return !ShapedType::isDynamic(value) && value % fragment::pairColumns == 0;
  };
  unsigned lastColumn = op.getDimsOfKind(DimKind::Column).back();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return map.getResults().back() == b.getAffineDimExpr(lastColumn) &&
         strides.back() == 1 && isEven(type.getShape().back()) &&
         isEven(offset) && llvm::all_of(ArrayRef(strides).drop_back(), isEven);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static unsigned getBytes(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// Loads where `inside` holds; where it is null, it always does.
static Value emitLoadInside(KernelBuilder &b, Type type, Value inside,
                            llvm::function_ref<Value()> load) {
  if (!inside)
    return load();
  auto choice = scf::IfOp::create(b, type, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, load());
  b.setInsertionPointToStart(choice.elseBlock());
  Value zero =
      arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  scf::YieldOp::create(b, zero);
  return choice.getResult(0);
}

Value PointAccess::getInside(OpOperand &operand, Point point,
                             unsigned element) {
  unsigned firstOut = op.getOutOperand(0).getOperandNumber();
  if (operand.getOperandNumber() < firstOut)
    return Value();
  Value inside = b.less(getRow(point.row), context.rows);
  if (Value column = isColumnInside(point.columnPair, element))
    inside = b.bitAnd(inside, column);
  return inside;
}

Value PointAccess::emitLoad(OpOperand &operand, ArrayRef<int64_t> members,
                            Level level, Point point) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return context.params.getScalar(operand.getOperandNumber());
  Type element = getKernelType(type.getElementType());
  Value row = getLoadRow(level, point.row);
  auto load = [&](Type loaded, Value column, unsigned ofPair = 0) -> Value {
    return emitLoadInside(b, loaded, getInside(operand, point, ofPair), [&] {
      Value address = emitAddress(operand, members, row, column);
      unsigned alignment = getBytes(element);
      if (isa<VectorType>(loaded))
        alignment *= fragment::pairColumns;
      return Value(LLVM::LoadOp::create(b, loaded, address, alignment));
    });
  };
  if (!isPair(level))
    return load(element, Value());
  // The pair that holds the last column is whole when the count is even.
  if (isPairAligned(operand)) {
    context.params.alignPointer(operand.getOperandNumber(),
                                fragment::pairColumns);
    Value first = getColumn(point.columnPair);
    if (*staticColumns % context.getPointColumns() != 0)
      first = b.minimum(first,
                        b.constantI32(*staticColumns - fragment::pairColumns));
    return load(withWidth(element, true), first);
  }
  SmallVector<Value> elements;
  for (unsigned index = 0; index < fragment::pairColumns; ++index)
    elements.push_back(
        load(element, getLoadColumn(point.columnPair, index), index));
  return vector::FromElementsOp::create(
      b, cast<VectorType>(withWidth(element, true)), elements);
}

void PointAccess::emitStore(OpOperand &operand, ArrayRef<int64_t> members,
                            Value pair, Point point) {
  Type element = cast<VectorType>(pair.getType()).getElementType();
  Value row = getRow(point.row), column = getColumn(point.columnPair);
  Value rowInside = b.less(row, context.rows);
  auto store = [&](Value value, Value column, Value columnInside,
                   unsigned alignment) {
    Value inside = columnInside ? b.bitAnd(rowInside, columnInside) : rowInside;
    b.ifTrue(inside, [&] {
      LLVM::StoreOp::create(
          b, value, emitAddress(operand, members, row, column), alignment);
    });
  };
  if (isPairAligned(operand)) {
    context.params.alignPointer(operand.getOperandNumber(),
                                fragment::pairColumns);
    store(pair, column, isColumnInside(point.columnPair, 0),
          fragment::pairColumns * getBytes(element));
    return;
  }
  for (unsigned index = 0; index < fragment::pairColumns; ++index)
    store(vector::ExtractOp::create(b, pair, index), b.add(column, index),
          isColumnInside(point.columnPair, index), getBytes(element));
}
