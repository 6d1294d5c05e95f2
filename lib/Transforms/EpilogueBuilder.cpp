//===- EpilogueBuilder.cpp - Building coda ops piece by piece -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::coda;

unsigned EpilogueBuilder::addDim(StringRef name, DimKind kind) {
  names.push_back(StringAttr::get(context, name));
  kinds.push_back(DimKindAttr::get(context, kind));
  return names.size() - 1;
}

unsigned EpilogueBuilder::addRhs(Value value, AffineMap map) {
  rhs.push_back({value, map});
  return rhs.size() - 1;
}

unsigned EpilogueBuilder::addIns(Value value, AffineMap map) {
  ins.push_back({value, map});
  return ins.size() - 1;
}

unsigned EpilogueBuilder::addOut(const Out &out) {
  outs.push_back(out);
  return outs.size() - 1;
}

EpilogueBuilder EpilogueBuilder::copyOf(EpilogueOpInterface op) {
  EpilogueBuilder copy(op.getContext());
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim)
    copy.addDim(op.getDimName(dim), op.getDimKind(dim));
  copy.numerics = op->getAttrOfType<NumericsAttr>("numerics");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned number = 0; number < op.getNumProductOperands(); ++number) {
    if (number == 0)
      copy.setLhs(op->getOperand(0), maps[0]);
    else
      copy.addRhs(op->getOperand(number), maps[number]);
  }
  for (unsigned index = 0, e = op.getNumIns(); index < e; ++index)
    copy.addIns(op.getIns()[index], op.getInsMap(index));
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    copy.addOut({op.getOuts()[out], op.getOutMap(out), op.getCombiner(out),
                 op.isUpdate(out)});
  return copy;
}

EpilogueOpInterface EpilogueBuilder::create(OpBuilder &builder,
                                            Location loc) const {
  StringRef name = lhs ? GemmOp::getOperationName() : MapOp::getOperationName();
  OperationState state(loc, name);
  SmallVector<AffineMap> maps;
  auto addOperand = [&](Value value, AffineMap map) {
    state.addOperands(value);
    // Dims may have been added after the map was made.
    maps.push_back(AffineMap::get(names.size(), 0, map.getResults(), context));
  };
  if (lhs)
    addOperand(lhs->value, lhs->map);
  for (const Operand &operand : rhs)
    addOperand(operand.value, operand.map);
  for (const Operand &operand : ins)
    addOperand(operand.value, operand.map);
  SmallVector<Attribute> combiners;
  SmallVector<bool> updates;
  for (const Out &out : outs) {
    addOperand(out.value, out.map);
    combiners.push_back(CombinerAttr::get(context, out.combiner));
    updates.push_back(out.isUpdate);
    if (isa<RankedTensorType>(out.value.getType()))
      state.addTypes(out.value.getType());
  }
  SmallVector<int32_t> segments;
  if (lhs)
    segments = {1, static_cast<int32_t>(rhs.size())};
  segments.push_back(ins.size());
  segments.push_back(outs.size());
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(segments));
  state.addAttribute("dim_names", builder.getArrayAttr(names));
  state.addAttribute("dim_kinds", builder.getArrayAttr(kinds));
  state.addAttribute("indexing_maps", builder.getAffineMapArrayAttr(maps));
  state.addAttribute("combiners", builder.getArrayAttr(combiners));
  state.addAttribute("updates", builder.getDenseBoolArrayAttr(updates));
  if (numerics)
    state.addAttribute("numerics", numerics);
  Block &block = state.addRegion()->emplaceBlock();
  auto op = cast<EpilogueOpInterface>(builder.create(state));

  auto addArguments = [&](Type type, AffineMap map) {
    for (size_t i = 0, e = op.getMemberTuples(map).size(); i < e; ++i)
      block.addArgument(type, loc);
  };
  unsigned firstEpilogue = op.getNumProductOperands();
  for (unsigned number = 1; number < firstEpilogue; ++number)
    addArguments(builder.getF32Type(), maps[number]);
  for (unsigned index = 0; index < ins.size(); ++index)
    addArguments(getElementTypeOrSelf(ins[index].value.getType()),
                 op.getInsMap(index));
  for (unsigned out = 0; out < outs.size(); ++out)
    if (op.isUpdate(out) && !op.isReduced(out))
      addArguments(getElementTypeOrSelf(outs[out].value.getType()),
                   op.getOutMap(out));
  return op;
}

SmallVector<Value>
coda::cloneRegionInto(OpBuilder &builder, EpilogueOpInterface from,
                      IRMapping &mapping,
                      llvm::function_ref<StringAttr(StringAttr)> renameDim) {
  for (Operation &inner : from.getBodyBlock().without_terminator()) {
    Operation *clone = builder.clone(inner, mapping);
    if (auto index = dyn_cast<IndexOp>(clone)) {
      index.setDimAttr(renameDim(index.getDimAttr()));
    } else if (auto reduce = dyn_cast<GroupReduceOp>(clone)) {
      SmallVector<Attribute> dims;
      for (StringAttr dim : reduce.getDims().getAsRange<StringAttr>())
        dims.push_back(renameDim(dim));
      reduce.setDimsAttr(builder.getArrayAttr(dims));
    }
  }
  SmallVector<Value> yielded;
  for (Value value : from.getYield()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

Value coda::createEmpty(OpBuilder &builder, Location loc,
                        EpilogueOpInterface op, AffineMap map,
                        Type elementType) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t size = dim ? op.getDimSize(dim.getPosition()) : 1;
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    auto [operand, position] = *op.getDimSource(dim.getPosition());
    sizes.push_back(
        tensor::DimOp::create(builder, loc, operand->get(), position)
            .getResult());
  }
  return tensor::EmptyOp::create(builder, loc, sizes, elementType);
}
