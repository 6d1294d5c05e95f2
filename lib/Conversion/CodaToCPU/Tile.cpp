//===- Tile.cpp - Coda ops in tiles for the host -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUTILEPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

/// Points of a tile along rows and along columns. The accumulators of a product
/// then take 16 kB for each right-hand side, and its weights are read once.
static constexpr int64_t tileRows = 64;
static constexpr int64_t tileColumns = 64;
/// Without a product a tile is wide: memory is read in long runs.
static constexpr int64_t mapTileColumns = 1024;
/// Below this many points (times contracts) there is nothing to gain.
static constexpr int64_t minPoints = 1 << 15;

//===----------------------------------------------------------------------===//
// Choice of tiles
//===----------------------------------------------------------------------===//

/// Dims that must stay whole, since a value at one point needs all others.
static llvm::SmallBitVector getWholeDims(EpilogueOpInterface op) {
  llvm::SmallBitVector whole(op.getNumDims());
  for (auto reduce : op.getBodyBlock().getOps<GroupReduceOp>())
    for (StringRef name : reduce.getDims().getAsValueRange<StringAttr>())
      whole.set(*op.findDim(name));
  // Partials of lse, max and sums merge as they are; those of sqdev do not.
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    if (op.getCombiner(out) == Combiner::SquaredDeviation)
      for (unsigned dim : op.getReducedDims(out))
        whole.set(dim);
  return whole;
}

/// Gives the innermost dims of a kind as much of `budget` as they take.
static void distribute(EpilogueOpInterface op, DimKind kind, int64_t budget,
                       const llvm::SmallBitVector &whole,
                       SmallVectorImpl<int64_t> &tiles) {
  SmallVector<unsigned> dims = op.getDimsOfKind(kind);
  for (unsigned dim : llvm::reverse(dims)) {
    int64_t size = op.getDimSize(dim);
    bool isDynamic = ShapedType::isDynamic(size);
    if (whole.test(dim)) {
      budget = isDynamic
                   ? 1
                   : std::max<int64_t>(budget / std::max<int64_t>(size, 1), 1);
      continue;
    }
    if (!isDynamic && size <= budget) {
      budget = std::max<int64_t>(budget / std::max<int64_t>(size, 1), 1);
      continue;
    }
    tiles[dim] = budget;
    budget = 1;
  }
}

/// Tile size of every dim; 0 for a dim that is not cut.
static SmallVector<int64_t> chooseTiles(EpilogueOpInterface op) {
  SmallVector<int64_t> tiles(op.getNumDims(), 0);
  int64_t points = 1;
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
    int64_t size = op.getDimSize(dim);
    points = ShapedType::isDynamic(size) ? points * 64 : points * size;
  }
  if (points < minPoints)
    return tiles;
  llvm::SmallBitVector whole = getWholeDims(op);
  bool hasProduct = op.getNumProductOperands() != 0;
  distribute(op, DimKind::Column, hasProduct ? tileColumns : mapTileColumns,
             whole, tiles);
  distribute(op, DimKind::Row, tileRows, whole, tiles);
  distribute(op, DimKind::Batch, 1, whole, tiles);
  return tiles;
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

namespace {
/// A part of a tensor, all strides 1.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> getStrides(OpBuilder &b) const {
    return SmallVector<OpFoldResult>(offsets.size(), b.getIndexAttr(1));
  }
};

class Tiler {
public:
  Tiler(RewriterBase &rewriter, EpilogueOpInterface op,
        ArrayRef<int64_t> tiles);
  /// Replaces the op.
  void tile();

private:
  OpFoldResult getSize(unsigned dim);
  bool isCut(unsigned dim) { return tiles[dim] != 0; }
  /// Dims whose tiles each give a partial of a reduced result.
  SmallVector<unsigned> getPartialDims(unsigned out);
  Value createDestination(unsigned out);
  Slice getSlice(AffineMap map);
  Slice getPartialSlice(unsigned out);
  void emitTile(OpBuilder &b, ValueRange indices, ValueRange destinations);
  void displaceIndices(OpBuilder &b, EpilogueOpInterface tileOp);
  Value combinePartials(unsigned out, Value partials);

