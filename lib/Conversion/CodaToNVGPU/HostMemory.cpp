//===- HostMemory.cpp - Device memory of host code -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToNVGPU.h"

#include "RuntimeCalls.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::coda {
#define GEN_PASS_DEF_NVGPUFREEPASS
#define GEN_PASS_DEF_NVGPUHOSTPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

static bool isMemRef(Type type) { return isa<BaseMemRefType>(type); }

/// Whether an op handles descriptors of buffers, but not what they hold.
static bool onlyPassesBuffers(Operation *op) {
  return isa<ViewLikeOpInterface, memref::DimOp, memref::RankOp,
             memref::ExtractAlignedPointerAsIndexOp,
             memref::ExtractStridedMetadataOp, RegionBranchOpInterface,
             RegionBranchTerminatorOpInterface, BranchOpInterface,
             CallOpInterface, arith::SelectOp, UnrealizedConversionCastOp,
             bufferization::DeallocOp>(op) ||
         op->hasTrait<OpTrait::ReturnLike>();
}

namespace {
/// Replaces the memory ops of one function.
class HostMemory {
public:
  explicit HostMemory(func::FuncOp function)
      : function(function), types(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult replace(memref::AllocOp op);
  LogicalResult replace(memref::DeallocOp op);
  LogicalResult replace(memref::CopyOp op);
  LogicalResult replace(memref::GetGlobalOp op);
  LogicalResult replace(bufferization::CloneOp op);

  /// A contiguous buffer at a device address, as a memref.
  Value makeMemRef(ImplicitLocOpBuilder &b, MemRefType type, Value address,
                   ValueRange dynamic);

  SmallVector<Value> getDynamicSizes(ImplicitLocOpBuilder &b, Value memref);
  /// The number of bytes of a contiguous buffer.
  Value getBytes(ImplicitLocOpBuilder &b, MemRefType type, ValueRange dynamic);
  Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }

  func::FuncOp function;
  LLVMTypeConverter types;
};
} // namespace

static Value getAddress(ImplicitLocOpBuilder &b, Value memref) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  return arith::IndexCastOp::create(b, b.getI64Type(), pointer);
}

static unsigned getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Whether the size of a buffer follows from its type and dynamic sizes.
static LogicalResult checkBuffer(Operation *op, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return op->emitError("handles a buffer in device memory without a rank");
  if (!memref.getLayout().isIdentity())
    return op->emitError("handles a buffer in device memory that is not "
                         "contiguous: ")
           << type;
  Type element = memref.getElementType();
  if (element.isIndex() ||
      (element.isIntOrFloat() &&
       llvm::is_contained({1, 8, 16, 32, 64, 128},
                          element.getIntOrFloatBitWidth())))
    return success();
  return op->emitError("handles a buffer in device memory whose elements have "
                       "no fixed size: ")
         << type;
}

Value HostMemory::getBytes(ImplicitLocOpBuilder &b, MemRefType type,
                           ValueRange dynamic) {
  Value bytes = constant(b, getElementBytes(type));
  unsigned nextDynamic = 0;
  for (int64_t size : type.getShape()) {
    Value factor = ShapedType::isDynamic(size)
                       ? arith::IndexCastOp::create(b, b.getI64Type(),
                                                    dynamic[nextDynamic++])
                       : constant(b, size);
    bytes = b.createOrFold<arith::MulIOp>(bytes, factor);
  }
  return bytes;
}

Value HostMemory::makeMemRef(ImplicitLocOpBuilder &b, MemRefType type,
                             Value address, ValueRange dynamic) {
  Location loc = b.getLoc();
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), address);
  auto descriptor = MemRefDescriptor::poison(b, loc, types.convertType(type));
  descriptor.setAllocatedPtr(b, loc, pointer);
  descriptor.setAlignedPtr(b, loc, pointer);
  descriptor.setConstantOffset(b, loc, 0);
  Value stride = constant(b, 1);
  unsigned nextDynamic = dynamic.size();
  for (unsigned dim = type.getRank(); dim-- > 0;) {
    Value size = type.isDynamicDim(dim)
                     ? arith::IndexCastOp::create(b, b.getI64Type(),
                                                  dynamic[--nextDynamic])
                     : constant(b, type.getDimSize(dim));
    descriptor.setSize(b, loc, dim, size);
    descriptor.setStride(b, loc, dim, stride);
    stride = b.createOrFold<arith::MulIOp>(stride, size);
  }
  Value descriptorValue = descriptor;
  auto memref = UnrealizedConversionCastOp::create(b, TypeRange{type},
                                                   ValueRange{descriptorValue});
  return memref.getResult(0);
}

