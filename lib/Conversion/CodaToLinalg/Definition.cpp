//===- Definition.cpp - Linalg ops that define one coda op -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value is computed in the most direct way, and a region is cloned once
// for each result: this is what the ops mean, not how they should run.
//
//===----------------------------------------------------------------------===//

#include "Definition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace mlir::coda;
using utils::IteratorType;

static constexpr double negativeInfinity =
    -std::numeric_limits<double>::infinity();

static Value createConstant(OpBuilder &b, Location loc, Type type,
                            double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// Converts between float types, rounding to nearest even where it narrows.
static Value castFloat(OpBuilder &b, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

Definition::Definition(RewriterBase &rewriter, EpilogueOpInterface op,
                       ValueRange operands)
    : rewriter(rewriter), op(op), operands(operands), loc(op.getLoc()),
      f32(rewriter.getF32Type()) {}

SmallVector<Value> Definition::emit() {
  for (unsigned rhs = 0, e = op.getNumRhs(); rhs < e; ++rhs) {
    AffineMap map = AffineMap::getMultiDimIdentityMap(op.getNumDims(),
                                                      rewriter.getContext());
    addSources(op.getAccumulatorArgs(rhs), emitProduct(rhs),
               map.getSubMap(getProductDims(rhs)));
  }
  for (unsigned index = 0, e = op.getNumIns(); index < e; ++index)
    addSources(op.getInsArgs(index),
               operands[op.getInsOperand(index).getOperandNumber()],
               op.getInsMap(index));
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    addSources(op.getUpdateArgs(out),
               operands[op.getOutOperand(out).getOperandNumber()],
               op.getOutMap(out));
  for (auto reduce : op.getBodyBlock().getOps<GroupReduceOp>())
    emitGroupReduce(reduce);

  SmallVector<Value> results;
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    results.push_back(op.isReduced(out) ? emitReduction(out) : emitStore(out));
  return results;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

OpFoldResult Definition::getSize(unsigned dim) {
  int64_t size = op.getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return rewriter.getIndexAttr(size);
  auto [operand, dimension] = *op.getDimSource(dim);
  return tensor::getMixedSize(rewriter, loc,
                              operands[operand->getOperandNumber()], dimension);
}

/// The dims of the points at which the region runs.
SmallVector<unsigned> Definition::getPoints() {
  SmallVector<unsigned> dims;
  for (DimKind kind : {DimKind::Batch, DimKind::Row, DimKind::Column})
    llvm::append_range(dims, op.getDimsOfKind(kind));
  return dims;
}

SmallVector<unsigned> Definition::getProductDims(unsigned rhs) {
  SmallVector<unsigned> dims = getPoints();
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(1 + rhs));
  llvm::append_range(dims, op.getMembersOf(map));
  return dims;
}

/// Puts the indices of a tuple in place of the members that a map names.
AffineMap Definition::fixMembers(AffineMap map, ArrayRef<int64_t> tuple) {
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> replacements;
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
    replacements.push_back(getAffineDimExpr(dim, context));
  for (auto [member, index] : llvm::zip_equal(op.getMembersOf(map), tuple))
    replacements[member] = getAffineConstantExpr(index, context);
  return map.replaceDimsAndSymbols(replacements, {}, op.getNumDims(), 0);
}

void Definition::addSources(Block::BlockArgListType args, Value tensor,
                            AffineMap map) {
  if (args.empty())
    return;
  for (auto [arg, tuple] : llvm::zip_equal(args, op.getMemberTuples(map)))
    sources.insert({arg, Source{tensor, fixMembers(map, tuple)}});
}

//===----------------------------------------------------------------------===//
// Parts of the definition
//===----------------------------------------------------------------------===//

/// acc = sum over contracts of f32(lhs) * f32(rhs), into zeros.
Value Definition::emitProduct(unsigned rhs) {
  SmallVector<unsigned> accDims = getProductDims(rhs);
  SmallVector<unsigned> loops = accDims;
  llvm::append_range(loops, op.getDimsOfKind(DimKind::Contract));
  SmallVector<IteratorType> iterators(accDims.size(), IteratorType::parallel);
  iterators.resize(loops.size(), IteratorType::reduction);

  // Every map names only loops, so the other dims may become anything.
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> toLoop(op.getNumDims(),
                                 getAffineConstantExpr(0, context));
  for (auto [loop, dim] : llvm::enumerate(loops))
    toLoop[dim] = getAffineDimExpr(loop, context);
  auto remap = [&](OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(
        toLoop, {}, loops.size(), 0);
  };
  SmallVector<AffineMap> maps = {
      remap(op->getOpOperand(0)), remap(op->getOpOperand(1 + rhs)),
      AffineMap::getMultiDimIdentityMap(loops.size(), context)
          .getSubMap(llvm::to_vector(llvm::seq<unsigned>(accDims.size())))};

  Value zeros = createFilled(accDims, 0.0);
  auto product = linalg::GenericOp::create(
      rewriter, loc, zeros.getType(),
      ValueRange{operands[0], operands[1 + rhs]}, zeros, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value lhs = castFloat(b, loc, args[0], f32);
        Value rhs = castFloat(b, loc, args[1], f32);
        Value value = arith::MulFOp::create(b, loc, lhs, rhs);
        value = arith::AddFOp::create(b, loc, args[2], value);
        linalg::YieldOp::create(b, loc, value);
      });
  return product.getResult(0);
}

void Definition::emitGroupReduce(GroupReduceOp reduce) {
  SmallVector<unsigned> kept = getPoints();
  for (auto name : reduce.getDims().getAsValueRange<StringAttr>())
    llvm::erase(kept, *op.findDim(name));
  bool isAdd = reduce.getKind() == GroupReduceKind::Add;
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(op.getNumDims(), rewriter.getContext())
          .getSubMap(kept);
  Value init = createFilled(kept, isAdd ? 0.0 : negativeInfinity);
  Value result =
      emitGeneric(reduce.getValue(), init, map, {},
                  [&](OpBuilder &b, ValueRange values, Value old) -> Value {
                    if (isAdd)
                      return arith::AddFOp::create(b, loc, old, values[0]);
                    return arith::MaximumFOp::create(b, loc, old, values[0]);
                  });
  sources.insert({reduce.getResult(), Source{result, map}});
}

Value Definition::emitStore(unsigned out) {
  Value init = operands[op.getOutOperand(out).getOperandNumber()];
  return emitGeneric(
      op.getYieldedValues(out), init, op.getOutMap(out), {},
      [](OpBuilder &, ValueRange values, Value) { return values[0]; });
}

Value Definition::emitReduction(unsigned out) {
  Value destination = operands[op.getOutOperand(out).getOperandNumber()];
  Type element = getElementTypeOrSelf(destination);
  // The sum is formed in f32 and meets the old contents and the type of the
  // buffer once, at the end.
  bool isDirect = element == f32 && !op.isUpdate(out);
  Value accumulator =
      isDirect ? destination
               : tensor::EmptyOp::create(
                     rewriter, loc,
                     tensor::getMixedSizes(rewriter, loc, destination), f32)
                     .getResult();
  Value reduced;
  switch (op.getCombiner(out)) {
  case Combiner::Add:
    reduced = emitSum(out, accumulator);
    break;
  case Combiner::Max:
    reduced = emitMax(out, accumulator);
    break;
  case Combiner::LogSumExp:
    reduced = emitLogSumExp(out, accumulator);
    break;
  case Combiner::SquaredDeviation:
    reduced = emitSquaredDeviation(out, accumulator);
    break;
  case Combiner::Store:
    llvm_unreachable("a store is not a reduction");
  }
  if (isDirect)
    return reduced;
  return emitElementwise(
      reduced, destination,
      [&](OpBuilder &b, ValueRange values, Value old) -> Value {
        Value value = values[0];
        if (op.isUpdate(out))
          value =
              arith::AddFOp::create(b, loc, castFloat(b, loc, old, f32), value);
        return castFloat(b, loc, value, element);
      });
}

Value Definition::emitSum(unsigned out, Value init) {
  return emitGeneric(op.getYieldedValues(out), fill(init, 0.0),
                     op.getOutMap(out), {},
                     [&](OpBuilder &b, ValueRange values, Value old) -> Value {
                       return arith::AddFOp::create(b, loc, old, values[0]);
                     });
}

Value Definition::emitMax(unsigned out, Value init) {
  return emitGeneric(op.getYieldedValues(out), fill(init, negativeInfinity),
                     op.getOutMap(out), {},
                     [&](OpBuilder &b, ValueRange values, Value old) -> Value {
                       return arith::MaximumFOp::create(b, loc, old, values[0]);
                     });
}

/// The maximum if it is finite, else 0: so a row of -inf gives log(0), a +inf
/// gives log(exp(+inf)) and a NaN stays.
static Value createShift(OpBuilder &b, Location loc, Value maximum) {
  Type type = maximum.getType();
  Value magnitude = math::AbsFOp::create(b, loc, maximum);
  Value infinity = createConstant(b, loc, type, -negativeInfinity);
  Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                         magnitude, infinity);
  Value zero = createConstant(b, loc, type, 0.0);
  return arith::SelectOp::create(b, loc, isFinite, maximum, zero);
}

