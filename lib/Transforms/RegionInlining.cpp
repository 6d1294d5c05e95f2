//===- RegionInlining.cpp - Merging the regions of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionInlining.h"

#include "EpilogueBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::coda;

AffineMap coda::rebind(AffineMap map, const DimBinding &binding,
                       unsigned numDims) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    exprs.push_back(
        dim ? getAffineDimExpr(binding[dim.getPosition()], map.getContext())
            : expr);
  }
  return AffineMap::get(numDims, 0, exprs, map.getContext());
}

/// Names the dims of `from` as `to` does.
static auto renameWith(EpilogueOpInterface from, EpilogueOpInterface to,
                       const DimBinding &binding) {
  return [=](StringAttr name) mutable {
    unsigned dim = *from.findDim(name);
    return StringAttr::get(name.getContext(), to.getDimName(binding[dim]));
  };
}

static void mapRange(IRMapping &mapping, Block::BlockArgListType from,
                     ValueRange to) {
  for (auto [source, target] : llvm::zip_equal(from, to))
    mapping.map(source, target);
}

/// Maps the arguments of `op`'s region to those of `merged`, where the operands
/// of `op` start at the given positions.
static void mapOperandArgs(IRMapping &mapping, EpilogueOpInterface op,
                           EpilogueOpInterface merged, unsigned firstRhs,
                           ArrayRef<std::optional<unsigned>> insPositions,
                           unsigned firstOut) {
  for (unsigned rhs = 0, e = op.getNumRhs(); rhs < e; ++rhs)
    mapRange(mapping, op.getAccumulatorArgs(rhs),
             merged.getAccumulatorArgs(firstRhs + rhs));
  for (auto [index, position] : llvm::enumerate(insPositions))
    if (position)
      mapRange(mapping, op.getInsArgs(index), merged.getInsArgs(*position));
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    if (!op.getUpdateArgs(out).empty())
      mapRange(mapping, op.getUpdateArgs(out),
               merged.getUpdateArgs(firstOut + out));
}

static SmallVector<std::optional<unsigned>> countFrom(unsigned first,
                                                      unsigned count) {
  SmallVector<std::optional<unsigned>> positions;
  for (unsigned index = 0; index < count; ++index)
    positions.push_back(first + index);
  return positions;
}

/// Adds the outs of `op`, rebound. A plain destination is made anew at the
/// insertion point, since it may be defined later or depend on results.
static void addOuts(OpBuilder &builder, EpilogueBuilder &merged,
                    EpilogueOpInterface op, EpilogueOpInterface domain,
                    const DimBinding &binding) {
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out) {
    AffineMap map = rebind(op.getOutMap(out), binding, domain.getNumDims());
    Value value = op.getOuts()[out];
    if (!op.isUpdate(out)) {
      Type type = value.getType();
      value = createEmpty(builder, op->getLoc(), domain, map,
                          getElementTypeOrSelf(type));
      // Sizes that are static in the type only are kept.
      if (value.getType() != type)
        value = tensor::CastOp::create(builder, op->getLoc(), type, value);
    }
    merged.addOut({value, map, op.getCombiner(out), op.isUpdate(out)});
  }
}

EpilogueOpInterface coda::inlineConsumer(RewriterBase &rewriter,
                                         EpilogueOpInterface producer,
                                         EpilogueOpInterface consumer,
                                         const DimBinding &binding) {
  rewriter.setInsertionPoint(producer);
  EpilogueBuilder builder = EpilogueBuilder::copyOf(producer);
  SmallVector<std::optional<unsigned>> insPositions;
  for (unsigned index = 0, e = consumer.getNumIns(); index < e; ++index) {
    Value value = consumer.getIns()[index];
    insPositions.emplace_back();
    if (value.getDefiningOp() != producer.getOperation())
      insPositions.back() =
          builder.addIns(value, rebind(consumer.getInsMap(index), binding,
                                       producer.getNumDims()));
  }
  addOuts(rewriter, builder, consumer, producer, binding);
  Location loc = rewriter.getFusedLoc({producer->getLoc(), consumer->getLoc()});
  EpilogueOpInterface merged = builder.create(rewriter, loc);

  rewriter.setInsertionPointToEnd(&merged.getBodyBlock());
  IRMapping mapping;
  mapOperandArgs(mapping, producer, merged, 0,
                 countFrom(0, producer.getNumIns()), 0);
  SmallVector<Value> yielded = cloneRegionInto(
      rewriter, producer, mapping, [](StringAttr name) { return name; });

  unsigned numProducerOuts = producer.getNumOuts();
  IRMapping inner;
  mapOperandArgs(inner, consumer, merged, producer.getNumRhs(), insPositions,
                 numProducerOuts);
  for (unsigned index = 0, e = consumer.getNumIns(); index < e; ++index) {
    if (insPositions[index])
      continue;
    auto result = cast<OpResult>(consumer.getIns()[index]);
    for (auto [arg, value] :
         llvm::zip_equal(consumer.getInsArgs(index),
                         producer.getYieldedValues(result.getResultNumber())))
      inner.map(arg, mapping.lookupOrDefault(value));
  }
  llvm::append_range(yielded,
                     cloneRegionInto(rewriter, consumer, inner,
                                     renameWith(consumer, producer, binding)));
  YieldOp::create(rewriter, loc, yielded);

  ValueRange results = merged->getResults();
  rewriter.replaceOp(consumer, results.drop_front(numProducerOuts));
  rewriter.replaceOp(producer, results.take_front(numProducerOuts));
  return merged;
}

