//===- ScalarExpression.cpp - Scalars of regions, followed across maps -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarExpression.h"

#include "RegionInlining.h"

using namespace mlir;
using namespace mlir::coda;

/// The ins that an argument of a map's region stands for.
static std::optional<unsigned> getInsOf(const ScalarAt &scalar) {
  auto arg = dyn_cast<BlockArgument>(scalar.value);
  if (!arg)
    return std::nullopt;
  EpilogueOpInterface map = scalar.map;
  for (unsigned index = 0, e = map.getNumIns(); index < e; ++index)
    if (llvm::is_contained(map.getInsArgs(index), arg))
      return index;
  return std::nullopt;
}

ScalarAt coda::followArgument(ScalarAt scalar) {
  while (std::optional<unsigned> index = getInsOf(scalar)) {
    Value operand = scalar.map.getIns()[*index];
    EpilogueOpInterface producer = getProducerInBlock(operand, scalar.map);
    std::string reason;
    if (!producer || producer.getNumProductOperands() != 0)
      return scalar;
    FailureOr<DimBinding> binding =
        bindProducer(producer, scalar.map, *index, reason);
    if (failed(binding))
      return scalar;
    for (unsigned &dim : *binding)
      dim = scalar.binding[dim];
    unsigned out = cast<OpResult>(operand).getResultNumber();
    scalar = {producer, producer.getYieldedValues(out)[0], *binding};
  }
  return scalar;
}

static ScalarKey getKey(ScalarAt scalar) {
  return {scalar.map.getOperation(), scalar.value.getAsOpaquePointer(),
          scalar.binding};
}

/// Values are shared, so that without `visited` the time would be exponential.
static void addSupport(const ScalarAt &unfollowed,
                       llvm::SmallBitVector &support,
                       std::set<ScalarKey> &visited) {
  ScalarAt scalar = followArgument(unfollowed);
  if (!visited.insert(getKey(scalar)).second)
    return;
  auto addBound = [&](const llvm::SmallBitVector &dims) {
    for (unsigned dim : dims.set_bits())
      support.set(scalar.binding[dim]);
  };
  Operation *def = scalar.value.getDefiningOp();
  if (!def || isa<IndexOp, GroupReduceOp>(def)) {
    addBound(scalar.map.getSupport(scalar.value));
    return;
  }
  for (Value operand : def->getOperands())
    addSupport({scalar.map, operand, scalar.binding}, support, visited);
}

llvm::SmallBitVector coda::getSupport(const ScalarAt &scalar,
                                      unsigned numDims) {
  llvm::SmallBitVector support(numDims);
  std::set<ScalarKey> visited;
  addSupport(scalar, support, visited);
  return support;
}

//===----------------------------------------------------------------------===//
// Cloning
//===----------------------------------------------------------------------===//

std::pair<Value, AffineMap>
ScalarCloner::getOperandOf(const ScalarAt &scalar) const {
  EpilogueOpInterface map = scalar.map;
  unsigned index = *getInsOf(scalar);
  return {map.getIns()[index],
          rebind(map.getInsMap(index), scalar.binding, numDims)};
}

unsigned ScalarCloner::addIns(Value value, AffineMap map) {
  std::pair<Value, AffineMap> operand(value, map);
  auto it = llvm::find(added, operand);
  if (it != added.end())
    return positions[it - added.begin()];
  added.push_back(operand);
  positions.push_back(builder.addIns(value, map));
  return positions.back();
}

void ScalarCloner::declare(const ScalarAt &unfollowed, bool acrossMaps) {
  ScalarAt scalar = acrossMaps ? followArgument(unfollowed) : unfollowed;
  if (!declared.insert({acrossMaps, getKey(scalar)}).second)
    return;
  if (getInsOf(scalar)) {
    auto [value, map] = getOperandOf(scalar);
    addIns(value, map);
    return;
  }
  for (Value operand : scalar.value.getDefiningOp()->getOperands())
    declare({scalar.map, operand, scalar.binding}, acrossMaps);
}

Value ScalarCloner::emit(OpBuilder &rewriter, EpilogueOpInterface op,
                         const ScalarAt &unfollowed, bool acrossMaps) {
  ScalarAt scalar = acrossMaps ? followArgument(unfollowed) : unfollowed;
  if (getInsOf(scalar)) {
    auto [value, map] = getOperandOf(scalar);
    return op.getInsArgs(addIns(value, map))[0];
  }
  std::pair<Operation *, Request> key(op.getOperation(),
                                      {acrossMaps, getKey(scalar)});
  auto known = emitted.find(key);
  if (known != emitted.end())
    return known->second;
  Operation *def = scalar.value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : def->getOperands())
    mapping.map(
        operand,
        emit(rewriter, op, {scalar.map, operand, scalar.binding}, acrossMaps));
  Operation *clone = rewriter.clone(*def, mapping);
  if (auto index = dyn_cast<IndexOp>(clone)) {
    unsigned dim = *scalar.map.findDim(index.getDim());
    index.setDim(op.getDimName(scalar.binding[dim]));
  }
  Value result =
      clone->getResult(cast<OpResult>(scalar.value).getResultNumber());
  emitted[key] = result;
  return result;
}