/// log(sum exp(x - shift)) + shift, with the maximum as shift.
Value Definition::emitLogSumExp(unsigned out, Value init) {
  AffineMap map = op.getOutMap(out);
  auto sizes = tensor::getMixedSizes(rewriter, loc, init);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, f32);
  Value maximum = emitMax(out, empty);
  Value sum = emitGeneric(
      op.getYieldedValues(out), fill(init, 0.0), map, Source{maximum, map},
      [&](OpBuilder &b, ValueRange values, Value old) -> Value {
        Value shift = createShift(b, loc, values[1]);
        Value value = arith::SubFOp::create(b, loc, values[0], shift);
        value = math::ExpOp::create(b, loc, value);
        return arith::AddFOp::create(b, loc, old, value);
      });
  return emitElementwise(
      maximum, sum, [&](OpBuilder &b, ValueRange values, Value old) -> Value {
        Value shift = createShift(b, loc, values[0]);
        Value log = math::LogOp::create(b, loc, old);
        return arith::AddFOp::create(b, loc, log, shift);
      });
}

/// sum (x - mean)^2, with the mean of the same values.
Value Definition::emitSquaredDeviation(unsigned out, Value init) {
  AffineMap map = op.getOutMap(out);
  auto sizes = tensor::getMixedSizes(rewriter, loc, init);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, f32);
  Value sum = emitSum(out, empty);
  Value count = emitCount(out);
  AffineMap scalar = AffineMap::get(op.getNumDims(), 0, rewriter.getContext());
  return emitGeneric(op.getYieldedValues(out), fill(init, 0.0), map,
                     {Source{sum, map}, Source{count, scalar}},
                     [&](OpBuilder &b, ValueRange values, Value old) -> Value {
                       Value mean =
                           arith::DivFOp::create(b, loc, values[1], values[2]);
                       Value value =
                           arith::SubFOp::create(b, loc, values[0], mean);
                       value = arith::MulFOp::create(b, loc, value, value);
                       return arith::AddFOp::create(b, loc, old, value);
                     });
}

