//===- Verifiers.cpp - Constraints of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function checks one numbered constraint of the op descriptions. They run
// in order, and each may rely on those before it.
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::coda;

static constexpr int64_t kMaxMemberSize = 8;
static constexpr int64_t kMaxAccumulators = 8;
static constexpr int64_t kMaxMemberTuples = 64;

//===----------------------------------------------------------------------===//
// Attributes and maps
//===----------------------------------------------------------------------===//

/// Lengths of the attributes that ODS cannot relate to operands.
static LogicalResult verifyAttributeLengths(EpilogueOpInterface op) {
  auto check = [&](StringRef name, size_t found, size_t expected,
                   StringRef what) -> LogicalResult {
    if (found == expected)
      return success();
    return op.emitOpError()
           << "'" << name << "' has " << found
           << " elements, expected one for each of " << expected << " " << what;
  };
  size_t numOuts = op.getOuts().size();
  return failure(
      failed(check("dim_kinds", op.getDimKinds().size(),
                   op.getDimNames().size(), "dims")) ||
      failed(check("indexing_maps", op.getIndexingMaps().size(),
                   op->getNumOperands(), "operands")) ||
      failed(check("combiners", op.getCombiners().size(), numOuts, "outs")) ||
      failed(check("updates", op.getUpdates().size(), numOuts, "outs")));
}

/// (C1) Distinct names, ordered kinds.
static LogicalResult verifyDims(EpilogueOpInterface op) {
  llvm::StringSet<> names;
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
    StringRef name = op.getDimName(dim);
    if (!names.insert(name).second)
      return op.emitOpError() << "(C1) dim '" << name << "' declared twice";
    if (dim != 0 && op.getDimKind(dim) < op.getDimKind(dim - 1))
      return op.emitOpError()
             << "(C1) dims must be ordered by kind: " << "'" << name
             << "' is a " << stringifyDimKind(op.getDimKind(dim)) << " after "
             << stringifyDimKind(op.getDimKind(dim - 1)) << " '"
             << op.getDimName(dim - 1) << "'";
  }
  return success();
}

/// (C15) All tensors or all memrefs.
static LogicalResult verifyOperandTypes(EpilogueOpInterface op) {
  std::optional<bool> onTensors;
  unsigned firstIns = op.getNumProductOperands();
  unsigned firstOut = firstIns + op.getNumIns();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    Type type = operand.get().getType();
    bool isIns = number >= firstIns && number < firstOut;
    if (isIns && type.isIntOrIndexOrFloat())
      continue;
    if (!isa<RankedTensorType, MemRefType>(type))
      return op.emitOpError()
             << "(C15) " << op.describeOperand(number)
             << " must be a ranked tensor"
             << (isIns ? ", a memref or a scalar" : " or a memref")
             << ", found " << type;
    if (!cast<ShapedType>(type).getElementType().isIntOrIndexOrFloat())
      return op.emitOpError() << "(C15) " << op.describeOperand(number)
                              << " must have scalar elements, found " << type;
    bool isTensor = isa<RankedTensorType>(type);
    if (onTensors && *onTensors != isTensor)
      return op.emitOpError()
             << "(C15) shaped operands must all be tensors or all memrefs: "
             << op.describeOperand(number) << " is " << type;
    onTensors = isTensor;
  }
  // DestinationStyleOpInterface compares the types one by one.
  size_t expected = onTensors.value_or(true) ? op.getOuts().size() : 0;
  if (op->getNumResults() != expected)
    return op.emitOpError()
           << "(C15) has " << op->getNumResults() << " results, expected "
           << expected << ": one for each tensor in outs";
  return success();
}

static ArrayRef<int64_t> getShapeOf(Value value) {
  if (auto type = dyn_cast<ShapedType>(value.getType()))
    return type.getShape();
  return {};
}

