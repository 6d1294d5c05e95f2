//===- Mainloop.cpp - Producer and consumers of a gemm kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mainloop.h"

#include "FragmentLayout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

Value GemmContext::getFullBarrier(Value stage) {
  return getShared(
      b.add(b.mul(stage, SharedMemoryPlan::barrierBytes), memory.fullOffset));
}

Value GemmContext::getEmptyBarrier(Value stage) {
  return getShared(
      b.add(b.mul(stage, SharedMemoryPlan::barrierBytes), memory.emptyOffset));
}

TileCoordinates mlir::coda::getTileCoordinates(GemmContext &context,
                                               Value tile) {
  constexpr int64_t group = 16;
  KernelBuilder &b = context.b;
  Value groupTiles = b.mul(context.columnTiles, group);
  Value first = b.mul(b.divide(tile, groupTiles), group);
  Value height =
      b.minimum(b.sub(context.rowTiles, first), b.constantI32(group));
  Value local = b.remainder(tile, groupTiles);
  TileCoordinates at;
  at.rowTile = b.add(first, b.remainder(local, height));
  at.columnTile = b.divide(local, height);
  at.row = b.mul(at.rowTile, context.plan.schedule.rows);
  at.column = b.mul(at.columnTile, context.getPointColumns());
  return at;
}

SmallVector<Value> mlir::coda::getBoxCoordinates(KernelBuilder &b, Value inner,
                                                 Value outer,
                                                 ArrayRef<int64_t> members) {
  SmallVector<Value> coordinates = {inner, outer};
  for (int64_t member : members)
    coordinates.push_back(b.constantI32(member));
  return coordinates;
}

namespace {
struct Stage {
  Value index;
  Value phase;
};
} // namespace

static Stage getStage(GemmContext &context, Value count) {
  KernelBuilder &b = context.b;
  int64_t stages = context.memory.stages;
  return {b.remainder(count, stages), b.bitAnd(b.divide(count, stages), 1)};
}

