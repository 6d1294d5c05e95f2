//===- Interfaces.cpp - Queries shared by coda.gemm and coda.map -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::coda;

#include "coda/IR/CodaInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Domain
//===----------------------------------------------------------------------===//

unsigned EpilogueOpInterface::getNumDims() { return getDimNames().size(); }

StringRef EpilogueOpInterface::getDimName(unsigned dim) {
  return cast<StringAttr>(getDimNames()[dim]).getValue();
}

DimKind EpilogueOpInterface::getDimKind(unsigned dim) {
  return cast<DimKindAttr>(getDimKinds()[dim]).getValue();
}

std::optional<unsigned> EpilogueOpInterface::findDim(StringRef name) {
  for (unsigned dim = 0, e = getNumDims(); dim < e; ++dim)
    if (getDimName(dim) == name)
      return dim;
  return std::nullopt;
}

SmallVector<unsigned> EpilogueOpInterface::getDimsOfKind(DimKind kind) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0, e = getNumDims(); dim < e; ++dim)
    if (getDimKind(dim) == kind)
      dims.push_back(dim);
  return dims;
}

static int64_t getDimensionSize(Value value, unsigned dimension) {
  return cast<ShapedType>(value.getType()).getDimSize(dimension);
}

int64_t EpilogueOpInterface::getDimSize(unsigned dim) {
  AffineExpr expr = getAffineDimExpr(dim, getContext());
  for (auto [operand, map] :
       llvm::zip((*this)->getOpOperands(), getIndexingMapsArray())) {
    std::optional<unsigned> dimension = map.getResultPosition(expr);
    if (!dimension)
      continue;
    int64_t size = getDimensionSize(operand.get(), *dimension);
    if (!ShapedType::isDynamic(size))
      return size;
  }
  return ShapedType::kDynamic;
}