/// Number of values that a result reduces, as f32.
Value Definition::emitCount(unsigned out) {
  Value count = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (unsigned dim : op.getReducedDims(out)) {
    Value size = getValueOrCreateConstantIndexOp(rewriter, loc, getSize(dim));
    count = arith::MulIOp::create(rewriter, loc, count, size);
  }
  Type i64 = rewriter.getI64Type();
  count = arith::IndexCastOp::create(rewriter, loc, i64, count);
  return arith::SIToFPOp::create(rewriter, loc, f32, count);
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value Definition::fill(Value tensor, double value) {
  Value scalar = createConstant(rewriter, loc, f32, value);
  return linalg::FillOp::create(rewriter, loc, scalar, tensor).getResult(0);
}

Value Definition::createFilled(ArrayRef<unsigned> dims, double value) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : dims)
    sizes.push_back(getSize(dim));
  return fill(tensor::EmptyOp::create(rewriter, loc, sizes, f32), value);
}

Value Definition::emitElementwise(ValueRange inputs, Value init, BodyFn body) {
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(rank));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value value = body(b, args.drop_back(), args.back());
        linalg::YieldOp::create(b, loc, value);
      });
  return generic.getResult(0);
}

/// The ops of the region that `roots` need, stopping at `sources`.
static llvm::SetVector<Operation *>
getSlice(ValueRange roots, const llvm::SmallDenseSet<Value> &sources,
         llvm::SmallDenseSet<Value> &used) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (sources.contains(value)) {
      used.insert(value);
      continue;
    }
    Operation *definition = value.getDefiningOp();
    if (slice.insert(definition))
      llvm::append_range(worklist, definition->getOperands());
  }
  return slice;
}

