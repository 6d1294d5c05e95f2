//===- OperandView.cpp - Operands as the hardware sees them -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandView.h"

using namespace mlir;
using namespace mlir::coda;

static StringRef getClause(DimKind kind) {
  switch (kind) {
  case DimKind::Batch:
    return "batch";
  case DimKind::Row:
    return "row";
  case DimKind::Column:
    return "column";
  case DimKind::Member:
    return "member";
  case DimKind::Contract:
    return "contract";
  }
  llvm_unreachable("all kinds are covered");
}

std::optional<int64_t> mlir::coda::getStaticStride(MemRefType type,
                                                   unsigned dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(strides[dim]))
    return std::nullopt;
  return strides[dim];
}

SizeProduct mlir::coda::getKindSize(EpilogueOpInterface op, DimKind kind) {
  SizeProduct product;
  for (unsigned dim : op.getDimsOfKind(kind))
    if (auto source = op.getDimSource(dim))
      product.factors.push_back(
          {source->first->getOperandNumber(), source->second});
  return product;
}

std::optional<int64_t> mlir::coda::getStaticKindSize(EpilogueOpInterface op,
                                                     DimKind kind) {
  int64_t product = 1;
  for (unsigned dim : op.getDimsOfKind(kind)) {
    int64_t size = op.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    product *= size;
  }
  return product;
}

/// Whether dimension `dim` is a row of dimension `dim + 1`, by the type.
static bool isContiguous(MemRefType type, unsigned dim) {
  if (type.getDimSize(dim) == 1 || type.getLayout().isIdentity())
    return true;
  std::optional<int64_t> stride = getStaticStride(type, dim);
  std::optional<int64_t> inner = getStaticStride(type, dim + 1);
  int64_t size = type.getDimSize(dim + 1);
  return stride && inner && !ShapedType::isDynamic(size) &&
         *stride == *inner * size;
}

std::variant<TensorMapDim, std::string>
mlir::coda::collapseDims(EpilogueOpInterface op, OpOperand &operand,
                         DimKind kind) {
  auto type = cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  std::string name = op.describeOperand(operand.getOperandNumber());
  TensorMapDim collapsed;
  for (unsigned dim : op.getDimsOfKind(kind)) {
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    if (!position)
      return (name + " does not name " + getClause(kind) + " dim '" +
              op.getDimName(dim) + "'")
          .str();
    if (!collapsed.memrefDims.empty()) {
      unsigned previous = collapsed.memrefDims.back();
      if (*position != previous + 1)
        return (name + " does not keep its " + getClause(kind) +
                " dims together and in order, so that they are no single "
                "dimension of a tensor map")
            .str();
      if (!isContiguous(type, previous))
        return (name + " has " + getClause(kind) +
                " dims that its layout does not make contiguous")
            .str();
    }
    collapsed.memrefDims.push_back(*position);
  }
  return collapsed;
}

/// The bulk copy engine wants rows that start at multiples of 16 bytes.
static std::optional<std::string>
findStrideError(StringRef name, MemRefType type, const TensorMapDim &dim) {
  if (dim.memrefDims.empty())
    return std::nullopt;
  unsigned last = dim.memrefDims.back();
  std::optional<int64_t> stride = getStaticStride(type, last);
  if (!stride || type.getDimSize(last) == 1)
    return std::nullopt;
  int64_t bytes = *stride * type.getElementTypeBitWidth() / 8;
  if (bytes > 0 && bytes % 16 == 0)
    return std::nullopt;
  return (name + " has a stride of " + Twine(bytes) +
          " bytes, but a tensor map needs a multiple of 16")
      .str();
}

std::variant<TensorMapView, std::string>
mlir::coda::getTensorMapView(EpilogueOpInterface op, OpOperand &operand,
                             DimKind inner, DimKind outer, int64_t innerBox,
                             int64_t outerBox) {
  std::string name = op.describeOperand(operand.getOperandNumber());
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return name + " is no memref";
  if (!type.getElementType().isBF16() && !type.getElementType().isF16())
    return name + " has elements that are not bf16 or f16";

  TensorMapView view;
  view.param = {operand.getOperandNumber(), type.getElementType(), {}, {}};
  auto addDim = [&](TensorMapDim dim,
                    int64_t box) -> std::optional<std::string> {
    bool innermost = view.param.dims.empty();
    view.param.dims.push_back(dim);
    view.param.box.push_back(box);
    return innermost ? std::nullopt : findStrideError(name, type, dim);
  };

  auto innermost = collapseDims(op, operand, inner);
  if (auto *error = std::get_if<std::string>(&innermost))
    return *error;
  ArrayRef<unsigned> innerDims = std::get<TensorMapDim>(innermost).memrefDims;
  if (innerDims.empty() || getStaticStride(type, innerDims.back()) != 1)
    return (name + " is not contiguous along its " + getClause(inner) + " dims")
        .str();
  addDim(std::get<TensorMapDim>(innermost), innerBox);
  auto next = collapseDims(op, operand, outer);
  if (auto *error = std::get_if<std::string>(&next))
    return *error;
  if (auto error = addDim(std::get<TensorMapDim>(next), outerBox))
    return *error;

  AffineMap map = op.getMatchingIndexingMap(&operand);
  view.members = op.getMembersOf(map);
  for (unsigned member : view.members) {
    unsigned position =
        *map.getResultPosition(getAffineDimExpr(member, op.getContext()));
    if (auto error = addDim({{position}}, 1))
      return *error;
  }
  if (view.param.dims.size() > 5)
    return name + " names more members than a tensor map has dimensions";
  return view;
}