/// (C2) Form of the maps, (C3) constants over size 1.
static LogicalResult verifyMap(EpilogueOpInterface op, OpOperand &operand,
                               AffineMap map) {
  std::string name = op.describeOperand(operand.getOperandNumber());
  ArrayRef<int64_t> shape = getShapeOf(operand.get());
  if (map.getNumDims() != op.getNumDims() || map.getNumSymbols() != 0)
    return op.emitOpError()
           << "(C2) map of " << name << " is over " << map.getNumDims()
           << " dims and " << map.getNumSymbols() << " symbols, expected "
           << op.getNumDims() << " dims and 0 symbols";
  if (map.getNumResults() != shape.size())
    return op.emitOpError()
           << "(C2) map of " << name << " has " << map.getNumResults()
           << " results, expected " << shape.size() << ", the rank of "
           << operand.get().getType();
  llvm::SmallBitVector seen(op.getNumDims());
  for (auto [dimension, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (seen.test(dim.getPosition()))
        return op.emitOpError()
               << "(C2) map of " << name << " names dim '"
               << op.getDimName(dim.getPosition()) << "' twice";
      seen.set(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0) {
      InFlightDiagnostic diag = op.emitOpError();
      diag << "(C2) map of " << name << " must consist of dims and 0";
      diag.attachNote() << "map: " << AffineMapAttr::get(map);
      return diag;
    }
    if (shape[dimension] != 1)
      return op.emitOpError() << "(C3) " << name << " has a 0 over dimension "
                              << dimension << ", expected size 1, found "
                              << (ShapedType::isDynamic(shape[dimension])
                                      ? "?"
                                      : std::to_string(shape[dimension]));
  }
  return success();
}

static LogicalResult verifyMaps(EpilogueOpInterface op) {
  for (auto [operand, map] :
       llvm::zip(op->getOpOperands(), op.getIndexingMapsArray()))
    if (failed(verifyMap(op, operand, map)))
      return failure();
  return success();
}

/// (C4) Every dim has a size, and static sizes agree.
static LogicalResult verifyDimSizes(EpilogueOpInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
    AffineExpr expr = getAffineDimExpr(dim, op.getContext());
    bool named = false;
    std::optional<std::pair<unsigned, int64_t>> first;
    for (auto [number, map] : llvm::enumerate(maps)) {
      std::optional<unsigned> dimension = map.getResultPosition(expr);
      if (!dimension)
        continue;
      named = true;
      int64_t size = getShapeOf(op->getOperand(number))[*dimension];
      if (ShapedType::isDynamic(size))
        continue;
      if (!first)
        first = {number, size};
      if (first->second != size)
        return op.emitOpError()
               << "(C4) sizes of dim '" << op.getDimName(dim)
               << "' differ: " << op.describeOperand(first->first) << " has "
               << first->second << ", " << op.describeOperand(number) << " has "
               << size;
    }
    if (!named)
      return op.emitOpError() << "(C4) dim '" << op.getDimName(dim)
                              << "' is named by no operand";
  }
  return success();
}

