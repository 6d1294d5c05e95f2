//===- Launch.cpp - Host code that launches a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is a sequence of calls of the runtime (coda/Runtime/HostCode.h), one
// for each parameter of the plan.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RuntimeCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::coda;

namespace {
class LaunchEmitter {
public:
  LaunchEmitter(ImplicitLocOpBuilder &b, EpilogueOpInterface op,
                const KernelLaunchPlan &plan)
      : b(b), op(op), plan(plan), runtime(b) {}

  void emit();

private:
  void emitMetadata();
  void emitBegin();
  void emitPositiveSizes();
  void emitParam(const TensorMapParam &param);
  void emitParam(const PointerParam &param);
  void emitParam(const ScalarParam &param);
  void emitParam(const SizeParam &param);
  void emitParam(const StrideParam &param);
  void emitParam(const ScratchParam &param);

  Value constantI64(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }
  Value constantI32(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  }
  Value multiply(Value lhs, Value rhs) {
    return b.createOrFold<arith::MulIOp>(lhs, rhs);
  }
  Value toI64(OpFoldResult value);
  Value getSize(OperandDim dim);
  Value getSize(const SizeProduct &product);
  Value getTiles(const SizeProduct &rows, int64_t rowUnit,
                 const SizeProduct &columns, int64_t columnUnit);
  Value getStride(OperandDim dim);
  Value getAddress(unsigned operand);
  int64_t getElementBytes(unsigned operand) {
    Type type = getElementTypeOrSelf(op->getOperand(operand).getType());
    return type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
  }
  /// Emits `body` unless `value` is known or found to be 0.
  void unlessZero(Value value, llvm::function_ref<void()> body);

  ImplicitLocOpBuilder &b;
  EpilogueOpInterface op;
  const KernelLaunchPlan &plan;
  RuntimeCalls runtime;
  DenseMap<unsigned, memref::ExtractStridedMetadataOp> metadata;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes and addresses
//===----------------------------------------------------------------------===//

Value LaunchEmitter::toI64(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return constantI64(*constant);
  return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), cast<Value>(value));
}

/// Sizes and strides are read before any condition, so that all uses see them.
void LaunchEmitter::emitMetadata() {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      metadata[operand.getOperandNumber()] =
          memref::ExtractStridedMetadataOp::create(b, operand.get());
}

Value LaunchEmitter::getSize(OperandDim dim) {
  auto type = cast<MemRefType>(op->getOperand(dim.operand).getType());
  if (!type.isDynamicDim(dim.dim))
    return constantI64(type.getDimSize(dim.dim));
  return toI64(metadata.lookup(dim.operand).getConstifiedMixedSizes()[dim.dim]);
}

Value LaunchEmitter::getSize(const SizeProduct &product) {
  Value size = constantI64(1);
  for (OperandDim dim : product.factors)
    size = multiply(size, getSize(dim));
  return size;
}

Value LaunchEmitter::getStride(OperandDim dim) {
  return toI64(
      metadata.lookup(dim.operand).getConstifiedMixedStrides()[dim.dim]);
}

Value LaunchEmitter::getTiles(const SizeProduct &rows, int64_t rowUnit,
                              const SizeProduct &columns, int64_t columnUnit) {
  auto ceilDivide = [&](Value size, int64_t unit) {
    return b.createOrFold<arith::CeilDivUIOp>(size, constantI64(unit));
  };
  return multiply(ceilDivide(getSize(rows), rowUnit),
                  ceilDivide(getSize(columns), columnUnit));
}

Value LaunchEmitter::getAddress(unsigned operand) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
      b, op->getOperand(operand));
  Value address = toI64(pointer);
  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  if (type.getLayout().isIdentity())
    return address;
  Value offset = toI64(metadata.lookup(operand).getConstifiedMixedOffset());
  return b.createOrFold<arith::AddIOp>(
      address, multiply(offset, constantI64(getElementBytes(operand))));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The numbers of CUtensorMapDataType.
static int64_t getElementNumber(Type type) { return type.isBF16() ? 9 : 6; }

