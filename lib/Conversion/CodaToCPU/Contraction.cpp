//===- Contraction.cpp - Register-blocked contractions for the host -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "coda/IR/LinalgBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::coda;

namespace {

/// Bits of the vectors; AVX2 has 16 such registers.
constexpr unsigned vectorBits = 256;
/// Rows, and columns or vectors of columns, of a block held in registers.
constexpr int64_t blockRows = 4;
constexpr int64_t blockColumns = 2;
/// Rows and columns of a tile whose operands stay in the second-level cache.
constexpr int64_t tileRows = 64;
constexpr int64_t tileColumns = 64;

struct Operand {
  Value buffer;
  AffineMap map;

  /// The loop that walks this operand's memory contiguously.
  std::optional<unsigned> getContiguousDim() const {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (map.getNumResults() == 0 ||
        failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return std::nullopt;
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResults().back()))
      return dim.getPosition();
    return std::nullopt;
  }

  /// The innermost of some dims, by position in memory.
  std::optional<unsigned> getInnermost(ArrayRef<unsigned> dims) const {
    for (AffineExpr expr : llvm::reverse(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (llvm::is_contained(dims, dim.getPosition()))
          return dim.getPosition();
    return std::nullopt;
  }
};

/// out[batches, rows, columns] += sum over contracts of left * right.
struct Contraction {
  Operand left, right, out;
  FloatType type;
  SmallVector<unsigned> batches, rows, columns, contracts;
  /// Vectors run along this dim: a contract, or a column.
  unsigned vectorDim = 0;
  bool isDot = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static bool isProjectedPermutation(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

static bool isStridedFloatBuffer(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) && type.isStrided();
}

/// Exchanges the inputs, and with them rows and columns.
static void exchangeInputs(Contraction &contraction) {
  std::swap(contraction.left, contraction.right);
  std::swap(contraction.rows, contraction.columns);
}

/// Chooses the axis of the vectors; fails when no input offers one.
static LogicalResult chooseVectorDim(Contraction &contraction) {
  auto left = contraction.left.getContiguousDim();
  auto right = contraction.right.getContiguousDim();
  auto out = contraction.out.getContiguousDim();
  if (left && left == right &&
      llvm::is_contained(contraction.contracts, *left)) {
    contraction.isDot = true;
    contraction.vectorDim = *left;
    return success();
  }
  bool rightFits = right && llvm::is_contained(contraction.columns, *right);
  bool leftFits = left && llvm::is_contained(contraction.rows, *left);
  if (!rightFits && !leftFits)
    return failure();
  if (!rightFits || (leftFits && out == left)) {
    exchangeInputs(contraction);
    right = left;
  }
  contraction.vectorDim = *right;
  return success();
}

static FailureOr<Contraction> matchContraction(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || !isMultiplyAccumulate(op) ||
      !llvm::all_of(op->getOperands(), isStridedFloatBuffer))
    return failure();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, isProjectedPermutation))
    return failure();
  Contraction contraction;
  contraction.left = {op.getDpsInputs()[0], maps[0]};
  contraction.right = {op.getDpsInputs()[1], maps[1]};
  contraction.out = {op.getDpsInits()[0], maps[2]};
  contraction.type =
      cast<FloatType>(getElementTypeOrSelf(contraction.out.buffer));
  if (!contraction.type.isF32() && !contraction.type.isF64())
    return failure();
  for (unsigned dim = 0, e = op.getNumLoops(); dim < e; ++dim) {
    bool inLeft = maps[0].isFunctionOfDim(dim);
    bool inRight = maps[1].isFunctionOfDim(dim);
    bool inOut = maps[2].isFunctionOfDim(dim);
    if (inLeft && inRight)
      (inOut ? contraction.batches : contraction.contracts).push_back(dim);
    else if (inOut && (inLeft || inRight))
      (inLeft ? contraction.rows : contraction.columns).push_back(dim);
    else
      return failure();
  }
  if (contraction.contracts.empty() || failed(chooseVectorDim(contraction)))
    return failure();
  return contraction;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
class Emitter {
public:
  Emitter(RewriterBase &b, linalg::GenericOp op, Contraction &contraction,
          bool parallel);
  void emit();

private:
  using LoopBody = function_ref<void(Value index)>;
  using BlockBody = function_ref<void(Value index, int64_t width)>;
  using SumBody =
      function_ref<SmallVector<Value>(Value index, ValueRange sums)>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value index, int64_t offset) {
    return b.createOrFold<arith::AddIOp>(loc, index, constant(offset));
  }
  Value getZero(Type type) {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  }
  int64_t getStaticSize(unsigned dim) { return staticSizes[dim]; }