/// (C5) Members are few and static. The region is unrolled over them.
static LogicalResult verifyMembers(EpilogueOpInterface op) {
  int64_t tuples = 1;
  for (unsigned dim : op.getDimsOfKind(DimKind::Member)) {
    int64_t size = op.getDimSize(dim);
    if (ShapedType::isDynamic(size) || size < 1 || size > kMaxMemberSize)
      return op.emitOpError()
             << "(C5) member '" << op.getDimName(dim)
             << "' must have a static size of 1 to " << kMaxMemberSize
             << ", found "
             << (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
    tuples *= size;
    if (tuples > kMaxMemberTuples)
      return op.emitOpError()
             << "(C5) members have at least " << tuples
             << " tuples of indices, expected at most " << kMaxMemberTuples;
  }
  int64_t accumulators = op.getNumAccumulators();
  if (accumulators > kMaxAccumulators)
    return op.emitOpError()
           << "(C5) right-hand sides have " << accumulators
           << " accumulators, expected at most " << kMaxAccumulators;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Checks that `map` names every dim of `required` kinds and none outside of
/// `required` and `allowed`.
static LogicalResult verifyNamedKinds(EpilogueOpInterface op, unsigned number,
                                      AffineMap map, StringRef constraint,
                                      ArrayRef<DimKind> required,
                                      ArrayRef<DimKind> allowed) {
  std::string name = op.describeOperand(number);
  for (unsigned dim = 0, e = op.getNumDims(); dim < e; ++dim) {
    DimKind kind = op.getDimKind(dim);
    bool named = map.isFunctionOfDim(dim);
    if (llvm::is_contained(required, kind) && !named)
      return op.emitOpError()
             << "(" << constraint << ") " << name << " must name "
             << stringifyDimKind(kind) << " '" << op.getDimName(dim) << "'";
    if (!llvm::is_contained(required, kind) &&
        !llvm::is_contained(allowed, kind) && named)
      return op.emitOpError()
             << "(" << constraint << ") " << name << " must not name "
             << stringifyDimKind(kind) << " '" << op.getDimName(dim) << "'";
  }
  return success();
}

/// (C6) and (C7) What lhs and rhs name.
static LogicalResult verifyProductMaps(GemmOp op) {
  EpilogueOpInterface epilogue(op);
  if (op.getRhs().empty())
    return op.emitOpError() << "(C7) expected at least one rhs, found none";
  if (failed(verifyNamedKinds(epilogue, 0, op.getLhsMap(), "C6",
                              {DimKind::Batch, DimKind::Row, DimKind::Contract},
                              {})))
    return failure();
  for (unsigned rhs = 0, e = op.getRhs().size(); rhs < e; ++rhs)
    if (failed(verifyNamedKinds(
            epilogue, 1 + rhs, op.getRhsMap(rhs), "C7",
            {DimKind::Batch, DimKind::Column, DimKind::Contract},
            {DimKind::Member})))
      return failure();
  return success();
}

/// (C14) Element types of products.
static LogicalResult verifyProductTypes(GemmOp op) {
  auto isFloat8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  Type lhs = getElementTypeOrSelf(op.getLhs().getType());
  for (auto [index, value] :
       llvm::enumerate(op->getOperands().take_front(1 + op.getRhs().size()))) {
    Type type = getElementTypeOrSelf(value.getType());
    EpilogueOpInterface epilogue(op);
    if (!type.isBF16() && !type.isF16() && !type.isF32() && !isFloat8(type))
      return op.emitOpError()
             << "(C14) " << epilogue.describeOperand(index)
             << " has elements of type " << type
             << ", expected bf16, f16, f32, f8E4M3FN or f8E5M2";
    if (type != lhs && !(isFloat8(type) && isFloat8(lhs)))
      return op.emitOpError()
             << "(C14) element types of a product differ: lhs has " << lhs
             << ", " << epilogue.describeOperand(index) << " has " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Epilogue operands
//===----------------------------------------------------------------------===//

/// (C8) No contract dim in the epilogue.
static LogicalResult verifyEpilogueMaps(EpilogueOpInterface op) {
  constexpr DimKind allowed[] = {DimKind::Batch, DimKind::Row, DimKind::Column,
                                 DimKind::Member};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned number = op.getNumProductOperands(), e = op->getNumOperands();
       number < e; ++number)
    if (failed(verifyNamedKinds(op, number, maps[number], "C8", {}, allowed)))
      return failure();
  // Without a product nothing is summed over.
  if (op.getNumProductOperands() == 0)
    if (auto contracts = op.getDimsOfKind(DimKind::Contract);
        !contracts.empty())
      return op.emitOpError()
             << "(C8) contract '" << op.getDimName(contracts.front())
             << "' in an op without a product";
  return success();
}

/// (C11) Complete stores, (C12) reduced buffers.
static LogicalResult verifyOuts(EpilogueOpInterface op) {
  for (unsigned out = 0, e = op.getOuts().size(); out < e; ++out) {
    if (!op.isReduced(out)) {
      SmallVector<unsigned> missing = op.getReducedDims(out);
      if (!missing.empty())
        return op.emitOpError()
               << "(C11) outs #" << out << " is stored without "
               << stringifyDimKind(op.getDimKind(missing.front())) << " '"
               << op.getDimName(missing.front())
               << "': name it, or say by which combiner it is reduced";
      continue;
    }
    Type type = getElementTypeOrSelf(op.getOuts()[out].getType());
    if (!type.isF32() && !type.isBF16() && !type.isF16())
      return op.emitOpError()
             << "(C12) outs #" << out << " is reduced into elements of type "
             << type << ", expected f32, bf16 or f16";
    if (op.isUpdate(out) && op.getCombiner(out) != Combiner::Add)
      return op.emitOpError() << "(C12) outs #" << out << " is an update by "
                              << stringifyCombiner(op.getCombiner(out))
                              << ", expected a store or add";
  }
  return success();
}

/// (C16) Aliases among memrefs that are visible in the IR.
static LogicalResult verifyAliases(EpilogueOpInterface op) {
  unsigned firstIns = op.getNumProductOperands();
  unsigned firstOut = firstIns + op.getNumIns();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned out = firstOut, e = op->getNumOperands(); out < e; ++out) {
    Value buffer = op->getOperand(out);
    if (!isa<MemRefType>(buffer.getType()))
      continue;
    for (unsigned other = 0; other < out; ++other) {
      if (op->getOperand(other) != buffer)
        continue;
      bool isIns = other >= firstIns && other < firstOut;
      if (!isIns)
        return op.emitOpError()
               << "(C16) " << op.describeOperand(out)
               << " is the same buffer as " << op.describeOperand(other);
      if (maps[other] != maps[out])
        return op.emitOpError()
               << "(C16) " << op.describeOperand(out)
               << " is the same buffer as " << op.describeOperand(other)
               << ", but their maps differ";
    }
  }
  return success();
}

static LogicalResult verifyDomain(EpilogueOpInterface op) {
  return failure(failed(verifyAttributeLengths(op)) || failed(verifyDims(op)) ||
                 failed(verifyOperandTypes(op)) || failed(verifyMaps(op)) ||
                 failed(verifyDimSizes(op)));
}

static LogicalResult verifyEpilogue(EpilogueOpInterface op) {
  return failure(failed(verifyEpilogueMaps(op)) || failed(verifyOuts(op)) ||
                 failed(verifyAliases(op)));
}

LogicalResult GemmOp::verify() {
  EpilogueOpInterface op(*this);
  return failure(failed(verifyDomain(op)) || failed(verifyProductMaps(*this)) ||
                 failed(verifyMembers(op)) ||
                 failed(verifyProductTypes(*this)) ||
                 failed(verifyEpilogue(op)));
}

LogicalResult MapOp::verify() {
  EpilogueOpInterface op(*this);
  return failure(failed(verifyDomain(op)) || failed(verifyMembers(op)) ||
                 failed(verifyEpilogue(op)));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// (C9) Block arguments.
static LogicalResult verifyArguments(EpilogueOpInterface op) {
  struct Expected {
    Type type;
    unsigned operandNumber;
  };
  SmallVector<Expected> expected;
  Type f32 = Float32Type::get(op.getContext());
  auto append = [&](OpOperand &operand, Type type) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    expected.append(op.getMemberTuples(map).size(),
                    {type, operand.getOperandNumber()});
  };
  for (unsigned rhs = 0, e = op.getNumRhs(); rhs < e; ++rhs)
    append(op->getOpOperand(1 + rhs), f32);
  for (unsigned ins = 0, e = op.getNumIns(); ins < e; ++ins)
    append(op.getInsOperand(ins),
           getElementTypeOrSelf(op.getIns()[ins].getType()));
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    if (op.isUpdate(out) && !op.isReduced(out))
      append(op.getOutOperand(out),
             getElementTypeOrSelf(op.getOuts()[out].getType()));

  Block &block = op.getBodyBlock();
  if (block.getNumArguments() != expected.size())
    return op.emitOpError() << "(C9) region has " << block.getNumArguments()
                            << " arguments, expected " << expected.size();
  for (auto [arg, want] : llvm::zip(block.getArguments(), expected))
    if (arg.getType() != want.type)
      return op.emitOpError()
             << "(C9) argument #" << arg.getArgNumber() << " of the region is "
             << arg.getType() << ", expected " << want.type << " for "
             << op.describeOperand(want.operandNumber);
  return success();
}

/// (C10) Yielded values.
static LogicalResult verifyYield(EpilogueOpInterface op) {
  auto yield = dyn_cast_or_null<YieldOp>(
      op.getBodyBlock().empty() ? nullptr : &op.getBodyBlock().back());
  if (!yield)
    return op.emitOpError() << "(C10) region must end with coda.yield";
  SmallVector<std::pair<Type, unsigned>> expected;
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out) {
    Type type = op.isReduced(out)
                    ? Float32Type::get(op.getContext())
                    : getElementTypeOrSelf(op.getOuts()[out].getType());
    expected.append(op.getMemberTuples(op.getOutMap(out)).size(), {type, out});
  }
  if (yield.getValues().size() != expected.size())
    return yield.emitOpError() << "(C10) has " << yield.getValues().size()
                               << " values, expected " << expected.size();
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    auto [type, out] = expected[index];
    if (value.getType() != type)
      return yield.emitOpError()
             << "(C10) value #" << index << " is " << value.getType()
             << ", expected " << type << " for outs #" << out;
  }
  return success();
}

