//===- EpilogueRewriting.cpp - Rewriting ops with an epilogue -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueRewriting.h"

using namespace mlir;
using namespace mlir::coda;

EpilogueOperands::EpilogueOperands(EpilogueOpInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned number = 0;
  auto next = [&]() -> MappedOperand {
    MappedOperand operand{op->getOperand(number), maps[number]};
    ++number;
    return operand;
  };
  for (unsigned i = 0, e = op.getNumProductOperands(); i < e; ++i)
    products.push_back(next());
  for (unsigned i = 0, e = op.getNumIns(); i < e; ++i)
    ins.push_back(next());
  for (unsigned i = 0, e = op.getNumOuts(); i < e; ++i)
    outs.push_back({next(), op.getCombiner(i), op.isUpdate(i)});
}

EpilogueOpInterface
coda::rebuildWithOperands(PatternRewriter &rewriter, EpilogueOpInterface op,
                          const EpilogueOperands &operands) {
  OperationState state(op->getLoc(), op->getName());
  SmallVector<AffineMap> maps;
  auto add = [&](const MappedOperand &operand) {
    state.addOperands(operand.value);
    maps.push_back(operand.map);
  };
  llvm::for_each(operands.products, add);
  llvm::for_each(operands.ins, add);
  SmallVector<Attribute> combiners;
  SmallVector<bool> updates;
  for (const MappedOut &out : operands.outs) {
    add(out);
    combiners.push_back(CombinerAttr::get(op.getContext(), out.combiner));
    updates.push_back(out.isUpdate);
    if (isa<RankedTensorType>(out.value.getType()))
      state.addTypes(out.value.getType());
  }
  SmallVector<int32_t> segments;
  if (!operands.products.empty())
    segments = {1, static_cast<int32_t>(operands.products.size()) - 1};
  segments.push_back(operands.ins.size());
  segments.push_back(operands.outs.size());

  NamedAttrList attrs(op->getAttrDictionary());
  attrs.set("indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  attrs.set("combiners", rewriter.getArrayAttr(combiners));
  attrs.set("updates", rewriter.getDenseBoolArrayAttr(updates));
  attrs.set("operandSegmentSizes", rewriter.getDenseI32ArrayAttr(segments));
  state.addAttributes(attrs);
  Region *body = state.addRegion();
  rewriter.inlineRegionBefore(op.getBody(), *body, body->end());
  return cast<EpilogueOpInterface>(rewriter.create(state));
}

bool coda::definesDomainWithout(EpilogueOpInterface op,
                                const llvm::SmallBitVector &dropped) {
  llvm::SmallBitVector defined(op.getNumDims());
  for (auto [operand, map] :
       llvm::zip(op->getOpOperands(), op.getIndexingMapsArray())) {
    if (dropped.test(operand.getOperandNumber()))
      continue;
    for (auto [dimension, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      auto type = cast<ShapedType>(operand.get().getType());
      if (op.getDimKind(dim.getPosition()) != DimKind::Member ||
          !type.isDynamicDim(dimension))
        defined.set(dim.getPosition());
    }
  }
  return defined.all();
}

bool coda::areUnused(Block::BlockArgListType args) {
  return llvm::all_of(args, [](BlockArgument arg) { return arg.use_empty(); });
}

void coda::setBits(BitVector &bits, Block::BlockArgListType args) {
  for (BlockArgument arg : args)
    bits.set(arg.getArgNumber());
}

void coda::eraseBlockArguments(PatternRewriter &rewriter,
                               EpilogueOpInterface op, const BitVector &args) {
  rewriter.modifyOpInPlace(op, [&] { op.getBodyBlock().eraseArguments(args); });
}