  // Loops.
  void emitLoop(Value begin, Value end, int64_t step, LoopBody body);
  void emitOuterLoop(unsigned dim, int64_t step, LoopBody body);
  void emitOuterLoops(ArrayRef<unsigned> dims, function_ref<void()> body);
  void emitTile(std::optional<unsigned> dim, int64_t size,
                function_ref<void(Value begin, Value end)> body);
  void emitBlocks(std::optional<unsigned> dim, Value begin, Value end,
                  ArrayRef<int64_t> widths, BlockBody body);
  SmallVector<Value> emitSums(ArrayRef<unsigned> dims, ValueRange sums,
                              function_ref<SmallVector<Value>(ValueRange)>);
  SmallVector<Value> emitSum(Value begin, Value end, int64_t step,
                             ValueRange sums, SumBody body);
  void chooseParallelLoop();

  // Accesses. `moved` is a dim whose index is displaced.
  SmallVector<Value> getIndices(const Operand &operand,
                                std::optional<unsigned> moved, int64_t offset);
  Value load(const Operand &operand, std::optional<unsigned> moved,
             int64_t offset);
  Value loadVector(const Operand &operand, std::optional<unsigned> moved,
                   int64_t offset);
  Value widen(Value value);

  // Blocks.
  void emitDotBlock(int64_t rows, int64_t columns);
  SmallVector<Value> emitDotStep(ValueRange sums, int64_t rows, int64_t columns,
                                 bool isVector);
  void emitOuterProductBlock(int64_t rows, int64_t width);
  SmallVector<Value> emitOuterProductStep(ValueRange sums, int64_t rows,
                                          int64_t vectors, bool isVector);
  Value loadSum(unsigned row, int64_t column, bool isVector);
  void storeSum(Value sum, unsigned row, int64_t column, bool isVector);
  bool isOutContiguous() {
    return c.out.getContiguousDim() == std::optional(c.vectorDim);
  }

  RewriterBase &b;
  Location loc;
  Contraction &c;
  bool parallel;
  VectorType vectorType;
  int64_t lanes;
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> sizes;
  /// Where every loop currently is.
  SmallVector<Value> indices;
  /// The dims that blocks and tiles advance along.
  std::optional<unsigned> rowDim, columnDim;
  std::optional<unsigned> parallelDim;
};
} // namespace

Emitter::Emitter(RewriterBase &b, linalg::GenericOp op,
                 Contraction &contraction, bool parallel)
    : b(b), loc(op.getLoc()), c(contraction), parallel(parallel) {
  lanes = vectorBits / c.type.getWidth();
  vectorType = VectorType::get(lanes, c.type);
  staticSizes = op.getStaticLoopRanges();
  for (unsigned dim = 0, e = op.getNumLoops(); dim < e; ++dim) {
    AffineExpr expr = b.getAffineDimExpr(dim);
    for (const Operand *operand : {&c.left, &c.right, &c.out})
      if (auto position = operand->map.getResultPosition(expr)) {
        sizes.push_back(getValueOrCreateConstantIndexOp(
            b, loc, memref::getMixedSize(b, loc, operand->buffer, *position)));
        break;
      }
  }
  indices.resize(sizes.size());
  rowDim = c.left.getInnermost(c.rows);
  columnDim = c.isDot ? c.right.getInnermost(c.columns) : c.vectorDim;
}

