//===- KernelParams.cpp - Parameters of a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelParams.h"

#include "MathLowering.h"
#include "OperandView.h"

using namespace mlir;
using namespace mlir::coda;

Value KernelParams::add(KernelParam param, Type type) {
  plan.params.push_back(std::move(param));
  return function.getBody().front().addArgument(type, b.getLoc());
}

Value KernelParams::addTensorMap(const TensorMapParam &param) {
  return add(param, LLVM::LLVMPointerType::get(b.getContext()));
}

static Type getGlobalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
}

Value KernelParams::addScratch(const ScratchParam &param) {
  return add(param, getGlobalPointer(b.getContext()));
}

Value KernelParams::getPointer(unsigned operand) {
  Value &known = pointers[operand];
  if (!known)
    known = add(PointerParam{operand}, getGlobalPointer(b.getContext()));
  return known;
}

void KernelParams::alignPointer(unsigned operand, unsigned elements) {
  getPointer(operand);
  for (KernelParam &param : plan.params)
    if (auto *pointer = std::get_if<PointerParam>(&param))
      if (pointer->operand == operand)
        pointer->elements = std::max(pointer->elements, elements);
}

Value KernelParams::getScalar(unsigned operand) {
  Value &known = scalars[operand];
  if (!known)
    known = add(ScalarParam{operand},
                getKernelType(op->getOperand(operand).getType()));
  return known;
}

Value KernelParams::getKindSize(DimKind kind) {
  Value &known = kindSizes[static_cast<unsigned>(kind)];
  if (!known)
    known = add(SizeParam{coda::getKindSize(op, kind)}, b.getI32Type());
  return known;
}

Value KernelParams::getDimSize(unsigned dim) {
  int64_t size = op.getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return b.constantI32(size);
  Value &known = dimSizes[dim];
  if (!known) {
    auto source = op.getDimSource(dim);
    SizeProduct product;
    product.factors.push_back(
        {source->first->getOperandNumber(), source->second});
    known = add(SizeParam{product}, b.getI32Type());
  }
  return known;
}

Value KernelParams::getStride(OperandDim dim) {
  auto type = cast<MemRefType>(op->getOperand(dim.operand).getType());
  if (std::optional<int64_t> stride = getStaticStride(type, dim.dim))
    return b.constantI64(*stride);
  Value &known = strides[{dim.operand, dim.dim}];
  if (!known)
    known = add(StrideParam{dim}, b.getI64Type());
  return known;
}

void KernelParams::finish() {
  Block &entry = function.getBody().front();
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  SmallVector<Type>(entry.getArgumentTypes())));
  constexpr int64_t tensorMapBytes = 128, tensorMapAlignment = 64;
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), tensorMapBytes);
  for (auto [index, param] : llvm::enumerate(plan.params)) {
    if (!std::holds_alternative<TensorMapParam>(param))
      continue;
    function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(bytes));
    function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
    function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(tensorMapAlignment));
  }
}
