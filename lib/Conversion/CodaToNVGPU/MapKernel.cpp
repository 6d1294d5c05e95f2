//===- MapKernel.cpp - A map as a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread for each point, in the order of the domain, so that neighbouring
// threads have neighbouring columns. Maps are bound by memory: what depends on
// a row only is computed again at each of its points.
//
//===----------------------------------------------------------------------===//

#include "KernelParams.h"
#include "Kernels.h"
#include "MathLowering.h"
#include "OperandView.h"
#include "RegionEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

static constexpr int64_t numThreads = 256;
/// So many blocks fill a multiprocessor with threads.
static constexpr int64_t blocksPerMultiprocessor = 8;

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

static LogicalResult checkElement(EpilogueOpInterface op, OpOperand &operand) {
  Type type = getElementTypeOrSelf(operand.get().getType());
  if (type.isIndex() ||
      (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0))
    return success();
  return op->emitOpError("has no GPU kernel: ")
         << op.describeOperand(operand.getOperandNumber()) << " has elements "
         << "of type " << type << ", expected whole bytes";
}

static LogicalResult check(EpilogueOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<TensorType>(operand.get().getType()))
      return op->emitOpError("has no GPU kernel on tensors, expected memrefs");
    if (failed(checkElement(op, operand)))
      return failure();
  }
  for (unsigned out = 0; out < op.getNumOuts(); ++out)
    if (op.isReduced(out))
      return op->emitOpError("has no GPU kernel: outs #")
             << out << " is reduced, expected a value for each point";
  return checkRegion(op);
}

//===----------------------------------------------------------------------===//
// One point
//===----------------------------------------------------------------------===//

namespace {
class MapPoint {
public:
  MapPoint(KernelBuilder &b, EpilogueOpInterface op, KernelParams &params)
      : b(b), op(op), params(params) {}

  /// Takes the position of a point among all points, as i64.
  void emit(Value position) {
    emitIndices(position);
    emitArguments();
    for (Operation &nested : op.getBodyBlock().without_terminator())
      emitNested(nested);
    emitStores();
  }

private:
  void emitIndices(Value position);
  void emitArguments();
  void emitNested(Operation &nested);
  void emitStores();
  Value emitAddress(OpOperand &operand, ArrayRef<int64_t> members);
  Value emitLoad(OpOperand &operand, ArrayRef<int64_t> members);
  unsigned getAlignment(OpOperand &operand) {
    Type type = getKernelType(getElementTypeOrSelf(operand.get().getType()));
    return type.getIntOrFloatBitWidth() / 8;
  }

  KernelBuilder &b;
  EpilogueOpInterface op;
  KernelParams &params;
  DenseMap<unsigned, Value> indices;
  DenseMap<Value, Value> values;
};
} // namespace

/// Dims that count points; members are unrolled.
static SmallVector<unsigned> getPointDims(EpilogueOpInterface op) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
    if (op.getDimKind(dim) != DimKind::Member)
      dims.push_back(dim);
  return dims;
}

void MapPoint::emitIndices(Value position) {
  SmallVector<unsigned> dims = getPointDims(op);
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
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
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
                              getAlignment(operand));
}

/// All loads come before the first store, since a store may overwrite what the
/// same point reads.
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

void MapPoint::emitStores() {
  for (unsigned out = 0; out < op.getNumOuts(); ++out) {
    OpOperand &operand = op.getOutOperand(out);
    for (auto [value, members] : llvm::zip_equal(
             op.getYieldedValues(out), op.getMemberTuples(op.getOutMap(out))))
      LLVM::StoreOp::create(b, values.lookup(value),
                            emitAddress(operand, members),
                            getAlignment(operand));
  }
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

static LLVM::LLVMFuncOp createFunction(KernelBuilder &b, StringRef name) {
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {});
  auto function = LLVM::LLVMFuncOp::create(b, name, type);
  function->setAttr("gpu.kernel", b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({numThreads}));
  return function;
}

static KernelLaunchPlan createLaunchPlan(EpilogueOpInterface op,
                                         StringRef name) {
  KernelLaunchPlan launch;
  launch.kernelName = name.str();
  for (unsigned dim : getPointDims(op))
    if (auto source = op.getDimSource(dim))
      launch.grid.rows.factors.push_back(
          {source->first->getOperandNumber(), source->second});
  launch.grid.rowTile = numThreads;
  launch.grid.blocksPerMultiprocessor = blocksPerMultiprocessor;
  launch.threads = numThreads;
  return launch;
}

/// Calls `body` with the position of each point of the thread.
static void emitPoints(KernelBuilder &b, EpilogueOpInterface op,
                       KernelParams &params,
                       llvm::function_ref<void(Value)> body) {
  Value points = b.constantI64(1);
  for (unsigned dim : getPointDims(op))
    points = b.mul(points, b.extendToI64(params.getDimSize(dim)));
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  Value block = NVVM::BlockIdXOp::create(b, b.getI32Type());
  Value blocks = NVVM::GridDimXOp::create(b, b.getI32Type());
  Value first =
      b.add(b.mul(b.extendToI64(block), numThreads), b.extendToI64(thread));
  Value step = b.mul(b.extendToI64(blocks), numThreads);
  auto loop = scf::ForOp::create(b, first, points, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

FailureOr<KernelLaunchPlan>
mlir::coda::emitMapKernel(OpBuilder &builder, MapOp map, StringRef name) {
  auto op = cast<EpilogueOpInterface>(map.getOperation());
  if (failed(check(op)))
    return failure();
  KernelBuilder b(op.getLoc(), builder);
  LLVM::LLVMFuncOp function = createFunction(b, name);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  KernelLaunchPlan launch = createLaunchPlan(op, name);
  KernelParams params(b, op, function, launch);
  emitPoints(b, op, params,
             [&](Value position) { MapPoint(b, op, params).emit(position); });
  LLVM::ReturnOp::create(b, ValueRange());
  params.finish();
  function->setAttr("coda.shared_memory", b.getI64IntegerAttr(0));
  return launch;
}