void Emitter::emitLoop(Value begin, Value end, int64_t step, LoopBody body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// A loop over independent points, spread over the cores if it is the chosen
/// one.
void Emitter::emitOuterLoop(unsigned dim, int64_t step, LoopBody body) {
  if (!parallel || parallelDim != dim)
    return emitLoop(constant(0), sizes[dim], step, body);
  auto loop = scf::ParallelOp::create(b, loc, ValueRange{constant(0)},
                                      ValueRange{sizes[dim]},
                                      ValueRange{constant(step)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars().front());
}

void Emitter::emitOuterLoops(ArrayRef<unsigned> dims,
                             function_ref<void()> body) {
  if (dims.empty())
    return body();
  emitOuterLoop(dims.front(), 1, [&](Value index) {
    indices[dims.front()] = index;
    emitOuterLoops(dims.drop_front(), body);
  });
}

void Emitter::emitTile(std::optional<unsigned> dim, int64_t size,
                       function_ref<void(Value, Value)> body) {
  if (!dim)
    return body(nullptr, nullptr);
  if (getStaticSize(*dim) >= 0 && getStaticSize(*dim) <= size &&
      parallelDim != dim)
    return body(constant(0), sizes[*dim]);
  emitOuterLoop(*dim, size, [&](Value begin) {
    Value end = arith::MinSIOp::create(b, loc, add(begin, size), sizes[*dim]);
    body(begin, end);
  });
}

/// Covers a range by blocks of the first width, the rest by blocks of the next.
void Emitter::emitBlocks(std::optional<unsigned> dim, Value begin, Value end,
                         ArrayRef<int64_t> widths, BlockBody body) {
  if (!dim)
    return body(nullptr, 1);
  // Tiles begin at multiples of every width, so a size that is one, too, leaves
  // no rest.
  int64_t size = getStaticSize(*dim);
  for (int64_t width : widths) {
    bool isLast = !ShapedType::isDynamic(size) && size % width == 0;
    if (!ShapedType::isDynamic(size) && size < width)
      continue;
    Value stop = end;
    if (!isLast) {
      Value length = b.createOrFold<arith::SubIOp>(loc, end, begin);
      Value rest = b.createOrFold<arith::RemSIOp>(loc, length, constant(width));
      stop = b.createOrFold<arith::SubIOp>(loc, end, rest);
    }
    emitLoop(begin, stop, width, [&](Value index) {
      indices[*dim] = index;
      body(index, width);
    });
    if (isLast)
      return;
    begin = stop;
  }
}

SmallVector<Value> Emitter::emitSum(Value begin, Value end, int64_t step,
                                    ValueRange sums, SumBody body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(step), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> results =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, loc, results);
  return loop.getResults();
}

SmallVector<Value>
Emitter::emitSums(ArrayRef<unsigned> dims, ValueRange sums,
                  function_ref<SmallVector<Value>(ValueRange)> body) {
  if (dims.empty())
    return body(sums);
  return emitSum(constant(0), sizes[dims.front()], 1, sums,
                 [&](Value index, ValueRange inner) {
                   indices[dims.front()] = index;
                   return emitSums(dims.drop_front(), inner, body);
                 });
}

/// The loop with the most iterations; unknown sizes count as large.
void Emitter::chooseParallelLoop() {
  int64_t points = 1;
  for (int64_t size : staticSizes)
    points = ShapedType::isDynamic(size) ? minParallelPoints : points * size;
  if (!parallel || points < minParallelPoints)
    return;
  int64_t most = 1;
  auto consider = [&](unsigned dim, int64_t step) {
    int64_t size = getStaticSize(dim);
    int64_t trips = ShapedType::isDynamic(size) ? 16 : size / step;
    if (trips <= most)
      return;
    most = trips;
    parallelDim = dim;
  };
  for (unsigned dim : c.columns)
    consider(dim, columnDim == dim ? tileColumns : 1);
  for (unsigned dim : c.rows)
    consider(dim, rowDim == dim ? tileRows : 1);
  for (unsigned dim : c.batches)
    consider(dim, 1);
}

void Emitter::emit() {
  chooseParallelLoop();
  auto without = [](ArrayRef<unsigned> dims, std::optional<unsigned> dim) {
    SmallVector<unsigned> others(dims);
    if (dim)
      llvm::erase(others, *dim);
    return others;
  };
  SmallVector<unsigned> outer = c.batches;
  llvm::append_range(outer, without(c.columns, columnDim));
  llvm::append_range(outer, without(c.rows, rowDim));
  // OpenMP regions do not nest here: the parallel loop is the outermost.
  if (auto it = llvm::find(outer, parallelDim.value_or(~0u)); it != outer.end())
    std::rotate(outer.begin(), it, it + 1);
  SmallVector<int64_t> rowWidths = {blockRows, 1};
  SmallVector<int64_t> columnWidths = {blockColumns, 1};
  if (!c.isDot)
    columnWidths = {blockColumns * lanes, lanes, 1};

  auto emitBody = [&](Value rowBegin, Value rowEnd, Value columnBegin,
                      Value columnEnd) {
    emitBlocks(columnDim, columnBegin, columnEnd, columnWidths,
               [&](Value, int64_t columns) {
                 emitBlocks(rowDim, rowBegin, rowEnd, rowWidths,
                            [&](Value, int64_t rows) {
                              if (c.isDot)
                                emitDotBlock(rows, columns);
                              else
                                emitOuterProductBlock(rows, columns);
                            });
               });
  };
  auto emitTiles = [&](function_ref<void(Value, Value, Value, Value)> body) {
    if (parallelDim && parallelDim == rowDim)
      return emitTile(rowDim, tileRows, [&](Value rowBegin, Value rowEnd) {
        emitTile(columnDim, tileColumns, [&](Value begin, Value end) {
          body(rowBegin, rowEnd, begin, end);
        });
      });
    emitTile(columnDim, tileColumns, [&](Value begin, Value end) {
      emitTile(rowDim, tileRows, [&](Value rowBegin, Value rowEnd) {
        body(rowBegin, rowEnd, begin, end);
      });
    });
  };
  bool tilesAreOutermost =
      parallelDim && (parallelDim == rowDim || parallelDim == columnDim);
  if (tilesAreOutermost)
    return emitTiles([&](Value rb, Value re, Value cb, Value ce) {
      emitOuterLoops(outer, [&] { emitBody(rb, re, cb, ce); });
    });
  emitOuterLoops(outer, [&] { emitTiles(emitBody); });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::getIndices(const Operand &operand,
                                       std::optional<unsigned> moved,
                                       int64_t offset) {
  SmallVector<Value> result;
  for (AffineExpr expr : operand.map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim) {
      result.push_back(constant(0));
      continue;
    }
    Value index = indices[dim.getPosition()];
    result.push_back(
        moved == dim.getPosition() && offset != 0 ? add(index, offset) : index);
  }
  return result;
}

Value Emitter::widen(Value value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(value));
  if (element == c.type)
    return value;
  Type wide = c.type;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = vectorType;
  if (element.getWidth() > c.type.getWidth())
    return arith::TruncFOp::create(b, loc, wide, value);
  return arith::ExtFOp::create(b, loc, wide, value);
}