std::optional<std::pair<OpOperand *, unsigned>>
EpilogueOpInterface::getDimSource(unsigned dim) {
  // Destinations come last among the operands, so the first hit is preferred.
  AffineExpr expr = getAffineDimExpr(dim, getContext());
  for (auto [operand, map] :
       llvm::zip((*this)->getOpOperands(), getIndexingMapsArray()))
    if (std::optional<unsigned> dimension = map.getResultPosition(expr))
      return std::make_pair(&operand, *dimension);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

unsigned EpilogueOpInterface::getNumRhs() {
  unsigned products = getNumProductOperands();
  return products == 0 ? 0 : products - 1;
}

OpOperand &EpilogueOpInterface::getInsOperand(unsigned index) {
  return (*this)->getOpOperand(getNumProductOperands() + index);
}

OpOperand &EpilogueOpInterface::getOutOperand(unsigned index) {
  return (*this)->getOpOperand(getNumProductOperands() + getNumIns() + index);
}

AffineMap EpilogueOpInterface::getInsMap(unsigned index) {
  return getMatchingIndexingMap(&getInsOperand(index));
}

AffineMap EpilogueOpInterface::getOutMap(unsigned index) {
  return getMatchingIndexingMap(&getOutOperand(index));
}

std::string EpilogueOpInterface::describeOperand(unsigned operandNumber) {
  unsigned products = getNumProductOperands();
  auto numbered = [](StringRef clause, unsigned index) {
    return (clause + " #" + Twine(index)).str();
  };
  if (operandNumber < products)
    return operandNumber == 0 ? "lhs" : numbered("rhs", operandNumber - 1);
  unsigned epilogue = operandNumber - products;
  if (epilogue < getNumIns())
    return numbered("ins", epilogue);
  return numbered("outs", epilogue - getNumIns());
}

Combiner EpilogueOpInterface::getCombiner(unsigned out) {
  return cast<CombinerAttr>(getCombiners()[out]).getValue();
}

bool EpilogueOpInterface::isReduced(unsigned out) {
  return getCombiner(out) != Combiner::Store;
}

SmallVector<unsigned> EpilogueOpInterface::getReducedDims(unsigned out) {
  AffineMap map = getOutMap(out);
  SmallVector<unsigned> dims;
  for (unsigned dim = 0, e = getNumDims(); dim < e; ++dim) {
    DimKind kind = getDimKind(dim);
    if (kind != DimKind::Member && kind != DimKind::Contract &&
        !map.isFunctionOfDim(dim))
      dims.push_back(dim);
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

SmallVector<unsigned> EpilogueOpInterface::getMembersOf(AffineMap map) {
  SmallVector<unsigned> members = getDimsOfKind(DimKind::Member);
  llvm::erase_if(members,
                 [&](unsigned dim) { return !map.isFunctionOfDim(dim); });
  return members;
}

SmallVector<SmallVector<int64_t>>
EpilogueOpInterface::getMemberTuples(AffineMap map) {
  SmallVector<SmallVector<int64_t>> tuples(1);
  for (unsigned member : getMembersOf(map)) {
    SmallVector<SmallVector<int64_t>> longer;
    for (const SmallVector<int64_t> &tuple : tuples)
      for (int64_t index = 0, size = getDimSize(member); index < size;
           ++index) {
        longer.push_back(tuple);
        longer.back().push_back(index);
      }
    tuples = std::move(longer);
  }
  return tuples;
}

/// Number of tuples of the members that a map names.
static unsigned countTuples(EpilogueOpInterface op, AffineMap map) {
  unsigned count = 1;
  for (unsigned member : op.getMembersOf(map))
    count *= op.getDimSize(member);
  return count;
}

//===----------------------------------------------------------------------===//
// Region
//===----------------------------------------------------------------------===//

/// Number of block arguments that an operand stands for.
static unsigned countArgs(EpilogueOpInterface op, unsigned operandNumber) {
  unsigned products = op.getNumProductOperands();
  if (products != 0 && operandNumber == 0)
    return 0;
  unsigned firstOut = products + op.getNumIns();
  if (operandNumber >= firstOut) {
    unsigned out = operandNumber - firstOut;
    if (!op.isUpdate(out) || op.isReduced(out))
      return 0;
  }
  OpOperand &operand = op->getOpOperand(operandNumber);
  return countTuples(op, op.getMatchingIndexingMap(&operand));
}

static Block::BlockArgListType getArgs(EpilogueOpInterface op,
                                       unsigned operandNumber) {
  unsigned first = 0;
  for (unsigned number = 0; number < operandNumber; ++number)
    first += countArgs(op, number);
  return op.getBodyBlock().getArguments().slice(first,
                                                countArgs(op, operandNumber));
}

Block::BlockArgListType EpilogueOpInterface::getAccumulatorArgs(unsigned rhs) {
  return getArgs(*this, 1 + rhs);
}

Block::BlockArgListType EpilogueOpInterface::getInsArgs(unsigned index) {
  return getArgs(*this, getInsOperand(index).getOperandNumber());
}

Block::BlockArgListType EpilogueOpInterface::getUpdateArgs(unsigned out) {
  return getArgs(*this, getOutOperand(out).getOperandNumber());
}

unsigned EpilogueOpInterface::getNumAccumulators() {
  unsigned count = 0;
  for (unsigned rhs = 0, e = getNumRhs(); rhs < e; ++rhs)
    count += countArgs(*this, 1 + rhs);
  return count;
}

OperandRange EpilogueOpInterface::getYieldedValues(unsigned out) {
  unsigned first = 0;
  for (unsigned index = 0; index < out; ++index)
    first += countTuples(*this, getOutMap(index));
  return getYield()->getOperands().slice(first,
                                         countTuples(*this, getOutMap(out)));
}

/// The dims named by the operand that a block argument stands for.
static llvm::SmallBitVector getSupportOfArg(EpilogueOpInterface op,
                                            BlockArgument arg) {
  llvm::SmallBitVector support(op.getNumDims());
  unsigned first = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    unsigned count = countArgs(op, number);
    if (arg.getArgNumber() >= first + count) {
      first += count;
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isAccumulator = number < op.getNumProductOperands();
    for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
      DimKind kind = op.getDimKind(dim);
      if (kind == DimKind::Member || kind == DimKind::Contract)
        continue;
      // A product also depends on the rows, which only lhs names.
      if (map.isFunctionOfDim(dim) || (isAccumulator && kind == DimKind::Row))
        support.set(dim);
    }
    return support;
  }
  return support;
}

static llvm::SmallBitVector
getSupportImpl(EpilogueOpInterface op, Value value,
               DenseMap<Value, llvm::SmallBitVector> &known) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  llvm::SmallBitVector support(op.getNumDims());
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    support = getSupportOfArg(op, arg);
  } else {
    Operation *def = value.getDefiningOp();
    if (auto index = dyn_cast<IndexOp>(def)) {
      if (std::optional<unsigned> dim = op.findDim(index.getDim()))
        support.set(*dim);
    }
    for (Value operand : def->getOperands())
      support |= getSupportImpl(op, operand, known);
    if (auto reduce = dyn_cast<GroupReduceOp>(def))
      for (StringAttr name : reduce.getDims().getAsRange<StringAttr>())
        if (std::optional<unsigned> dim = op.findDim(name))
          support.reset(*dim);
  }
  known[value] = support;
  return support;
}

llvm::SmallBitVector EpilogueOpInterface::getSupport(Value value) {
  DenseMap<Value, llvm::SmallBitVector> known;
  return getSupportImpl(*this, value, known);
}