  RewriterBase &rewriter;
  EpilogueOpInterface op;
  Location loc;
  ArrayRef<int64_t> tiles;
  SmallVector<unsigned> cutDims;
  /// Of the current tile.
  SmallVector<OpFoldResult> offsets, sizes;
};
} // namespace

Tiler::Tiler(RewriterBase &rewriter, EpilogueOpInterface op,
             ArrayRef<int64_t> tiles)
    : rewriter(rewriter), op(op), loc(op.getLoc()), tiles(tiles) {
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
    if (isCut(dim))
      cutDims.push_back(dim);
}

OpFoldResult Tiler::getSize(unsigned dim) {
  int64_t size = op.getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return rewriter.getIndexAttr(size);
  auto [operand, dimension] = *op.getDimSource(dim);
  return tensor::getMixedSize(rewriter, loc, operand->get(), dimension);
}

SmallVector<unsigned> Tiler::getPartialDims(unsigned out) {
  SmallVector<unsigned> dims;
  if (op.isReduced(out))
    for (unsigned dim : op.getReducedDims(out))
      if (isCut(dim))
        dims.push_back(dim);
  return dims;
}

/// What the tiles of a result are inserted into. The contents of a plain out
/// are never read, so they need not be carried along.
Value Tiler::createDestination(unsigned out) {
  Value init = op.getOuts()[out];
  SmallVector<unsigned> partial = getPartialDims(out);
  if (op.isUpdate(out) && partial.empty())
    return init;
  SmallVector<OpFoldResult> shape;
  for (unsigned dim : partial)
    shape.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0).ceilDiv(tiles[dim]),
        getSize(dim)));
  if (partial.empty() && init.getDefiningOp<tensor::EmptyOp>())
    return init;
  llvm::append_range(shape, tensor::getMixedSizes(rewriter, loc, init));
  Type element = getElementTypeOrSelf(init);
  if (!partial.empty())
    element = rewriter.getF32Type();
  return tensor::EmptyOp::create(rewriter, loc, shape, element);
}

/// The part of an operand that the current tile needs.
Slice Tiler::getSlice(AffineMap map) {
  Slice slice;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    slice.offsets.push_back(dim ? offsets[dim.getPosition()]
                                : OpFoldResult(rewriter.getIndexAttr(0)));
    slice.sizes.push_back(dim ? sizes[dim.getPosition()]
                              : OpFoldResult(rewriter.getIndexAttr(1)));
  }
  return slice;
}

Slice Tiler::getPartialSlice(unsigned out) {
  Slice slice;
  for (unsigned dim : getPartialDims(out)) {
    slice.offsets.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(tiles[dim]),
        offsets[dim]));
    slice.sizes.push_back(rewriter.getIndexAttr(1));
  }
  Slice rest = getSlice(op.getOutMap(out));
  llvm::append_range(slice.offsets, rest.offsets);
  llvm::append_range(slice.sizes, rest.sizes);
  return slice;
}