/// Picks the value whose tuple of member indices is the current one.
static Value selectMember(OpBuilder &b, Location loc, ValueRange values,
                          ArrayRef<SmallVector<int64_t>> tuples,
                          unsigned firstLoop) {
  Value selected = values.back();
  for (auto [value, tuple] :
       llvm::zip(values.drop_back(), ArrayRef(tuples).drop_back())) {
    Value isCurrent;
    for (auto [position, index] : llvm::enumerate(tuple)) {
      Value loop = linalg::IndexOp::create(b, loc, firstLoop + position);
      Value constant = arith::ConstantIndexOp::create(b, loc, index);
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          loop, constant);
      isCurrent =
          isCurrent ? arith::AndIOp::create(b, loc, isCurrent, equal) : equal;
    }
    selected = arith::SelectOp::create(b, loc, isCurrent, value, selected);
  }
  return selected;
}

Value Definition::emitGeneric(ValueRange yielded, Value init, AffineMap outMap,
                              ArrayRef<Source> extra, BodyFn body) {
  MLIRContext *context = rewriter.getContext();
  SmallVector<unsigned> loops = getPoints();
  unsigned numPoints = loops.size();
  llvm::append_range(loops, op.getMembersOf(outMap));
  SmallVector<AffineExpr> toLoop(op.getNumDims(),
                                 getAffineConstantExpr(0, context));
  SmallVector<IteratorType> iterators;
  for (auto [loop, dim] : llvm::enumerate(loops)) {
    toLoop[dim] = getAffineDimExpr(loop, context);
    iterators.push_back(outMap.isFunctionOfDim(dim) ? IteratorType::parallel
                                                    : IteratorType::reduction);
  }
  auto remap = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(toLoop, {}, loops.size(), 0);
  };

  // The values from outside that the slice needs, in a fixed order.
  llvm::SmallDenseSet<Value> known, used;
  for (auto &[value, source] : sources)
    known.insert(value);
  llvm::SetVector<Operation *> slice = getSlice(yielded, known, used);
  SmallVector<Value> values, inputs;
  SmallVector<AffineMap> maps;
  auto addInput = [&](const Source &source) {
    inputs.push_back(source.tensor);
    maps.push_back(remap(source.map));
  };
  for (auto &[value, source] : sources) {
    if (!used.contains(value))
      continue;
    values.push_back(value);
    addInput(source);
  }
  for (const Source &source : extra)
    addInput(source);

  // A loop that no operand names gets its size from an empty tensor.
  unsigned numRead = inputs.size();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> unnamed;
  for (auto [loop, dim] : llvm::enumerate(loops)) {
    auto names = [loop = loop](AffineMap map) {
      return map.isFunctionOfDim(loop);
    };
    if (names(remap(outMap)) || llvm::any_of(maps, names))
      continue;
    sizes.push_back(getSize(dim));
    unnamed.push_back(getAffineDimExpr(loop, context));
  }
  if (!unnamed.empty()) {
    inputs.push_back(tensor::EmptyOp::create(rewriter, loc, sizes, f32));
    maps.push_back(AffineMap::get(loops.size(), 0, unnamed, context));
  }
  maps.push_back(remap(outMap));

  auto buildBody = [&](OpBuilder &b, Location loc, ValueRange args) {
    IRMapping mapping;
    for (auto [value, arg] : llvm::zip(values, args))
      mapping.map(value, arg);
    for (Operation &inner : op.getBodyBlock()) {
      if (!slice.contains(&inner))
        continue;
      if (auto index = dyn_cast<IndexOp>(inner)) {
        unsigned loop =
            llvm::find(loops, *op.findDim(index.getDim())) - loops.begin();
        Value loopIndex = linalg::IndexOp::create(b, loc, loop);
        mapping.map(index.getResult(), loopIndex);
        continue;
      }
      b.clone(inner, mapping);
    }
    SmallVector<Value> mapped;
    for (Value value : yielded)
      mapped.push_back(mapping.lookup(value));
    SmallVector<SmallVector<int64_t>> tuples = op.getMemberTuples(outMap);
    SmallVector<Value> handed = {
        selectMember(b, loc, mapped, tuples, numPoints)};
    llvm::append_range(handed,
                       args.slice(values.size(), numRead - values.size()));
    linalg::YieldOp::create(b, loc, body(b, handed, args.back()));
  };
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, iterators, buildBody);
  return generic.getResult(0);
}
