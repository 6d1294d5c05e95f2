//===- Epilogue.h - From accumulators to results -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue of one tile for one consumer walks over sub-tiles of 64 columns
// of points, and in each over blocks of 16 x 16 points, the unit of a matrix
// load or store: four pairs of columns for each thread.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_EPILOGUE_H
#define CODA_LIB_CONVERSION_CODATONVGPU_EPILOGUE_H

#include "PointAccess.h"

namespace mlir::coda {

class Epilogue : public PointSource {
public:
  /// `phase` is the phase of the barriers of prefetched tiles.
  Epilogue(GemmContext &context, const Consumer &consumer,
           const TileCoordinates &at, Value phase);

  /// Starts copies of the tiles that the region reads.
  void emitPrefetch();
  /// Runs the region on the accumulators and stores its results.
  void emit(SmallVector<SmallVector<Value>> accumulators);

  Value emitArgument(BlockArgument argument, Level level, Point point) override;
  Value emitIndex(unsigned dim, Level level, Point point) override;

private:
  /// Registers of the stored tiles of one block of 16 x 16 points.
  struct Block {
    int64_t rowBlock;
    int64_t columnBlock;
    SmallVector<SmallVector<Value>> stored;
  };

  void emitSubtile(int64_t subtile);
  Block emitBlock(int64_t subtile, int64_t rowBlock, int64_t columnBlock);
  void emitPoint(Point point, Block &block);
  void accumulate(unsigned reduction, Value pair, Point point);
  /// Writes a stored tile's registers into a buffer.
  void emitToBuffer(unsigned store, int64_t buffer, ArrayRef<Block> blocks);
  void emitStores(int64_t subtile, ArrayRef<Block> blocks);
  /// How many of the youngest groups of copies may still read their buffers
  /// when the next store buffer is written.
  int64_t getUnreadStores(int64_t storesOfTile) const;
  void emitCopiesOut(ArrayRef<std::pair<unsigned, int64_t>> buffers,
                     int64_t subtile);
  void emitWarpgroupBarrier();

  Value getBuffer(int64_t buffer);
  /// The address at which this lane hands a row of a block to the hardware.
  Value getMatrixRow(int64_t buffer, int64_t rowBlock, int64_t columnBlock);
  Value getLoadedBarrier(int64_t buffer);
  Value getSubtileColumn(int64_t subtile);

  GemmContext &context;
  KernelBuilder &b;
  EpilogueOpInterface op;
  const Consumer &consumer;
  TileCoordinates at;
  Value phase;
  PointAccess access;
  RegionEmitter region;
  Value buffers;
  Value matrixRow;
  Value matrixColumn;

  SmallVector<SmallVector<Value>> accumulators;
  /// Registers of the current block of each prefetched tile.
  SmallVector<SmallVector<Value>> loaded;
  unsigned nextStoreBuffer = 0;
  /// Partial results of each reduction for each row of the thread.
  SmallVector<SmallVector<Value>> partials;
};

/// Combines two values of a reduction.
Value emitCombine(KernelBuilder &b, Combiner combiner, Value lhs, Value rhs);

/// Completes the reductions over columns. Every warp publishes its partial
/// results of a tile; the one that arrives last in its rows adds the partials
/// of all column tiles in order, so that timing never changes a result.
void emitReductions(GemmContext &context, const Consumer &consumer,
                    const TileCoordinates &at, PointAccess &access,
                    ArrayRef<SmallVector<Value>> partials);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_EPILOGUE_H