/// An index inside a tile is counted from its begin: the region adds that.
void Tiler::displaceIndices(OpBuilder &b, EpilogueOpInterface tileOp) {
  Block &body = tileOp.getBodyBlock();
  DenseMap<unsigned, Value> begins;
  SmallVector<IndexOp> indexOps(body.getOps<IndexOp>());
  for (IndexOp index : indexOps) {
    unsigned dim = *tileOp.findDim(index.getDim());
    if (!isCut(dim))
      continue;
    Value &begin = begins[dim];
    if (!begin) {
      unsigned number = tileOp.getNumAccumulators();
      for (unsigned ins = 0, e = tileOp.getNumIns(); ins < e; ++ins)
        number += tileOp.getInsArgs(ins).size();
      unsigned position = tileOp.getNumProductOperands() + tileOp.getNumIns();
      SmallVector<AffineMap> maps = tileOp.getIndexingMapsArray();
      maps.insert(maps.begin() + position,
                  AffineMap::get(tileOp.getNumDims(), 0, b.getContext()));
      Value offset = getValueOrCreateConstantIndexOp(b, loc, offsets[dim]);
      if (auto gemm = dyn_cast<GemmOp>(tileOp.getOperation()))
        gemm.getInsMutable().append(offset);
      else
        cast<MapOp>(tileOp.getOperation()).getInsMutable().append(offset);
      tileOp->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
      begin = body.insertArgument(number, b.getIndexType(), loc);
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(index);
    auto sum = arith::AddIOp::create(b, loc, index.getResult(), begin);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
}

void Tiler::emitTile(OpBuilder &b, ValueRange indices,
                     ValueRange destinations) {
  offsets.assign(op.getNumDims(), b.getIndexAttr(0));
  sizes.clear();
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
    sizes.push_back(getSize(dim));
  for (auto [dim, index] : llvm::zip_equal(cutDims, indices)) {
    offsets[dim] = index;
    int64_t size = op.getDimSize(dim);
    if (!ShapedType::isDynamic(size) && size % tiles[dim] == 0) {
      sizes[dim] = b.getIndexAttr(tiles[dim]);
      continue;
    }
    AffineExpr begin = b.getAffineDimExpr(0), end = b.getAffineDimExpr(1);
    auto bounds =
        AffineMap::get(2, 0, {end - begin, b.getAffineConstantExpr(tiles[dim])},
                       b.getContext());
    sizes[dim] = affine::makeComposedFoldedAffineMin(
        b, loc, bounds, {OpFoldResult(index), sizes[dim]});
  }

  SmallVector<Value> operands;
  SmallVector<Slice> outSlices;
  SmallVector<Type> resultTypes;
  SmallVector<bool> updates(op.getUpdates());
  unsigned firstOut = op.getNumProductOperands() + op.getNumIns();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (number < firstOut && !isa<RankedTensorType>(operand.get().getType())) {
      operands.push_back(operand.get());
      continue;
    }
    Value source = operand.get();
    Slice slice = getSlice(map);
    auto type = cast<RankedTensorType>(source.getType());
    if (number >= firstOut) {
      unsigned out = number - firstOut;
      source = destinations[out];
      if (!getPartialDims(out).empty()) {
        slice = getPartialSlice(out);
        updates[out] = false;
        type = RankedTensorType::get(type.getShape(), b.getF32Type());
      }
      outSlices.push_back(slice);
    }
    SmallVector<int64_t> shape;
    auto partSizes = ArrayRef(slice.sizes).take_back(type.getRank());
    for (OpFoldResult size : partSizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    type = RankedTensorType::get(shape, type.getElementType());
    operands.push_back(tensor::ExtractSliceOp::create(
        b, loc, type, source, slice.offsets, slice.sizes, slice.getStrides(b)));
    if (number >= firstOut)
      resultTypes.push_back(type);
  }

  auto tileOp = cast<EpilogueOpInterface>(clone(b, op, resultTypes, operands));
  tileOp->setAttr("updates", b.getDenseBoolArrayAttr(updates));
  b.setInsertionPoint(tileOp);
  displaceIndices(b, tileOp);
  b.setInsertionPointAfter(tileOp);
  auto terminator = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(terminator.getBody());
  for (auto [result, destination, slice] :
       llvm::zip_equal(tileOp->getResults(), destinations, outSlices))
    tensor::ParallelInsertSliceOp::create(b, loc, result, destination,
                                          slice.offsets, slice.sizes,
                                          slice.getStrides(b));
}

/// Reduces the partials of all tiles as the op would have reduced their points.
Value Tiler::combinePartials(unsigned out, Value partials) {
  MLIRContext *context = rewriter.getContext();
  AffineMap outMap = op.getOutMap(out);
  // Dims of the result are rows, or members if they were; tiles are columns.
  SmallVector<unsigned> rows, members;
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
    if (outMap.isFunctionOfDim(dim))
      (op.getDimKind(dim) == DimKind::Member ? members : rows).push_back(dim);
  SmallVector<unsigned> columns = getPartialDims(out);

  SmallVector<Attribute> names, kinds;
  SmallVector<AffineExpr> toNew(op.getNumDims(),
                                getAffineConstantExpr(0, context));
  auto addDims = [&](ArrayRef<unsigned> dims, DimKind kind) {
    for (unsigned dim : dims) {
      toNew[dim] = getAffineDimExpr(names.size(), context);
      names.push_back(op.getDimNames()[dim]);
      kinds.push_back(DimKindAttr::get(context, kind));
    }
  };
  addDims(rows, DimKind::Row);
  addDims(columns, DimKind::Column);
  addDims(members, DimKind::Member);
  AffineMap newOutMap =
      outMap.replaceDimsAndSymbols(toNew, {}, names.size(), 0);
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : columns)
    exprs.push_back(toNew[dim]);
  llvm::append_range(exprs, newOutMap.getResults());
  AffineMap partialMap = AffineMap::get(names.size(), 0, exprs, context);

  Value init = op.getOuts()[out];
  OperationState state(loc, MapOp::getOperationName());
  MapOp::Properties &properties = state.getOrAddProperties<MapOp::Properties>();
  state.addOperands({partials, init});
  state.addTypes(init.getType());
  properties.operandSegmentSizes = {1, 1};
  properties.dim_names = rewriter.getArrayAttr(names);
  properties.dim_kinds = rewriter.getArrayAttr(kinds);
  properties.indexing_maps =
      rewriter.getAffineMapArrayAttr({partialMap, newOutMap});
  properties.combiners = rewriter.getArrayAttr({op.getCombiners()[out]});
  properties.updates = rewriter.getDenseBoolArrayAttr({op.isUpdate(out)});
  Block *body = new Block;
  state.addRegion()->push_back(body);
  unsigned values = op.getMemberTuples(outMap).size();
  for (unsigned value = 0; value < values; ++value)
    body->addArgument(rewriter.getF32Type(), loc);
  Operation *map = rewriter.create(state);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(body);
  YieldOp::create(rewriter, loc, body->getArguments());
  return map->getResult(0);
}

void Tiler::tile() {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> begins, ends, steps;
  for (unsigned dim : cutDims) {
    begins.push_back(rewriter.getIndexAttr(0));
    ends.push_back(getSize(dim));
    steps.push_back(rewriter.getIndexAttr(tiles[dim]));
  }
  SmallVector<Value> destinations;
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    destinations.push_back(createDestination(out));
  auto loop = scf::ForallOp::create(rewriter, loc, begins, ends, steps,
                                    destinations, /*mapping=*/std::nullopt);
  rewriter.eraseOp(loop.getTerminator());
  {
    OpBuilder::InsertionGuard inner(rewriter);
    rewriter.setInsertionPointToEnd(loop.getBody());
    emitTile(rewriter, loop.getInductionVars(), loop.getRegionIterArgs());
  }
  SmallVector<Value> results;
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out) {
    Value result = loop.getResult(out);
    results.push_back(
        getPartialDims(out).empty() ? result : combinePartials(out, result));
  }
  rewriter.replaceOp(op, results);
}

namespace {
struct CPUTile : coda::impl::CPUTilePassBase<CPUTile> {
  using CPUTilePassBase::CPUTilePassBase;

  void runOnOperation() override {
    SmallVector<EpilogueOpInterface> ops;
    getOperation()->walk([&](EpilogueOpInterface op) {
      if (op->getNumResults() != 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (EpilogueOpInterface op : ops) {
      SmallVector<int64_t> tiles = chooseTiles(op);
      if (llvm::any_of(tiles, [](int64_t tile) { return tile != 0; }))
        Tiler(rewriter, op, tiles).tile();
    }
  }
};
} // namespace
