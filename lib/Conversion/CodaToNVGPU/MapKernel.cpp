//===- MapKernel.cpp - A map as a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without reductions one thread computes a point, in the order of the domain,
// so that neighbouring threads have neighbouring columns. With reductions a
// warp takes a row: its lanes combine their columns in order, and then each
// other's results, so that timing never changes a result. Maps are bound by
// memory: what depends on a row only is computed again at each of its points.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "FragmentLayout.h"
#include "Kernels.h"
#include "MapPoint.h"
#include "MathLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

static constexpr int64_t numThreads = 256;
static constexpr int64_t numWarps = numThreads / fragment::warpSize;
/// So many blocks fill a multiprocessor with threads.
static constexpr int64_t blocksPerMultiprocessor = 8;

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

static LogicalResult checkElement(EpilogueOpInterface op, OpOperand &operand) {
  Type type = getElementTypeOrSelf(operand.get().getType());
  if (isAccessibleElement(type))
    return success();
  return op->emitOpError("has no GPU kernel: ")
         << op.describeOperand(operand.getOperandNumber()) << " has elements "
         << "of type " << type
         << ", expected f16, bf16, f32, f64, index or an integer of 8 to 64 "
            "bits";
}

static LogicalResult checkReduction(EpilogueOpInterface op, unsigned out) {
  auto refuse = [&](const Twine &reason) -> LogicalResult {
    return op->emitOpError("has no GPU kernel: outs #") << out << reason;
  };
  Combiner combiner = op.getCombiner(out);
  if (combiner != Combiner::Add && combiner != Combiner::Max)
    return refuse(" is reduced by " + stringifyCombiner(combiner) +
                  ", but only add and max are lowered");
  AffineMap map = op.getOutMap(out);
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim) {
    DimKind kind = op.getDimKind(dim);
    bool named = map.isFunctionOfDim(dim);
    if (kind != DimKind::Member && named == (kind == DimKind::Column))
      return refuse(" is reduced over something else than whole rows");
  }
  return success();
}

static LogicalResult checkNested(EpilogueOpInterface op, Operation &nested) {
  if (isa<IndexOp>(nested))
    return success();
  if (auto group = dyn_cast<GroupReduceOp>(nested)) {
    if (group.getDims().size() == op.getDimsOfKind(DimKind::Column).size())
      return success();
    return nested.emitOpError("has no GPU kernel: it reduces over something "
                              "else than whole rows");
  }
  if (std::optional<std::string> error = findPointwiseError(&nested))
    return op->emitOpError("has no GPU kernel: ") << *error;
  return success();
}

