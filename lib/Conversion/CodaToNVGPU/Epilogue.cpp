//===- Epilogue.cpp - From accumulators to results -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "FragmentLayout.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::coda;

/// A 16 x 16 block in a thread: four pairs, as `ldmatrix.x4` numbers them:
/// rows 0-7, rows 8-15, then the same of the next 8 columns.
static constexpr int64_t blockPairs = 4;
static constexpr int64_t blockGroups = 2;
static constexpr int64_t subtileBlocks =
    fragment::subtileColumns / (blockGroups * fragment::groupColumns);

Epilogue::Epilogue(GemmContext &context, const Consumer &consumer,
                   const TileCoordinates &at, Value phase)
    : context(context), b(context.b), op(context.op), consumer(consumer),
      at(at), phase(phase), access(context, consumer, at),
      region(context.b, context.op, *this) {
  const SharedMemoryPlan &memory = context.memory;
  buffers =
      b.add(b.mul(consumer.index, memory.consumerBytes), memory.buffersOffset);
  // Lanes 0-7 name rows 0-7 of the first 8 columns, lanes 8-15 rows 8-15, and
  // lanes 16-31 the same of the next 8 columns.
  constexpr int64_t matrixRows = 8;
  matrixRow = b.add(b.remainder(consumer.lane, fragment::warpRows),
                    b.mul(consumer.warp, fragment::warpRows));
  Value chunk = b.divide(consumer.lane, fragment::warpRows);
  // Chunk numbers of later blocks differ in higher bits only, so that the
  // swizzle of this one can be computed once.
  matrixColumn = b.bitXor(chunk, b.remainder(consumer.lane, matrixRows));
  loaded.resize(context.plan.loads.accesses.size());
  int64_t slots =
      context.plan.schedule.getRowsPerConsumer() / fragment::warpRows / 2;
  partials.assign(context.plan.reductions.size(), SmallVector<Value>(slots));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value Epilogue::getBuffer(int64_t buffer) {
  return context.getShared(b.add(buffers, buffer * context.memory.bufferBytes));
}

Value Epilogue::getMatrixRow(int64_t buffer, int64_t rowBlock,
                             int64_t columnBlock) {
  Value chunk = b.bitXor(matrixColumn, columnBlock * blockGroups);
  Value offset = b.add(b.mul(matrixRow, fragment::rowBytes),
                       b.mul(chunk, fragment::chunkBytes));
  int64_t constant = buffer * context.memory.bufferBytes +
                     rowBlock * fragment::rows * fragment::rowBytes;
  return context.getShared(b.add(b.add(buffers, offset), constant));
}

Value Epilogue::getLoadedBarrier(int64_t buffer) {
  const SharedMemoryPlan &memory = context.memory;
  Value first = b.mul(consumer.index,
                      memory.loadBuffers * SharedMemoryPlan::barrierBytes);
  return context.getShared(b.add(
      first, memory.loadedOffset + buffer * SharedMemoryPlan::barrierBytes));
}

Value Epilogue::getSubtileColumn(int64_t subtile) {
  return b.add(at.column, subtile * fragment::subtileColumns);
}

void Epilogue::emitWarpgroupBarrier() {
  // Barrier 0 is the block's.
  b.syncThreads(b.add(consumer.index, 1), fragment::warpgroupSize);
}

void Epilogue::emitPrefetch() {
  const SharedMemoryPlan &memory = context.memory;
  const TileAccesses &loads = context.plan.loads;
  if (loads.accesses.empty())
    return;
  b.ifTrue(consumer.isElected, [&] {
    // Results of the previous tile leave from the same buffers.
    b.waitStoresRead(0);
    for (int64_t subtile = 0; subtile < memory.subtiles; ++subtile)
      for (auto [index, load] : llvm::enumerate(loads.accesses)) {
        int64_t buffer = memory.getLoadBuffer(index, subtile);
        Value barrier = getLoadedBarrier(buffer);
        b.arriveExpectingBytes(barrier, memory.bufferBytes);
        b.loadBox(getBuffer(buffer), context.loadMaps[load.view],
                  getBoxCoordinates(b, getSubtileColumn(subtile),
                                    access.getConsumerRow(), load.members),
                  barrier);
      }
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Operand and member index that a block argument stands for.
static std::pair<OpOperand *, unsigned> findOperand(EpilogueOpInterface op,
                                                    BlockArgument argument) {
  auto find =
      [&](Block::BlockArgListType arguments) -> std::optional<unsigned> {
    for (auto [index, candidate] : llvm::enumerate(arguments))
      if (candidate == argument)
        return index;
    return std::nullopt;
  };
  for (unsigned index = 0, e = op.getNumIns(); index < e; ++index)
    if (auto member = find(op.getInsArgs(index)))
      return {&op.getInsOperand(index), *member};
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    if (auto member = find(op.getUpdateArgs(out)))
      return {&op.getOutOperand(out), *member};
  llvm_unreachable("an argument that is no accumulator belongs to an operand");
}

Value Epilogue::emitArgument(BlockArgument argument, Level level, Point point) {
  unsigned number = argument.getArgNumber();
  if (number < context.plan.rhs.accesses.size()) {
    int64_t group =
        number * context.getPointColumns() / fragment::groupColumns +
        point.columnPair;
    ArrayRef<Value> registers = accumulators[point.row / 2];
    auto at = [&](int64_t element) {
      return registers[fragment::getRegister(group, point.row % 2, element)];
    };
    return vector::FromElementsOp::create(
        b, VectorType::get(fragment::pairColumns, b.getF32Type()),
        ValueRange{at(0), at(1)});
  }
  for (auto [index, load] : llvm::enumerate(context.plan.loads.accesses)) {
    if (load.value != argument)
      continue;
    int64_t q = point.columnPair % blockGroups * 2 + point.row % 2;
    return LLVM::BitcastOp::create(
        b, VectorType::get(fragment::pairColumns, argument.getType()),
        loaded[index][q]);
  }
  auto [operand, member] = findOperand(op, argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  return access.emitLoad(*operand, op.getMemberTuples(map)[member], level,
                         point);
}

Value Epilogue::emitIndex(unsigned dim, Level level, Point point) {
  return access.emitIndex(dim, level, point);
}

void Epilogue::accumulate(unsigned reduction, Value pair, Point point) {
  Combiner combiner = context.plan.reductions[reduction].combiner;
  Value &partial = partials[reduction][point.row];
  double identity = combiner == Combiner::Add
                        ? 0.0
                        : -std::numeric_limits<double>::infinity();
  for (int64_t element = 0; element < fragment::pairColumns; ++element) {
    Value value = vector::ExtractOp::create(b, pair, element);
    if (Value inside = access.isColumnInside(point.columnPair, element)) {
      Value neutral = arith::ConstantOp::create(b, b.getF32FloatAttr(identity));
      value = arith::SelectOp::create(b, inside, value, neutral);
    }
    partial = partial ? emitCombine(b, combiner, partial, value) : value;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Epilogue::emitPoint(Point point, Block &block) {
  const GemmPlan &plan = context.plan;
  for (auto [index, store] : llvm::enumerate(plan.stores.accesses)) {
    Value pair = region.emitPair(store.value, point);
    block.stored[index].push_back(
        LLVM::BitcastOp::create(b, b.getI32Type(), pair));
  }
  for (auto [index, reduction] : llvm::enumerate(plan.reductions))
    accumulate(index, region.emitPair(reduction.yielded, point), point);
  // Loads come before all stores: an operand may be the memory of an out.
  SmallVector<Value> pairs;
  for (const DirectStore &store : plan.directStores)
    pairs.push_back(region.emitPair(store.yielded, point));
  for (auto [store, pair] : llvm::zip_equal(plan.directStores, pairs))
    access.emitStore(op.getOutOperand(store.out), store.members, pair, point);
}

Epilogue::Block Epilogue::emitBlock(int64_t subtile, int64_t rowBlock,
                                    int64_t columnBlock) {
  for (auto [index, registers] : llvm::enumerate(loaded)) {
    int64_t buffer = context.memory.getLoadBuffer(index, subtile);
    registers = b.loadMatrices(getMatrixRow(buffer, rowBlock, columnBlock));
  }
  Block block = {rowBlock, columnBlock, {}};
  block.stored.resize(context.plan.stores.accesses.size());
  int64_t firstGroup = (subtile * subtileBlocks + columnBlock) * blockGroups;
  for (int64_t q = 0; q < blockPairs; ++q) {
    Point point = {static_cast<unsigned>(rowBlock * 2 + q % 2),
                   static_cast<unsigned>(firstGroup + q / 2)};
    emitPoint(point, block);
  }
  return block;
}

void Epilogue::emitSubtile(int64_t subtile) {
  for (size_t load = 0; load < loaded.size(); ++load)
    b.waitBarrier(getLoadedBarrier(context.memory.getLoadBuffer(load, subtile)),
                  phase);
  int64_t rowBlocks =
      context.plan.schedule.getRowsPerConsumer() / fragment::rows;
  SmallVector<Block> blocks;
  for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock)
    for (int64_t columnBlock = 0; columnBlock < subtileBlocks; ++columnBlock) {
      blocks.push_back(emitBlock(subtile, rowBlock, columnBlock));
      // A warp writes only rows that it has read itself, so that a result may
      // take the place of a prefetched tile at once.
      for (size_t store = 0; store < blocks.back().stored.size(); ++store)
        if (store < loaded.size())
          emitToBuffer(store, context.memory.getLoadBuffer(store, subtile),
                       blocks.back());
    }
  emitStores(subtile, blocks);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Epilogue::emitToBuffer(unsigned store, int64_t buffer,
                            ArrayRef<Block> blocks) {
  for (const Block &block : blocks)
    b.storeMatrices(getMatrixRow(buffer, block.rowBlock, block.columnBlock),
                    block.stored[store]);
}

void Epilogue::emitCopiesOut(ArrayRef<std::pair<unsigned, int64_t>> copies,
                             int64_t subtile) {
  b.fenceSharedForBulkCopies();
  emitWarpgroupBarrier();
  b.ifTrue(consumer.isElected, [&] {
    for (auto [index, buffer] : copies) {
      const TileAccess &store = context.plan.stores.accesses[index];
      b.storeBox(context.storeMaps[store.view], getBuffer(buffer),
                 getBoxCoordinates(b, getSubtileColumn(subtile),
                                   access.getConsumerRow(), store.members));
    }
    b.commitStores();
  });
}

int64_t Epilogue::getUnreadStores(int64_t storesOfTile) const {
  const int64_t buffers = context.memory.storeBuffers;
  if (nextStoreBuffer >= buffers)
    return buffers - 1;
  // The previous tile has used this buffer last.
  int64_t lastUse = nextStoreBuffer;
  while (lastUse + buffers < storesOfTile)
    lastUse += buffers;
  return std::min(buffers - 1, storesOfTile - 1 - lastUse + nextStoreBuffer);
}

void Epilogue::emitStores(int64_t subtile, ArrayRef<Block> blocks) {
  const SharedMemoryPlan &memory = context.memory;
  unsigned numStores = context.plan.stores.accesses.size();
  unsigned inPlace = std::min<unsigned>(numStores, loaded.size());
  SmallVector<std::pair<unsigned, int64_t>> copies;
  for (unsigned store = 0; store < inPlace; ++store)
    copies.push_back({store, memory.getLoadBuffer(store, subtile)});
  // Every group of copies uses one store buffer, so that a buffer is free when
  // all groups up to its last one were read.
  int64_t storesOfTile = memory.subtiles * (numStores - inPlace);
  for (unsigned store = inPlace; store < numStores; ++store) {
    int64_t unread = getUnreadStores(storesOfTile);
    int64_t buffer =
        memory.getStoreBuffer(nextStoreBuffer++ % memory.storeBuffers);
    b.ifTrue(consumer.isElected, [&] { b.waitStoresRead(unread); });
    emitWarpgroupBarrier();
    emitToBuffer(store, buffer, blocks);
    copies.push_back({store, buffer});
    emitCopiesOut(copies, subtile);
    copies.clear();
  }
  if (!copies.empty())
    emitCopiesOut(copies, subtile);
}

void Epilogue::emit(SmallVector<SmallVector<Value>> values) {
  accumulators = std::move(values);
  for (int64_t subtile = 0; subtile < context.memory.subtiles; ++subtile)
    emitSubtile(subtile);
  // Without a store no barrier has told the elected thread that all warps have
  // read the prefetched tiles.
  if (!loaded.empty() && context.plan.stores.accesses.empty())
    emitWarpgroupBarrier();
  if (!partials.empty())
    emitReductions(context, consumer, at, access, partials);
}