/// Emits `for (i = first; i < end; i += step)` with carried values.
static scf::ForOp
emitLoop(KernelBuilder &b, Value first, Value end, Value step,
         ValueRange carried,
         llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, first, end, step, carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return loop;
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

/// Loads a tile of `size` rows or columns by `contracts`: in one box, or, where
/// contracts are not contiguous, in boxes as wide as the swizzle.
static void emitTileLoad(GemmContext &context, Value map, Value offset,
                         Value barrier, Value contract, Value at, int64_t size,
                         bool isMajor, ArrayRef<int64_t> members) {
  KernelBuilder &b = context.b;
  if (!isMajor) {
    b.loadBox(context.getShared(offset), map,
              getBoxCoordinates(b, contract, at, members), barrier);
    return;
  }
  constexpr int64_t width = fragment::subtileColumns;
  int64_t boxBytes = context.plan.schedule.contracts * fragment::rowBytes;
  for (int64_t box = 0; box < size / width; ++box)
    b.loadBox(context.getShared(b.add(offset, box * boxBytes)), map,
              getBoxCoordinates(b, b.add(at, box * width), contract, members),
              barrier);
}

static void emitStageLoads(GemmContext &context, const TileCoordinates &at,
                           Value contractTile, Value count) {
  KernelBuilder &b = context.b;
  const SharedMemoryPlan &memory = context.memory;
  Stage stage = getStage(context, count);
  b.waitBarrier(context.getEmptyBarrier(stage.index), b.bitXor(stage.phase, 1));
  Value full = context.getFullBarrier(stage.index);
  b.arriveExpectingBytes(full, memory.stageBytes);

  Value contract = b.mul(contractTile, context.plan.schedule.contracts);
  Value offset = b.mul(stage.index, memory.stageBytes);
  const GemmPlan &plan = context.plan;
  emitTileLoad(context, context.lhsMap, offset, full, contract, at.row,
               plan.schedule.rows, plan.lhsIsMMajor, {});
  // Accumulators stand side by side in the rhs tile.
  const TileAccesses &rhs = plan.rhs;
  int64_t accumulatorBytes = memory.rhsBytes / rhs.accesses.size();
  for (auto [index, access] : llvm::enumerate(rhs.accesses)) {
    Value destination =
        b.add(offset, memory.lhsBytes + index * accumulatorBytes);
    emitTileLoad(context, context.rhsMaps[access.view], destination, full,
                 contract, at.column, context.getPointColumns(),
                 plan.rhsIsNMajor, access.members);
  }
}

void mlir::coda::emitProducer(GemmContext &context) {
  KernelBuilder &b = context.b;
  Value zero = b.constantI32(0), one = b.constantI32(1);
  emitLoop(b, context.block, context.tiles, context.blocks, zero,
           [&](Value tile, ValueRange count) -> SmallVector<Value> {
             TileCoordinates at = getTileCoordinates(context, tile);
             auto loop =
                 emitLoop(b, zero, context.contractTiles, one, count,
                          [&](Value contractTile,
                              ValueRange count) -> SmallVector<Value> {
                            emitStageLoads(context, at, contractTile, count[0]);
                            return {b.add(count[0], 1)};
                          });
             return {loop.getResult(0)};
           });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// A wgmma descriptor of a tile with 128-byte swizzle: the address in units of
/// 16 bytes and swizzle mode 1. There are 64 such units between 8 rows of 128
/// bytes and the next, be they rows or contracts; where they are contracts, the
/// next 64 rows or columns are a box further.
static Value emitDescriptor(KernelBuilder &b, Value shared, bool isMajor) {
  constexpr int64_t strideOffset = 64, swizzle128 = 1, boxUnits = 512;
  int64_t leadingOffset = isMajor ? boxUnits : 1;
  int64_t constant = leadingOffset << 16 | strideOffset << 32 |
                     static_cast<int64_t>(uint64_t(swizzle128) << 62);
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), shared);
  Value units = b.bitAnd(b.divide(address, 16), 0x3fff);
  return b.createOrFold<arith::OrIOp>(b.extendToI64(units),
                                      b.constantI64(constant));
}

static NVVM::WGMMATypes getProductType(Type element) {
  return element.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16;
}

/// Multiplies one stage into the accumulators of each 64 rows.
static void emitStageProduct(GemmContext &context, const Consumer &consumer,
                             Value stage, SmallVectorImpl<Value> &accumulators,
                             bool isFirst) {
  // 16 contracts are 32 bytes, or 16 rows of 128; 64 rows are 8192 either way.
  constexpr int64_t contractUnit = 16, rowUnits = 512;
  constexpr int64_t contractUnits = 2, contractUnitsAcross = 128;
  KernelBuilder &b = context.b;
  const Schedule &schedule = context.plan.schedule;
  const SharedMemoryPlan &memory = context.memory;
  Value offset = b.mul(stage, memory.stageBytes);
  Value consumerOffset =
      b.mul(consumer.index, memory.lhsBytes / hopper::consumers);
  const GemmPlan &plan = context.plan;
  Value lhs = emitDescriptor(
      b, context.getShared(b.add(offset, consumerOffset)), plan.lhsIsMMajor);
  Value rhs = emitDescriptor(
      b, context.getShared(b.add(offset, memory.lhsBytes)), plan.rhsIsNMajor);
  int64_t lhsUnits = plan.lhsIsMMajor ? contractUnitsAcross : contractUnits;
  int64_t rhsUnits = plan.rhsIsNMajor ? contractUnitsAcross : contractUnits;

  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), fragment::rows,
                                       schedule.columns, contractUnit);
  NVVM::WGMMATypes type = getProductType(plan.lhs.param.elementType);
  NVVM::WgmmaFenceAlignedOp::create(b);
  for (int64_t step = 0; step < schedule.contracts / contractUnit; ++step)
    for (auto [index, accumulator] : llvm::enumerate(accumulators)) {
      // The first product overwrites, which saves zeroing the registers.
      auto scale = isFirst && step == 0 ? NVVM::WGMMAScaleOut::zero
                                        : NVVM::WGMMAScaleOut::one;
      accumulator = NVVM::WgmmaMmaAsyncOp::create(
          b, accumulator.getType(), accumulator,
          b.add(lhs, step * lhsUnits + index * rowUnits),
          b.add(rhs, step * rhsUnits), shape, type, type, NVVM::WGMMATypes::f32,
          scale, NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          plan.lhsIsMMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          plan.rhsIsNMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          /*satfinite=*/nullptr);
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
}