EpilogueOpInterface coda::inlineProducer(RewriterBase &rewriter,
                                         EpilogueOpInterface producer,
                                         EpilogueOpInterface consumer,
                                         unsigned index,
                                         const DimBinding &binding) {
  rewriter.setInsertionPoint(consumer);
  EpilogueBuilder builder = EpilogueBuilder::copyOf(consumer);
  builder.eraseIns(index);
  unsigned firstIns = consumer.getNumIns() - 1;
  SmallVector<std::optional<unsigned>> insPositions = countFrom(0, firstIns);
  insPositions.insert(insPositions.begin() + index, std::nullopt);
  for (unsigned ins = 0, e = producer.getNumIns(); ins < e; ++ins)
    builder.addIns(
        producer.getIns()[ins],
        rebind(producer.getInsMap(ins), binding, consumer.getNumDims()));
  Location loc = consumer->getLoc();
  EpilogueOpInterface merged = builder.create(rewriter, loc);

  rewriter.setInsertionPointToEnd(&merged.getBodyBlock());
  IRMapping inner;
  mapOperandArgs(inner, producer, merged, 0,
                 countFrom(firstIns, producer.getNumIns()), 0);
  cloneRegionInto(rewriter, producer, inner,
                  renameWith(producer, consumer, binding));
  IRMapping mapping;
  mapOperandArgs(mapping, consumer, merged, 0, insPositions, 0);
  auto result = cast<OpResult>(consumer.getIns()[index]);
  for (auto [arg, value] :
       llvm::zip_equal(consumer.getInsArgs(index),
                       producer.getYieldedValues(result.getResultNumber())))
    mapping.map(arg, inner.lookupOrDefault(value));
  YieldOp::create(rewriter, loc,
                  cloneRegionInto(rewriter, consumer, mapping,
                                  [](StringAttr name) { return name; }));
  rewriter.replaceOp(consumer, merged->getResults());
  return merged;
}

EpilogueOpInterface coda::mergeSiblings(RewriterBase &rewriter, GemmOp first,
                                        GemmOp second,
                                        const DimBinding &binding) {
  EpilogueOpInterface a(first), b(second);
  rewriter.setInsertionPoint(first);
  EpilogueBuilder builder = EpilogueBuilder::copyOf(a);
  for (unsigned rhs = 0, e = b.getNumRhs(); rhs < e; ++rhs)
    builder.addRhs(second.getRhs()[rhs],
                   rebind(second.getRhsMap(rhs), binding, a.getNumDims()));
  for (unsigned ins = 0, e = b.getNumIns(); ins < e; ++ins)
    builder.addIns(b.getIns()[ins],
                   rebind(b.getInsMap(ins), binding, a.getNumDims()));
  addOuts(rewriter, builder, b, a, binding);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  EpilogueOpInterface merged = builder.create(rewriter, loc);

  rewriter.setInsertionPointToEnd(&merged.getBodyBlock());
  IRMapping mappingA, mappingB;
  mapOperandArgs(mappingA, a, merged, 0, countFrom(0, a.getNumIns()), 0);
  mapOperandArgs(mappingB, b, merged, a.getNumRhs(),
                 countFrom(a.getNumIns(), b.getNumIns()), a.getNumOuts());
  SmallVector<Value> yielded = cloneRegionInto(
      rewriter, a, mappingA, [](StringAttr name) { return name; });
  llvm::append_range(yielded, cloneRegionInto(rewriter, b, mappingB,
                                              renameWith(b, a, binding)));
  YieldOp::create(rewriter, loc, yielded);
  ValueRange results = merged->getResults();
  rewriter.replaceOp(second, results.drop_front(a.getNumOuts()));
  rewriter.replaceOp(first, results.take_front(a.getNumOuts()));
  return merged;
}
