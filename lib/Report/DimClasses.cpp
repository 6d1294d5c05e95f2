//===- DimClasses.cpp - Dims of a function that are one dim -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/DimClasses.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::coda;

DimClasses::DimClasses(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type || !type.hasRank())
      continue;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        argumentDims.push_back(getClass(argument, dim));
  }
  function.getFunctionBody().walk([&](Operation *op) { visit(op); });
}

unsigned DimClasses::addNode(int64_t size) {
  parents.push_back(parents.size());
  sizes.push_back(size);
  return parents.back();
}

unsigned DimClasses::find(unsigned node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

// The older node represents the class, so argument dims keep their numbers.
void DimClasses::unite(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  if (b < a)
    std::swap(a, b);
  parents[b] = a;
  if (ShapedType::isDynamic(sizes[a]))
    sizes[a] = sizes[b];
}

unsigned DimClasses::getClass(Value value, unsigned dim) {
  auto found = valueNodes.find({value, dim});
  if (found != valueNodes.end())
    return find(found->second);
  int64_t size = cast<ShapedType>(value.getType()).getDimSize(dim);
  unsigned node = addNode(size);
  valueNodes[{value, dim}] = node;
  return node;
}

unsigned DimClasses::getLoopClass(Operation *op, unsigned loop) {
  auto found = loopNodes.find({op, loop});
  if (found != loopNodes.end())
    return find(found->second);
  unsigned node = addNode(ShapedType::kDynamic);
  loopNodes[{op, loop}] = node;
  return node;
}

SmallVector<DimClasses::Composite> DimClasses::getComposites() {
  SmallVector<Composite> current = composites;
  for (Composite &composite : current) {
    composite.whole = find(composite.whole);
    for (unsigned &part : composite.parts)
      part = find(part);
  }
  return current;
}

static ShapedType getRankedType(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type : ShapedType();
}

void DimClasses::uniteShapes(Value a, Value b) {
  ShapedType aType = getRankedType(a), bType = getRankedType(b);
  if (!aType || !bType || aType.getRank() != bType.getRank())
    return;
  for (unsigned dim = 0; dim < aType.getRank(); ++dim)
    if (aType.getDimSize(dim) == bType.getDimSize(dim))
      unite(getClass(a, dim), getClass(b, dim));
}

void DimClasses::visitStructured(Operation *op) {
  auto structured = cast<IndexingMapOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    ShapedType type = getRankedType(operand.get());
    if (!type)
      continue;
    AffineMap map = structured.getMatchingIndexingMap(&operand);
    if (!map || map.getNumResults() != type.getRank())
      continue;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        unite(getClass(operand.get(), dim),
              getLoopClass(op, loop.getPosition()));
  }
}

// A body may read a tensor that is not an operand, at the indices of its loops.
void DimClasses::visitCaptured(Operation *op) {
  op->walk([&](tensor::ExtractOp extract) {
    for (auto [dim, index] : llvm::enumerate(extract.getIndices()))
      if (auto loop = index.getDefiningOp<linalg::IndexOp>())
        unite(getClass(extract.getTensor(), dim),
              getLoopClass(op, loop.getDim()));
  });
}

void DimClasses::visitReshape(Value expanded, Value collapsed,
                              ArrayRef<SmallVector<int64_t, 2>> groups) {
  auto expandedType = cast<ShapedType>(expanded.getType());
  for (auto [whole, group] : llvm::enumerate(groups)) {
    Composite composite{getClass(collapsed, whole), {}};
    SmallVector<unsigned> larger;
    for (int64_t part : group) {
      composite.parts.push_back(getClass(expanded, part));
      if (expandedType.getDimSize(part) != 1)
        larger.push_back(composite.parts.back());
    }
    // Dimensions of size 1 take no part: the only other one is the whole.
    if (larger.size() == 1)
      unite(composite.whole, larger.front());
    composites.push_back(std::move(composite));
  }
}

void DimClasses::visit(Operation *op) {
  if (isa<IndexingMapOpInterface>(op)) {
    visitStructured(op);
    visitCaptured(op);
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      uniteShapes(destination.getTiedOpOperand(result)->get(), result);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::CollapseShapeOp reshape) {
        visitReshape(reshape.getSrc(), reshape.getResult(),
                     reshape.getReassociationIndices());
      })
      .Case([&](tensor::ExpandShapeOp reshape) {
        visitReshape(reshape.getResult(), reshape.getSrc(),
                     reshape.getReassociationIndices());
      })
      .Case<tensor::CastOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::PadOp, tensor::ConcatOp, linalg::SoftmaxOp>(
          [&](Operation *view) {
            for (Value operand : view->getOperands())
              uniteShapes(operand, view->getResult(0));
          })
      .Default([&](Operation *other) {
        if (!other->hasTrait<OpTrait::Elementwise>())
          return;
        for (Value operand : other->getOperands())
          uniteShapes(operand, other->getResult(0));
      });
}

std::optional<SymbolicSize> DimClasses::getKnownSize(unsigned dimClass,
                                                     unsigned depth) {
  dimClass = find(dimClass);
  if (!ShapedType::isDynamic(sizes[dimClass]))
    return SymbolicSize(sizes[dimClass]);
  for (auto [number, argumentDim] : llvm::enumerate(argumentDims))
    if (find(argumentDim) == dimClass)
      return SymbolicSize::symbol("d" + std::to_string(number));
  // Reshapes may go round in circles.
  if (depth == 0)
    return std::nullopt;
  for (const Composite &composite : getComposites()) {
    if (composite.whole != dimClass)
      continue;
    SymbolicSize product(1);
    bool known = llvm::all_of(composite.parts, [&](unsigned part) {
      std::optional<SymbolicSize> size = getKnownSize(part, depth - 1);
      if (size)
        product = product * *size;
      return size.has_value();
    });
    if (known)
      return product;
  }
  return std::nullopt;
}

SymbolicSize DimClasses::getSize(unsigned dimClass) {
  if (std::optional<SymbolicSize> size = getKnownSize(dimClass, /*depth=*/4))
    return *size;
  return SymbolicSize::symbol("s" + std::to_string(find(dimClass)));
}

SymbolicSize DimClasses::getNumElements(Value value) {
  ShapedType type = getRankedType(value);
  if (!type)
    return SymbolicSize(0);
  SymbolicSize product(1);
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    product =
        product * (type.isDynamicDim(dim) ? getSize(getClass(value, dim))
                                          : SymbolicSize(type.getDimSize(dim)));
  return product;
}

static int64_t getElementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  // An index, and whatever else a tensor of a linalg program may hold.
  return 8;
}

SymbolicSize DimClasses::getNumBytes(Value value) {
  ShapedType type = getRankedType(value);
  if (!type)
    return SymbolicSize(0);
  return getNumElements(value) *
         SymbolicSize(getElementBytes(type.getElementType()));
}