static void emitRelease(GemmContext &context, const Consumer &consumer,
                        Value stage) {
  context.b.ifTrue(consumer.isElected,
                   [&] { context.b.arrive(context.getEmptyBarrier(stage)); });
}

/// Waits for all products. The registers pass through the wait, since nothing
/// else keeps the compiler from reading an accumulator before it.
static SmallVector<SmallVector<Value>> emitFinalWait(KernelBuilder &b,
                                                     ValueRange accumulators) {
  SmallVector<Value> registers;
  for (Value accumulator : accumulators) {
    auto type = cast<LLVM::LLVMStructType>(accumulator.getType());
    for (int64_t index = 0, e = type.getBody().size(); index < e; ++index)
      registers.push_back(LLVM::ExtractValueOp::create(b, accumulator, index));
  }
  std::string outputs, inputs;
  for (size_t index = 0; index < registers.size(); ++index) {
    outputs += index == 0 ? "=f" : ",=f";
    inputs += "," + std::to_string(index);
  }
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(registers.size(), b.getF32Type()));
  Value waited =
      LLVM::InlineAsmOp::create(
          b, type, registers, "wgmma.wait_group.sync.aligned 0;",
          outputs + inputs, /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  SmallVector<SmallVector<Value>> results(accumulators.size());
  size_t each = registers.size() / accumulators.size();
  for (size_t index = 0; index < registers.size(); ++index)
    results[index / each].push_back(
        LLVM::ExtractValueOp::create(b, waited, static_cast<int64_t>(index)));
  return results;
}

SmallVector<SmallVector<Value>>
mlir::coda::emitProduct(GemmContext &context, const Consumer &consumer,
                        Value count, llvm::function_ref<void()> whenStarted) {
  KernelBuilder &b = context.b;
  const Schedule &schedule = context.plan.schedule;
  Type accumulatorType = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      SmallVector<Type>(fragment::getNumRegisters(schedule.columns),
                        b.getF32Type()));
  Value undefined = LLVM::UndefOp::create(b, accumulatorType);
  int64_t rowBlocks = schedule.getRowsPerConsumer() / fragment::rows;
  SmallVector<Value> carried(rowBlocks, undefined);

  Stage first = getStage(context, count);
  b.waitBarrier(context.getFullBarrier(first.index), first.phase);
  emitStageProduct(context, consumer, first.index, carried, /*isFirst=*/true);
  whenStarted();

  carried.push_back(first.index);
  Value one = b.constantI32(1);
  auto loop = emitLoop(
      b, one, context.contractTiles, one, carried,
      [&](Value contractTile, ValueRange arguments) -> SmallVector<Value> {
        Stage stage = getStage(context, b.add(count, contractTile));
        b.waitBarrier(context.getFullBarrier(stage.index), stage.phase);
        SmallVector<Value> accumulators(arguments.drop_back());
        emitStageProduct(context, consumer, stage.index, accumulators,
                         /*isFirst=*/false);
        // The products of the previous stage are done: its buffers are free.
        NVVM::WgmmaWaitGroupSyncOp::create(b, 1);
        emitRelease(context, consumer, arguments.back());
        accumulators.push_back(stage.index);
        return accumulators;
      });
  auto registers = emitFinalWait(b, loop.getResults().drop_back());
  emitRelease(context, consumer, loop.getResults().back());
  return registers;
}