void LaunchEmitter::emitParam(const TensorMapParam &param) {
  constexpr int64_t swizzle128 = 3, noSwizzle = 0;
  runtime.call(
      "coda_rt_args_tensor_map",
      {getAddress(param.operand),
       constantI32(getElementNumber(param.elementType)),
       constantI32(param.swizzle == TensorMapSwizzle::Bytes128 ? swizzle128
                                                               : noSwizzle)});
  Value bytes = constantI64(getElementBytes(param.operand));
  // Dimensions taken as one are contiguous by the type of the memref: the
  // kernel was refused otherwise.
  for (auto [dim, box] : llvm::zip_equal(param.dims, param.box)) {
    Value size = constantI64(1), stride = constantI64(0);
    for (unsigned memrefDim : dim.memrefDims)
      size = multiply(size, getSize({param.operand, memrefDim}));
    if (!dim.memrefDims.empty())
      stride =
          multiply(getStride({param.operand, dim.memrefDims.back()}), bytes);
    runtime.call("coda_rt_args_tensor_map_dim",
                 {size, stride, constantI32(box)});
  }
}

void LaunchEmitter::emitParam(const PointerParam &param) {
  int64_t alignment = param.elements * getElementBytes(param.operand);
  runtime.call("coda_rt_args_pointer",
               {getAddress(param.operand), constantI32(alignment)});
}

void LaunchEmitter::emitParam(const ScalarParam &param) {
  Value value = op->getOperand(param.operand);
  Type type = value.getType();
  if (type.isIndex()) {
    value = toI64(value);
  } else {
    auto bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    if (!type.isInteger())
      value = arith::BitcastOp::create(b, bits, value);
    if (bits.getWidth() < 64)
      value = arith::ExtUIOp::create(b, b.getI64Type(), value);
  }
  runtime.call("coda_rt_args_value",
               {value, constantI32(getElementBytes(param.operand))});
}

void LaunchEmitter::emitParam(const SizeParam &param) {
  runtime.call("coda_rt_args_i32", {getSize(param.size)});
}

void LaunchEmitter::emitParam(const StrideParam &param) {
  runtime.call("coda_rt_args_value",
               {getStride(param.dim), constantI32(sizeof(int64_t))});
}

void LaunchEmitter::emitParam(const ScratchParam &param) {
  Value units =
      getTiles(param.rows, param.rowUnit, param.columns, param.columnUnit);
  runtime.call(
      "coda_rt_args_scratch",
      {multiply(units, constantI64(param.bytes)), constantI32(param.zeroed)});
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void LaunchEmitter::unlessZero(Value value, llvm::function_ref<void()> body) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (!constant.isZero())
      body();
    return;
  }
  Value isPositive =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, constantI64(0));
  auto condition = scf::IfOp::create(b, isPositive, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(condition.thenBlock());
  body();
}

void LaunchEmitter::emitBegin() {
  runtime.call("coda_rt_args_begin",
               {runtime.getHandle(plan.kernelName), runtime.getImage(),
                runtime.getText(plan.kernelName)});
}

void LaunchEmitter::emitPositiveSizes() {
  SmallVector<Value> sizes;
  for (const SizeProduct &product : plan.positiveSizes) {
    Value size = getSize(product);
    APInt constant;
    if (!matchPattern(size, m_ConstantInt(&constant)) || constant.isZero())
      sizes.push_back(size);
  }
  if (sizes.empty())
    return;
  unlessZero(getSize(plan.grid.rows), [&] {
    for (Value size : sizes)
      runtime.call("coda_rt_args_check_positive", {size});
  });
}

void LaunchEmitter::emit() {
  emitMetadata();
  emitBegin();
  emitPositiveSizes();
  const GridPlan &grid = plan.grid;
  Value tiles =
      getTiles(grid.rows, grid.rowTile, grid.columns, grid.columnTile);
  // Sizes of 0 have no tensor maps.
  unlessZero(tiles, [&] {
    for (const KernelParam &param : plan.params)
      std::visit([&](const auto &kind) { emitParam(kind); }, param);
    runtime.call("coda_rt_args_launch",
                 {tiles, constantI32(grid.blocksPerMultiprocessor),
                  constantI32(plan.threads),
                  constantI32(plan.sharedMemoryBytes)});
  });
}

LogicalResult mlir::coda::emitLaunch(OpBuilder &builder, EpilogueOpInterface op,
                                     const KernelLaunchPlan &plan) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  LaunchEmitter(b, op, plan).emit();
  return success();
}