Value Emitter::load(const Operand &operand, std::optional<unsigned> moved,
                    int64_t offset) {
  return widen(memref::LoadOp::create(b, loc, operand.buffer,
                                      getIndices(operand, moved, offset)));
}

Value Emitter::loadVector(const Operand &operand, std::optional<unsigned> moved,
                          int64_t offset) {
  Type element = getElementTypeOrSelf(operand.buffer);
  return widen(vector::LoadOp::create(b, loc, VectorType::get(lanes, element),
                                      operand.buffer,
                                      getIndices(operand, moved, offset)));
}

//===----------------------------------------------------------------------===//
// Blocks of dot products
//===----------------------------------------------------------------------===//

SmallVector<Value> Emitter::emitDotStep(ValueRange sums, int64_t rows,
                                        int64_t columns, bool isVector) {
  auto get = [&](const Operand &operand, std::optional<unsigned> dim,
                 int64_t offset) {
    return isVector ? loadVector(operand, dim, offset)
                    : load(operand, dim, offset);
  };
  SmallVector<Value> lefts, rights, results;
  for (int64_t row = 0; row < rows; ++row)
    lefts.push_back(get(c.left, rowDim, row));
  for (int64_t column = 0; column < columns; ++column)
    rights.push_back(get(c.right, columnDim, column));
  for (auto [position, sum] : llvm::enumerate(sums)) {
    Value left = lefts[position / columns], right = rights[position % columns];
    if (isVector) {
      results.push_back(vector::FMAOp::create(b, loc, left, right, sum));
      continue;
    }
    Value product = arith::MulFOp::create(b, loc, left, right);
    results.push_back(arith::AddFOp::create(b, loc, sum, product));
  }
  return results;
}

void Emitter::emitDotBlock(int64_t rows, int64_t columns) {
  unsigned count = rows * columns;
  SmallVector<unsigned> others(c.contracts);
  llvm::erase(others, c.vectorDim);
  Value size = sizes[c.vectorDim];
  Value rest = b.createOrFold<arith::RemSIOp>(loc, size, constant(lanes));
  Value vectorEnd = b.createOrFold<arith::SubIOp>(loc, size, rest);
  bool hasTail = !isConstantIntValue(rest, 0);

  // Partial sums of whole vectors, then of what is left over.
  SmallVector<Value> sums(count, getZero(vectorType));
  if (hasTail)
    sums.append(count, getZero(c.type));
  sums = emitSums(others, sums, [&](ValueRange inner) {
    SmallVector<Value> results =
        emitSum(constant(0), vectorEnd, lanes, inner.take_front(count),
                [&](Value index, ValueRange partial) {
                  indices[c.vectorDim] = index;
                  return emitDotStep(partial, rows, columns, /*isVector=*/true);
                });
    if (hasTail)
      llvm::append_range(results,
                         emitSum(vectorEnd, size, 1, inner.drop_front(count),
                                 [&](Value index, ValueRange partial) {
                                   indices[c.vectorDim] = index;
                                   return emitDotStep(partial, rows, columns,
                                                      /*isVector=*/false);
                                 }));
    return results;
  });

  for (unsigned position = 0; position < count; ++position) {
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                            sums[position],
                                            arith::FastMathFlags::reassoc);
    if (hasTail)
      sum = arith::AddFOp::create(b, loc, sum, sums[count + position]);
    int64_t row = position / columns, column = position % columns;
    SmallVector<Value> where = getIndices(c.out, rowDim, row);
    if (columnDim)
      if (auto place =
              c.out.map.getResultPosition(b.getAffineDimExpr(*columnDim)))
        where[*place] = add(where[*place], column);
    Value old = memref::LoadOp::create(b, loc, c.out.buffer, where);
    sum = arith::AddFOp::create(b, loc, old, sum);
    memref::StoreOp::create(b, loc, sum, c.out.buffer, where);
  }
}