/// (C13) Ops on scalars that may run any number of times.
static LogicalResult verifyBody(EpilogueOpInterface op) {
  for (Operation &inner : op.getBodyBlock().without_terminator()) {
    auto refuse = [&](StringRef what) {
      return inner.emitOpError()
             << "(C13) in the region of " << op->getName() << " must " << what;
    };
    if (inner.getNumRegions() != 0)
      return refuse("have no region");
    if (!isMemoryEffectFree(&inner))
      return refuse("be free of memory effects");
    if (!isSpeculatable(&inner))
      return refuse("be speculatable");
    auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
    if (!llvm::all_of(inner.getOperandTypes(), isScalar) ||
        !llvm::all_of(inner.getResultTypes(), isScalar))
      return refuse("work on scalars");
  }
  return success();
}

static LogicalResult verifyRegion(EpilogueOpInterface op) {
  return failure(failed(verifyArguments(op)) || failed(verifyYield(op)) ||
                 failed(verifyBody(op)));
}

LogicalResult GemmOp::verifyRegions() {
  return verifyRegion(EpilogueOpInterface(*this));
}

LogicalResult MapOp::verifyRegions() {
  return verifyRegion(EpilogueOpInterface(*this));
}

/// The dim called `name` in the op around `inner`, if it has one of the kinds.
static LogicalResult verifyDimName(Operation *inner, StringRef name,
                                   ArrayRef<DimKind> kinds,
                                   StringRef expected) {
  auto op = dyn_cast_or_null<EpilogueOpInterface>(inner->getParentOp());
  if (!op)
    return inner->emitOpError() << "must stand in coda.gemm or coda.map";
  // The enclosing op is verified after the ops in its region.
  if (op.getDimKinds().size() != op.getDimNames().size())
    return success();
  std::optional<unsigned> dim = op.findDim(name);
  if (!dim)
    return inner->emitOpError()
           << "(C1) " << op->getName() << " has no dim '" << name << "'";
  if (!llvm::is_contained(kinds, op.getDimKind(*dim)))
    return inner->emitOpError() << "(C1) dim '" << name << "' is a "
                                << stringifyDimKind(op.getDimKind(*dim))
                                << ", expected " << expected;
  return success();
}

LogicalResult IndexOp::verify() {
  return verifyDimName(*this, getDim(),
                       {DimKind::Batch, DimKind::Row, DimKind::Column},
                       "a batch, row or column");
}

LogicalResult GroupReduceOp::verify() {
  llvm::StringSet<> names;
  for (StringAttr name : getDims().getAsRange<StringAttr>()) {
    if (!names.insert(name.getValue()).second)
      return emitOpError() << "(C1) dim '" << name.getValue()
                           << "' named twice";
    if (failed(verifyDimName(*this, name.getValue(), {DimKind::Column},
                             "a column")))
      return failure();
  }
  return success();
}
