//===- Ops.cpp - Interfaces that coda ops implement -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::coda;

AffineMap GemmOp::getLhsMap() {
  return cast<AffineMapAttr>(getIndexingMaps()[0]).getValue();
}

AffineMap GemmOp::getRhsMap(unsigned index) {
  return cast<AffineMapAttr>(getIndexingMaps()[1 + index]).getValue();
}

static ArrayRef<int64_t> getOperandShape(OpOperand *operand) {
  if (auto type = dyn_cast<ShapedType>(operand->get().getType()))
    return type.getShape();
  return {};
}

ArrayRef<int64_t> GemmOp::getShape(OpOperand *operand) {
  return getOperandShape(operand);
}

ArrayRef<int64_t> MapOp::getShape(OpOperand *operand) {
  return getOperandShape(operand);
}

//===----------------------------------------------------------------------===//
// Effects and speculation
//===----------------------------------------------------------------------===//

/// On memrefs, everything is read but outs that are only written.
static void
collectEffects(EpilogueOpInterface op,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  unsigned firstOut = op.getNumProductOperands() + op.getNumIns();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    unsigned number = operand.getOperandNumber();
    bool isOut = number >= firstOut;
    if (!isOut || op.isUpdate(number - firstOut))
      effects.emplace_back(MemoryEffects::Read::get(), &operand, /*stage=*/0,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, /*stage=*/1,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
  }
}

void GemmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  collectEffects(EpilogueOpInterface(*this), effects);
}

void MapOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  collectEffects(EpilogueOpInterface(*this), effects);
}

static Speculation::Speculatability getSpeculatabilityOf(Operation *op) {
  bool onTensors =
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
  return onTensors ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

Speculation::Speculatability GemmOp::getSpeculatability() {
  return getSpeculatabilityOf(*this);
}

Speculation::Speculatability MapOp::getSpeculatability() {
  return getSpeculatabilityOf(*this);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Size of a result's dimension, taken from an operand that is not a
/// destination where there is one: destinations are about to be replaced.
static OpFoldResult reifyDimension(OpBuilder &builder, EpilogueOpInterface op,
                                   unsigned out, unsigned dimension) {
  OpOperand &outOperand = op.getOutOperand(out);
  OpOperand *operand = &outOperand;
  unsigned position = dimension;
  if (auto dim =
          dyn_cast<AffineDimExpr>(op.getOutMap(out).getResult(dimension)))
    std::tie(operand, position) = *op.getDimSource(dim.getPosition());
  int64_t size = getOperandShape(&outOperand)[dimension];
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  Location loc = op->getLoc();
  return tensor::DimOp::create(builder, loc, operand->get(), position)
      .getResult();
}

static LogicalResult reifyShapes(OpBuilder &builder, EpilogueOpInterface op,
                                 ReifiedRankedShapedTypeDims &shapes) {
  for (unsigned out = 0, e = op->getNumResults(); out < e; ++out) {
    SmallVector<OpFoldResult> shape;
    for (unsigned dimension = 0, rank = op.getOutMap(out).getNumResults();
         dimension < rank; ++dimension)
      shape.push_back(reifyDimension(builder, op, out, dimension));
    shapes.push_back(std::move(shape));
  }
  return success();
}

LogicalResult GemmOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyShapes(builder, EpilogueOpInterface(*this), shapes);
}

LogicalResult MapOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  return reifyShapes(builder, EpilogueOpInterface(*this), shapes);
}

//===----------------------------------------------------------------------===//
// Names in the assembly
//===----------------------------------------------------------------------===//

static void nameArguments(EpilogueOpInterface op, Region &region,
                          OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument arg : region.getArguments())
    setName(arg, arg.getArgNumber() < op.getNumAccumulators() ? "acc" : "in");
}

void GemmOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  nameArguments(EpilogueOpInterface(*this), region, setName);
}

void MapOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  nameArguments(EpilogueOpInterface(*this), region, setName);
}

void IndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getDim());
}

void YieldOp::build(OpBuilder &, OperationState &) {}
