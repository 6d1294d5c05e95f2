//===- GemmKernel.cpp - A product and its epilogue as a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent kernel of three warpgroups: one thread of the first feeds the
// stages, the others each multiply half the rows of a tile and run the epilogue
// on them.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "FragmentLayout.h"
#include "Kernels.h"
#include "Mainloop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

static constexpr int64_t numThreads =
    (1 + hopper::consumers) * fragment::warpgroupSize;

/// The dynamic shared memory of the kernels of a gpu.module.
static LLVM::GlobalOp getSharedMemory(KernelBuilder &b, Operation *module) {
  constexpr StringLiteral name = "coda_shared_memory";
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name))
    return cast<LLVM::GlobalOp>(known);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&module->getRegion(0).front());
  return LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
      LLVM::Linkage::External, name, /*value=*/Attribute(),
      SharedMemoryPlan::alignment,
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

static LLVM::LLVMFuncOp createFunction(KernelBuilder &b, StringRef name) {
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {});
  auto function = LLVM::LLVMFuncOp::create(b, name, type);
  function->setAttr("gpu.kernel", b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  // Both together make ptxas fix the registers at entry, and only then does
  // `setmaxnreg` take effect.
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({numThreads}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  return function;
}

//===----------------------------------------------------------------------===//
// Parameters and counts
//===----------------------------------------------------------------------===//

static void addParams(GemmContext &context) {
  KernelParams &params = context.params;
  const GemmPlan &plan = context.plan;
  context.lhsMap = params.addTensorMap(plan.lhs.param);
  for (const TensorMapView &view : plan.rhs.views)
    context.rhsMaps.push_back(params.addTensorMap(view.param));
  for (const TensorMapView &view : plan.loads.views)
    context.loadMaps.push_back(params.addTensorMap(view.param));
  for (const TensorMapView &view : plan.stores.views)
    context.storeMaps.push_back(params.addTensorMap(view.param));
  context.rows = params.getKindSize(DimKind::Row);
  context.columns = params.getKindSize(DimKind::Column);
  if (plan.reductions.empty())
    return;
  constexpr int64_t valueBytes = 4, counterBytes = 4;
  ScratchParam partials;
  partials.bytes = valueBytes * plan.schedule.rows * plan.reductions.size();
  partials.rows = getKindSize(context.op, DimKind::Row);
  partials.rowUnit = plan.schedule.rows;
  partials.columns = getKindSize(context.op, DimKind::Column);
  partials.columnUnit = context.getPointColumns();
  context.partials = params.addScratch(partials);
  ScratchParam arrivals;
  arrivals.bytes = counterBytes * plan.schedule.rows / fragment::warpRows;
  arrivals.rows = partials.rows;
  arrivals.rowUnit = plan.schedule.rows;
  arrivals.zeroed = true;
  context.arrivals = params.addScratch(arrivals);
}

static void emitCounts(GemmContext &context) {
  KernelBuilder &b = context.b;
  const Schedule &schedule = context.plan.schedule;
  Value contracts = context.params.getKindSize(DimKind::Contract);
  context.contractTiles = b.ceilDivide(contracts, schedule.contracts);
  context.rowTiles = b.ceilDivide(context.rows, schedule.rows);
  context.columnTiles =
      b.ceilDivide(context.columns, context.getPointColumns());
  context.tiles = b.mul(context.rowTiles, context.columnTiles);
  context.thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  context.block = NVVM::BlockIdXOp::create(b, b.getI32Type());
  context.blocks = NVVM::GridDimXOp::create(b, b.getI32Type());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static void emitBarrierInit(GemmContext &context) {
  KernelBuilder &b = context.b;
  const SharedMemoryPlan &memory = context.memory;
  b.ifTrue(b.equal(context.thread, 0), [&] {
    for (int64_t index = 0; index < memory.stages; ++index) {
      Value stage = b.constantI32(index);
      b.initBarrier(context.getFullBarrier(stage), 1);
      b.initBarrier(context.getEmptyBarrier(stage), hopper::consumers);
    }
    for (int64_t index = 0; index < hopper::consumers * memory.loadBuffers;
         ++index)
      b.initBarrier(
          context.getShared(b.constantI32(
              memory.loadedOffset + index * SharedMemoryPlan::barrierBytes)),
          1);
    b.fenceBarrierInit();
  });
  b.syncBlock();
}

static Consumer emitConsumerPosition(GemmContext &context, Value warpgroup) {
  KernelBuilder &b = context.b;
  Consumer consumer;
  consumer.index = b.sub(warpgroup, 1);
  consumer.thread = b.remainder(context.thread, fragment::warpgroupSize);
  consumer.lane = b.remainder(context.thread, fragment::warpSize);
  consumer.warp = b.divide(consumer.thread, fragment::warpSize);
  consumer.isElected = b.equal(consumer.thread, 0);
  return consumer;
}

/// The loop of a consumer over tiles. It carries the number of contract tiles
/// consumed and the phase of the barriers of prefetched tiles.
static void emitConsumer(GemmContext &context, Value warpgroup) {
  KernelBuilder &b = context.b;
  Consumer consumer = emitConsumerPosition(context, warpgroup);
  Value zero = b.constantI32(0);
  auto loop = scf::ForOp::create(b, context.block, context.tiles,
                                 context.blocks, ValueRange{zero, zero});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value count = loop.getRegionIterArgs()[0];
    Value phase = loop.getRegionIterArgs()[1];
    TileCoordinates at = getTileCoordinates(context, loop.getInductionVar());
    Epilogue epilogue(context, consumer, at, phase);
    auto accumulators =
        emitProduct(context, consumer, count, [&] { epilogue.emitPrefetch(); });
    epilogue.emit(std::move(accumulators));
    scf::YieldOp::create(
        b, ValueRange{b.add(count, context.contractTiles), b.bitXor(phase, 1)});
  }
  b.ifTrue(consumer.isElected, [&] { b.waitStoresDone(); });
}

static void emitRoles(GemmContext &context) {
  KernelBuilder &b = context.b;
  // A shuffle tells the compiler that the role is the same in a whole warp.
  Value warpgroup =
      b.shuffleFrom(b.divide(context.thread, fragment::warpgroupSize), 0);
  auto roles = scf::IfOp::create(b, b.equal(warpgroup, 0),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  NVVM::SetMaxRegisterOp::create(b, hopper::producerRegisters,
                                 NVVM::SetMaxRegisterAction::decrease);
  b.ifTrue(b.equal(context.thread, 0), [&] { emitProducer(context); });
  b.setInsertionPointToStart(roles.elseBlock());
  NVVM::SetMaxRegisterOp::create(b, hopper::consumerRegisters,
                                 NVVM::SetMaxRegisterAction::increase);
  emitConsumer(context, warpgroup);
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

static KernelLaunchPlan createLaunchPlan(GemmContext &context, StringRef name) {
  KernelLaunchPlan launch;
  launch.kernelName = name.str();
  launch.grid.rows = getKindSize(context.op, DimKind::Row);
  launch.grid.rowTile = context.plan.schedule.rows;
  launch.grid.columns = getKindSize(context.op, DimKind::Column);
  launch.grid.columnTile = context.getPointColumns();
  launch.positiveSizes.push_back(getKindSize(context.op, DimKind::Contract));
  if (!context.plan.reductions.empty())
    launch.positiveSizes.push_back(launch.grid.columns);
  launch.threads = numThreads;
  launch.sharedMemoryBytes = context.memory.totalBytes;
  return launch;
}

/// What a report says of a kernel, kept on the function.
static void describeKernel(KernelBuilder &b, LLVM::LLVMFuncOp function,
                           const Schedule &schedule, int64_t sharedMemory) {
  ScheduleMode mode =
      schedule.pingPong ? ScheduleMode::PingPong : ScheduleMode::Cooperative;
  function->setAttr(
      "coda.schedule",
      ScheduleAttr::get(b.getContext(),
                        {schedule.rows, schedule.columns, schedule.contracts},
                        schedule.stages, schedule.cluster, mode));
  function->setAttr("coda.shared_memory", b.getI64IntegerAttr(sharedMemory));
  function->setAttr("coda.registers",
                    b.getDenseI64ArrayAttr({hopper::producerRegisters,
                                            hopper::consumerRegisters}));
}

FailureOr<KernelLaunchPlan>
mlir::coda::emitGemmKernel(OpBuilder &builder, GemmOp op, StringRef name) {
  FailureOr<GemmPlan> plan = planGemm(op);
  if (failed(plan))
    return failure();
  KernelBuilder b(op.getLoc(), builder);
  Operation *module = b.getInsertionBlock()->getParentOp();
  LLVM::GlobalOp sharedMemory = getSharedMemory(b, module);
  LLVM::LLVMFuncOp function = createFunction(b, name);
  b.setInsertionPointToStart(function.addEntryBlock(b));

  KernelLaunchPlan launch;
  KernelParams params(b, cast<EpilogueOpInterface>(op.getOperation()), function,
                      launch);
  GemmContext context(b, op, *plan, params);
  launch = createLaunchPlan(context, name);
  addParams(context);
  emitCounts(context);
  context.shared = LLVM::AddressOfOp::create(b, sharedMemory);
  emitBarrierInit(context);
  emitRoles(context);
  LLVM::ReturnOp::create(b, ValueRange());
  params.finish();
  describeKernel(b, function, context.plan.schedule, launch.sharedMemoryBytes);
  return launch;
}
