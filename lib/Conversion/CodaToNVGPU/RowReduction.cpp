//===- RowReduction.cpp - Reductions over the columns of a row -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "FragmentLayout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

Value mlir::coda::emitCombine(KernelBuilder &b, Combiner combiner, Value lhs,
                              Value rhs) {
  if (combiner == Combiner::Max)
    return arith::MaximumFOp::create(b, lhs, rhs);
  return arith::AddFOp::create(b, lhs, rhs);
}

namespace {
/// Partial results lie in tiles [row tile][column tile][reduction][row].
struct PartialAddress {
  GemmContext &context;
  Value rowTile;

  Value get(Value columnTile, unsigned reduction, Value rowInTile) const {
    KernelBuilder &b = context.b;
    int64_t rows = context.plan.schedule.rows;
    int64_t reductions = context.plan.reductions.size();
    Value tile =
        b.add(b.mul(b.extendToI64(rowTile), b.extendToI64(context.columnTiles)),
              b.extendToI64(columnTile));
    Value index = b.add(b.mul(tile, rows * reductions),
                        b.add(b.extendToI64(rowInTile), reduction * rows));
    return b.globalAddress(context.partials, b.getF32Type(), index);
  }
};
} // namespace

/// Combines the lanes that share a row.
static Value emitAcrossLanes(KernelBuilder &b, Combiner combiner, Value value) {
  for (int64_t distance = 1; distance < fragment::rowLanes; distance *= 2)
    value = emitCombine(b, combiner, value, b.shuffleXor(value, distance));
  return value;
}

/// Combines the partial results of all column tiles for one row, in order, and
/// stores the result.
static void emitFinish(GemmContext &context, PointAccess &access,
                       const PartialAddress &address, unsigned index,
                       Value rowInTile, Value row) {
  KernelBuilder &b = context.b;
  const RowReduction &reduction = context.plan.reductions[index];
  // Volatile, since other multiprocessors wrote them.
  auto load = [&](Value columnTile) -> Value {
    return LLVM::LoadOp::create(b, b.getF32Type(),
                                address.get(columnTile, index, rowInTile),
                                /*alignment=*/4, /*isVolatile=*/true);
  };
  Value zero = b.constantI32(0), one = b.constantI32(1);
  Value first = load(zero);
  auto loop = scf::ForOp::create(b, one, context.columnTiles, one, first);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value combined =
        emitCombine(b, reduction.combiner, loop.getRegionIterArgs()[0],
                    load(loop.getInductionVar()));
    scf::YieldOp::create(b, combined);
  }
  Value result = loop.getResult(0);

  OpOperand &out = context.op.getOutOperand(reduction.out);
  Type element = cast<MemRefType>(out.get().getType()).getElementType();
  unsigned alignment = element.getIntOrFloatBitWidth() / 8;
  Value destination = access.emitRowAddress(out, reduction.members, row);
  if (context.op.isUpdate(reduction.out)) {
    Value old = LLVM::LoadOp::create(b, element, destination, alignment);
    if (!element.isF32())
      old = arith::ExtFOp::create(b, b.getF32Type(), old);
    result = emitCombine(b, reduction.combiner, old, result);
  }
  if (!element.isF32())
    result = arith::TruncFOp::create(b, element, result);
  LLVM::StoreOp::create(b, result, destination, alignment);
}

/// Counts this warp in among the column tiles of its 16 rows and returns
/// whether it is the last, for all lanes.
static Value emitArrival(GemmContext &context, Value group, Value lane) {
  KernelBuilder &b = context.b;
  b.syncWarp();
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, "device");
  Value zero = b.constantI32(0), one = b.constantI32(1);
  auto isFirst = scf::IfOp::create(b, b.getI32Type(), b.equal(lane, 0),
                                   /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    Value counter =
        b.globalAddress(context.arrivals, b.getI32Type(), b.extendToI64(group));
    Value arrived = LLVM::AtomicRMWOp::create(
        b, LLVM::AtomicBinOp::add, counter, one,
        LLVM::AtomicOrdering::monotonic, "device", /*alignment=*/4);
    scf::YieldOp::create(b, arrived);
    b.setInsertionPointToStart(isFirst.elseBlock());
    scf::YieldOp::create(b, zero);
  }
  Value arrived = b.shuffleFrom(isFirst.getResult(0), 0);
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, arrived,
                                       b.sub(context.columnTiles, 1));
}

void mlir::coda::emitReductions(GemmContext &context, const Consumer &consumer,
                                const TileCoordinates &at, PointAccess &access,
                                ArrayRef<SmallVector<Value>> partials) {
  KernelBuilder &b = context.b;
  const Schedule &schedule = context.plan.schedule;
  PartialAddress address = {context, at.rowTile};
  int64_t rowBlocks = schedule.getRowsPerConsumer() / fragment::rows;
  Value ownsRow = b.equal(b.remainder(consumer.lane, fragment::rowLanes), 0);
  Value consumerRow = b.mul(consumer.index, schedule.getRowsPerConsumer());

  // Partial results.
  SmallVector<SmallVector<Value>> combined;
  for (auto [reduction, values] :
       llvm::zip_equal(context.plan.reductions, partials)) {
    combined.emplace_back();
    for (Value value : values)
      combined.back().push_back(emitAcrossLanes(b, reduction.combiner, value));
  }
  SmallVector<Value> rowsInTile;
  for (unsigned slot = 0; slot < 2 * rowBlocks; ++slot)
    rowsInTile.push_back(b.sub(access.getRow(slot), at.row));
  b.ifTrue(ownsRow, [&] {
    for (auto [index, values] : llvm::enumerate(combined))
      for (auto [rowInTile, value] : llvm::zip_equal(rowsInTile, values))
        LLVM::StoreOp::create(b, value,
                              address.get(at.columnTile, index, rowInTile),
                              /*alignment=*/4);
  });

  // The last warp of its rows finishes them.
  for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock) {
    Value warpRow = b.add(b.add(consumerRow, rowBlock * fragment::rows),
                          b.mul(consumer.warp, fragment::warpRows));
    Value group = b.add(b.mul(at.rowTile, schedule.rows / fragment::warpRows),
                        b.divide(warpRow, fragment::warpRows));
    Value isLast = emitArrival(context, group, consumer.lane);
    b.ifTrue(isLast, [&] {
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, "device");
      Value rowInTile = b.add(warpRow, consumer.lane);
      Value row = b.add(at.row, rowInTile);
      Value isInside = b.bitAnd(b.less(row, context.rows),
                                b.less(consumer.lane, fragment::warpRows));
      b.ifTrue(isInside, [&] {
        for (unsigned index = 0; index < context.plan.reductions.size();
             ++index)
          emitFinish(context, access, address, index, rowInTile, row);
      });
    });
  }
}