//===----------------------------------------------------------------------===//
// Blocks of outer products
//===----------------------------------------------------------------------===//

Value Emitter::loadSum(unsigned row, int64_t column, bool isVector) {
  SmallVector<Value> where = getIndices(c.out, rowDim, row);
  unsigned place =
      *c.out.map.getResultPosition(b.getAffineDimExpr(c.vectorDim));
  where[place] = add(where[place], column);
  if (!isVector)
    return memref::LoadOp::create(b, loc, c.out.buffer, where);
  if (isOutContiguous())
    return vector::LoadOp::create(b, loc, vectorType, c.out.buffer, where);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> element = where;
    element[place] = add(where[place], lane);
    elements.push_back(memref::LoadOp::create(b, loc, c.out.buffer, element));
  }
  return vector::FromElementsOp::create(b, loc, vectorType, elements);
}

void Emitter::storeSum(Value sum, unsigned row, int64_t column, bool isVector) {
  SmallVector<Value> where = getIndices(c.out, rowDim, row);
  unsigned place =
      *c.out.map.getResultPosition(b.getAffineDimExpr(c.vectorDim));
  where[place] = add(where[place], column);
  if (!isVector) {
    memref::StoreOp::create(b, loc, sum, c.out.buffer, where);
    return;
  }
  if (isOutContiguous()) {
    vector::StoreOp::create(b, loc, sum, c.out.buffer, where);
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> element = where;
    element[place] = add(where[place], lane);
    Value value = vector::ExtractOp::create(b, loc, sum, lane);
    memref::StoreOp::create(b, loc, value, c.out.buffer, element);
  }
}

SmallVector<Value> Emitter::emitOuterProductStep(ValueRange sums, int64_t rows,
                                                 int64_t vectors,
                                                 bool isVector) {
  SmallVector<Value> lefts, rights, results;
  for (int64_t vector = 0; vector < vectors; ++vector)
    rights.push_back(isVector ? loadVector(c.right, c.vectorDim, vector * lanes)
                              : load(c.right, c.vectorDim, 0));
  for (int64_t row = 0; row < rows; ++row) {
    Value left = load(c.left, rowDim, row);
    if (isVector)
      left = vector::BroadcastOp::create(b, loc, vectorType, left);
    lefts.push_back(left);
  }
  for (auto [position, sum] : llvm::enumerate(sums)) {
    Value left = lefts[position / vectors], right = rights[position % vectors];
    if (isVector) {
      results.push_back(vector::FMAOp::create(b, loc, left, right, sum));
      continue;
    }
    Value product = arith::MulFOp::create(b, loc, left, right);
    results.push_back(arith::AddFOp::create(b, loc, sum, product));
  }
  return results;
}

void Emitter::emitOuterProductBlock(int64_t rows, int64_t width) {
  bool isVector = width != 1;
  int64_t vectors = isVector ? width / lanes : 1;
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector)
      sums.push_back(loadSum(row, vector * lanes, isVector));
  sums = emitSums(c.contracts, sums, [&](ValueRange inner) {
    return emitOuterProductStep(inner, rows, vectors, isVector);
  });
  for (auto [position, sum] : llvm::enumerate(sums))
    storeSum(sum, position / vectors, position % vectors * lanes, isVector);
}

LogicalResult mlir::coda::lowerContraction(RewriterBase &rewriter,
                                           linalg::GenericOp op,
                                           bool parallel) {
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(contraction))
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Emitter(rewriter, op, *contraction, parallel).emit();
  rewriter.eraseOp(op);
  return success();
}