static LogicalResult check(EpilogueOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<TensorType>(operand.get().getType()))
      return op->emitOpError("has no GPU kernel on tensors, expected memrefs");
    if (failed(checkElement(op, operand)))
      return failure();
  }
  for (unsigned out = 0; out < op.getNumOuts(); ++out)
    if (op.isReduced(out) && failed(checkReduction(op, out)))
      return failure();
  for (Operation &nested : op.getBodyBlock().without_terminator())
    if (failed(checkNested(op, nested)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The domain
//===----------------------------------------------------------------------===//

namespace {
/// Dims that one unit of work stands for, and those it loops over.
struct Domain {
  explicit Domain(EpilogueOpInterface op) {
    for (unsigned out = 0; out < op.getNumOuts(); ++out)
      hasReductions |= op.isReduced(out);
    hasReductions |= !op.getBodyBlock().getOps<GroupReduceOp>().empty();
    // Members are unrolled.
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      if (op.getDimKind(dim) != DimKind::Member)
        (hasReductions && op.getDimKind(dim) == DimKind::Column ? inner : outer)
            .push_back(dim);
  }

  bool hasReductions = false;
  SmallVector<unsigned> outer, inner;
};

/// What one kernel is made of.
struct MapContext {
  KernelBuilder &b;
  EpilogueOpInterface op;
  KernelParams &params;
  Domain domain;
  Value thread;

  /// The number of points of some dims, as i64.
  Value getSize(ArrayRef<unsigned> dims) {
    Value size = b.constantI64(1);
    for (unsigned dim : dims)
      size = b.mul(size, b.extendToI64(params.getDimSize(dim)));
    return size;
  }
};
} // namespace

/// Calls `body` with each position from `first` on, in steps.
static void emitLoop(KernelBuilder &b, Value first, Value end, Value step,
                     llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, first, end, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Spreads the outer positions over `workers` of each block; `worker` is the
/// number of this one.
static void emitOuter(MapContext &context, Value worker, int64_t workers,
                      llvm::function_ref<void(Value)> body) {
  KernelBuilder &b = context.b;
  Value block = NVVM::BlockIdXOp::create(b, b.getI32Type());
  Value blocks = NVVM::GridDimXOp::create(b, b.getI32Type());
  Value first =
      b.add(b.mul(b.extendToI64(block), workers), b.extendToI64(worker));
  Value step = b.mul(b.extendToI64(blocks), workers);
  emitLoop(b, first, context.getSize(context.domain.outer), step, body);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// A value of the region that is combined over the columns of a row. Those of
/// an out have its number and members.
struct MapReduction {
  Value value;
  Combiner combiner;
  unsigned out = 0;
  SmallVector<int64_t> members = {};
};
} // namespace

static SmallVector<MapReduction> getReductions(EpilogueOpInterface op) {
  SmallVector<MapReduction> reductions;
  for (unsigned out = 0; out < op.getNumOuts(); ++out)
    if (op.isReduced(out))
      for (auto [members, yielded] : llvm::zip_equal(
               op.getMemberTuples(op.getOutMap(out)), op.getYieldedValues(out)))
        reductions.push_back({yielded, op.getCombiner(out), out, members});
  return reductions;
}

static Value emitIdentity(KernelBuilder &b, Combiner combiner) {
  float identity = combiner == Combiner::Add
                       ? 0.0f
                       : -std::numeric_limits<float>::infinity();
  return arith::ConstantOp::create(b, b.getF32FloatAttr(identity));
}

/// Stores a result, rounded once.
static void emitResult(MapContext &context, MapPoint &row,
                       const MapReduction &reduction, Value result) {
  KernelBuilder &b = context.b;
  OpOperand &out = context.op.getOutOperand(reduction.out);
  Type element = cast<MemRefType>(out.get().getType()).getElementType();
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  unsigned alignment = getElementBytes(out);
  Value address = row.emitAddress(out, reduction.members);
  if (context.op.isUpdate(reduction.out)) {
    Value old = LLVM::LoadOp::create(b, element, address, alignment);
    if (isNarrow)
      old = arith::ExtFOp::create(b, b.getF32Type(), old);
    result = emitCombine(b, reduction.combiner, old, result);
  }
  if (isNarrow)
    result = arith::TruncFOp::create(b, element, result);
  LLVM::StoreOp::create(b, result, address, alignment);
}

/// Runs over the columns of a row and returns what reductions give, in all
/// lanes. The region is emitted up to `end`; the pass that reaches the end of
/// the region also stores.
static SmallVector<Value> emitPass(MapContext &context, const MapPoint &row,
                                   Value lane,
                                   ArrayRef<MapReduction> reductions,
                                   Operation *end = nullptr) {
  KernelBuilder &b = context.b;
  SmallVector<Value> results;
  for (const MapReduction &reduction : reductions)
    results.push_back(emitIdentity(b, reduction.combiner));
  auto loop = scf::ForOp::create(b, b.extendToI64(lane),
                                 context.getSize(context.domain.inner),
                                 b.constantI64(fragment::warpSize), results);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    MapPoint point = row;
    point.setIndices(context.domain.inner, loop.getInductionVar());
    point.emitRegion(end);
    if (!end)
      point.emitStores();
    SmallVector<Value> partials;
    for (auto [reduction, partial] :
         llvm::zip_equal(reductions, loop.getRegionIterArgs()))
      partials.push_back(emitCombine(b, reduction.combiner, partial,
                                     point.getValue(reduction.value)));
    if (!partials.empty())
      scf::YieldOp::create(b, partials);
  }
  results.assign(loop.result_begin(), loop.result_end());
  for (auto [reduction, result] : llvm::zip_equal(reductions, results))
    for (int64_t distance = 1; distance < fragment::warpSize; distance *= 2)
      result = emitCombine(b, reduction.combiner, result,
                           b.shuffleXor(result, distance));
  return results;
}

/// Reductions inside the region take a pass each, in order, since a later one
/// may need the earlier.
static void emitRow(MapContext &context, MapPoint &row, Value lane) {
  KernelBuilder &b = context.b;
  for (auto group : context.op.getBodyBlock().getOps<GroupReduceOp>()) {
    Combiner combiner =
        group.getKind() == GroupReduceKind::Add ? Combiner::Add : Combiner::Max;
    SmallVector<Value> results = emitPass(
        context, row, lane, MapReduction{group.getValue(), combiner}, group);
    row.setValue(group.getResult(), results.front());
  }
  SmallVector<MapReduction> reductions = getReductions(context.op);
  SmallVector<Value> results = emitPass(context, row, lane, reductions);
  if (results.empty())
    return;
  b.ifTrue(b.equal(lane, 0), [&] {
    for (auto [reduction, result] : llvm::zip_equal(reductions, results))
      emitResult(context, row, reduction, result);
  });
}

static void emitRows(MapContext &context) {
  KernelBuilder &b = context.b;
  Value warp = b.divide(context.thread, fragment::warpSize);
  Value lane = b.remainder(context.thread, fragment::warpSize);
  emitOuter(context, warp, numWarps, [&](Value position) {
    MapPoint row(b, context.op, context.params);
    row.setIndices(context.domain.outer, position);
    emitRow(context, row, lane);
  });
}

static void emitPoints(MapContext &context) {
  emitOuter(context, context.thread, numThreads, [&](Value position) {
    MapPoint point(context.b, context.op, context.params);
    point.setIndices(context.domain.outer, position);
    point.emitRegion();
    point.emitStores();
  });
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
                                         const Domain &domain, StringRef name) {
  KernelLaunchPlan launch;
  launch.kernelName = name.str();
  for (unsigned dim : domain.outer)
    if (auto source = op.getDimSource(dim))
      launch.grid.rows.factors.push_back(
          {source->first->getOperandNumber(), source->second});
  launch.grid.rowTile = domain.hasReductions ? numWarps : numThreads;
  launch.grid.blocksPerMultiprocessor = blocksPerMultiprocessor;
  launch.threads = numThreads;
  return launch;
}

FailureOr<KernelLaunchPlan>
mlir::coda::emitMapKernel(OpBuilder &builder, MapOp map, StringRef name) {
  auto op = cast<EpilogueOpInterface>(map.getOperation());
  if (failed(check(op)))
    return failure();
  KernelBuilder b(op.getLoc(), builder);
  LLVM::LLVMFuncOp function = createFunction(b, name);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  Domain domain(op);
  KernelLaunchPlan launch = createLaunchPlan(op, domain, name);
  KernelParams params(b, op, function, launch);
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  MapContext context = {b, op, params, domain, thread};
  if (domain.hasReductions)
    emitRows(context);
  else
    emitPoints(context);
  LLVM::ReturnOp::create(b, ValueRange());
  params.finish();
  function->setAttr("coda.shared_memory", b.getI64IntegerAttr(0));
  return launch;
}