LogicalResult HostMemory::replace(memref::AllocOp op) {
  MemRefType type = op.getType();
  if (failed(checkBuffer(op, type)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value bytes = getBytes(b, type, op.getDynamicSizes());
  Value address =
      RuntimeCalls(b).call("coda_rt_host_alloc", {bytes}, b.getI64Type());
  op.replaceAllUsesWith(makeMemRef(b, type, address, op.getDynamicSizes()));
  op.erase();
  return success();
}

/// A constant is uploaded once.
LogicalResult HostMemory::replace(memref::GetGlobalOp op) {
  MemRefType type = op.getType();
  if (failed(checkBuffer(op, type)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointAfter(op);
  RuntimeCalls runtime(b);
  Value host = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), getAddress(b, op));
  Operation *pointer = op->getNextNode();
  Value address = runtime.call(
      "coda_rt_host_constant",
      {runtime.getHandle(op.getName()), host, getBytes(b, type, {})},
      b.getI64Type());
  op.getResult().replaceAllUsesExcept(makeMemRef(b, type, address, {}),
                                      pointer);
  return success();
}

/// What is deallocated was allocated here or by a caller: it starts where its
/// memory starts.
static void emitFree(memref::DeallocOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  RuntimeCalls(b).call("coda_rt_host_free", {getAddress(b, op.getMemref())});
  op.erase();
}

LogicalResult HostMemory::replace(memref::DeallocOp op) {
  emitFree(op);
  return success();
}

SmallVector<Value> HostMemory::getDynamicSizes(ImplicitLocOpBuilder &b,
                                               Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, memref, dim));
  return sizes;
}

LogicalResult HostMemory::replace(bufferization::CloneOp op) {
  if (failed(checkBuffer(op, op.getInput().getType())) ||
      failed(checkBuffer(op, op.getType())))
    return failure();
  auto source = cast<MemRefType>(op.getInput().getType());
  auto type = cast<MemRefType>(op.getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> dynamic = getDynamicSizes(b, op.getInput());
  RuntimeCalls runtime(b);
  Value bytes = getBytes(b, source, dynamic);
  Value address = runtime.call("coda_rt_host_alloc", {bytes}, b.getI64Type());
  runtime.call("coda_rt_host_copy",
               {address, getAddress(b, op.getInput()), bytes});
  op.replaceAllUsesWith(makeMemRef(b, type, address, dynamic));
  op.erase();
  return success();
}

LogicalResult HostMemory::replace(memref::CopyOp op) {
  if (failed(checkBuffer(op, op.getSource().getType())) ||
      failed(checkBuffer(op, op.getTarget().getType())))
    return failure();
  auto source = cast<MemRefType>(op.getSource().getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> dynamic = getDynamicSizes(b, op.getSource());
  RuntimeCalls(b).call("coda_rt_host_copy", {getAddress(b, op.getTarget()),
                                             getAddress(b, op.getSource()),
                                             getBytes(b, source, dynamic)});
  op.erase();
  return success();
}

LogicalResult HostMemory::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    LogicalResult result = success();
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      result = replace(alloc);
    else if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      result = replace(dealloc);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      result = replace(copy);
    else if (auto clone = dyn_cast<bufferization::CloneOp>(op))
      result = replace(clone);
    else if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      result = replace(global);
    else if (op != function && !onlyPassesBuffers(op) &&
             (llvm::any_of(op->getOperandTypes(), isMemRef) ||
              llvm::any_of(op->getResultTypes(), isMemRef)))
      result = op->emitOpError(
          "would touch device memory on the host: it was not raised to an op "
          "that has a GPU kernel");
    if (failed(result))
      return failure();
  }
  return success();
}

namespace {
struct NVGPUHost : public coda::impl::NVGPUHostPassBase<NVGPUHost> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(HostMemory(function).run()))
        return signalPassFailure();
  }
};

struct NVGPUFree : public coda::impl::NVGPUFreePassBase<NVGPUFree> {
  void runOnOperation() override {
    SmallVector<memref::DeallocOp> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](memref::DeallocOp op) {
        if (!op.getMemref().getDefiningOp<memref::AllocOp>())
          ops.push_back(op);
      });
    llvm::for_each(ops, emitFree);
  }
};
} // namespace
