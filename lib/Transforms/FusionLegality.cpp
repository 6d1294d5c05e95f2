//===- FusionLegality.cpp - Whether two coda ops may become one -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionLegality.h"

#include "Remarks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::coda;

EpilogueOpInterface coda::getProducerInBlock(Value value, Operation *user) {
  auto producer = value.getDefiningOp<EpilogueOpInterface>();
  if (!producer || producer->getBlock() != user->getBlock())
    return nullptr;
  return producer;
}

bool coda::isElementwise(EpilogueOpInterface op) {
  for (unsigned out = 0, e = op.getNumOuts(); out < e; ++out)
    if (op.isReduced(out) || op.isUpdate(out))
      return false;
  bool groups = false;
  for (Operation &inner : op.getBodyBlock())
    groups |= isa<GroupReduceOp>(inner);
  return op.getNumProductOperands() == 0 && !groups;
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

namespace {
constexpr unsigned kUnbound = ~0u;

/// Dims of one op as dims of another, found one equation at a time.
class Binding {
public:
  explicit Binding(unsigned numDims) : dims(numDims, kUnbound) {}

  /// Equates the points at which two maps index the same tensor. Fails when a
  /// dim would be two dims at once.
  bool unify(AffineMap from, AffineMap to) {
    for (auto [a, b] : llvm::zip_equal(from.getResults(), to.getResults())) {
      auto dimA = dyn_cast<AffineDimExpr>(a), dimB = dyn_cast<AffineDimExpr>(b);
      // A 0 stands over size 1, where every index is 0.
      if (!dimA)
        continue;
      if (!dimB)
        return false;
      unsigned &bound = dims[dimA.getPosition()];
      if (bound != kUnbound && bound != dimB.getPosition())
        return false;
      bound = dimB.getPosition();
    }
    return true;
  }

  bool isInjective() const {
    SmallVector<unsigned> sorted(dims);
    llvm::sort(sorted);
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }
  std::optional<unsigned> findUnbound() const {
    auto it = llvm::find(dims, kUnbound);
    return it == dims.end() ? std::nullopt
                            : std::optional<unsigned>(it - dims.begin());
  }

  DimBinding dims;
};
} // namespace

static std::string quoteDims(EpilogueOpInterface op, ArrayRef<unsigned> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      dims, os, [&](unsigned dim) { os << "'" << op.getDimName(dim) << "'"; });
  return text;
}

/// A reduced result is known only when all its points are.
static LogicalResult checkIsStored(EpilogueOpInterface producer, unsigned out,
                                   std::string &reason) {
  if (!producer.isReduced(out))
    return success();
  reason = ("it reads outs #" + Twine(out) + " of " + describeOp(producer) +
            ", a reduction by " + stringifyCombiner(producer.getCombiner(out)) +
            " over " + quoteDims(producer, producer.getReducedDims(out)) +
            " that is finished only after every tile of it")
               .str();
  return failure();
}

static bool hasMembers(EpilogueOpInterface op) {
  return !op.getDimsOfKind(DimKind::Member).empty();
}

/// What the consumer stores must name every dim that the producer's results
/// name, and what it reduces over in its region must be columns there.
static LogicalResult checkDomain(EpilogueOpInterface producer,
                                 EpilogueOpInterface consumer,
                                 ArrayRef<unsigned> dims, std::string &reason) {
  for (unsigned dim = 0, e = producer.getNumDims(); dim < e; ++dim) {
    if (producer.getDimKind(dim) == DimKind::Contract ||
        llvm::is_contained(dims, dim))
      continue;
    reason = ("it has no dim for '" + producer.getDimName(dim) + "' of " +
              describeOp(producer))
                 .str();
    return failure();
  }
  for (auto reduce : consumer.getBodyBlock().getOps<GroupReduceOp>())
    for (auto name : reduce.getDims().getAsValueRange<StringAttr>()) {
      unsigned dim = dims[*consumer.findDim(name)];
      if (producer.getDimKind(dim) == DimKind::Column)
        continue;
      reason = ("it reduces groups over '" + name +
                "', which is no column of " + describeOp(producer))
                   .str();
      return failure();
    }
  return success();
}

FailureOr<DimBinding> coda::bindConsumer(EpilogueOpInterface producer,
                                         EpilogueOpInterface consumer,
                                         std::string &reason) {
  if (consumer.getNumProductOperands() != 0) {
    reason = "a product reads whole rows of its operands";
    return failure();
  }
  if (hasMembers(producer) || hasMembers(consumer)) {
    reason = "one of the two has members, whose values are separate arguments "
             "of the region";
    return failure();
  }
  if (producer->getAttr("numerics") != consumer->getAttr("numerics")) {
    reason = "the two ops have different numerics contracts";
    return failure();
  }
  Binding binding(consumer.getNumDims());
  for (unsigned index = 0, e = consumer.getNumIns(); index < e; ++index) {
    auto result = dyn_cast<OpResult>(consumer.getIns()[index]);
    if (!result || result.getOwner() != producer.getOperation())
      continue;
    unsigned out = result.getResultNumber();
    if (failed(checkIsStored(producer, out, reason)))
      return failure();
    if (!binding.unify(consumer.getInsMap(index), producer.getOutMap(out))) {
      reason = ("it reads results of " + Twine(describeOp(producer)) +
                " at two different points, one of which another tile owns")
                   .str();
      return failure();
    }
  }
  for (unsigned out = 0, e = consumer.getNumOuts(); out < e; ++out) {
    auto result = dyn_cast<OpResult>(consumer.getOuts()[out]);
    if (!consumer.isUpdate(out) || !result ||
        result.getOwner() != producer.getOperation())
      continue;
    reason = "it updates a result of the other op in place";
    return failure();
  }
  if (std::optional<unsigned> dim = binding.findUnbound()) {
    reason = ("its dim '" + consumer.getDimName(*dim) + "' is no dim of " +
              describeOp(producer) + ", so each point would be computed again")
                 .str();
    return failure();
  }
  if (!binding.isInjective()) {
    reason = "it reads a diagonal of the other op's result";
    return failure();
  }
  if (failed(checkDomain(producer, consumer, binding.dims, reason)))
    return failure();
  return binding.dims;
}

/// Every dim of the reader must be named by an operand that stays.
static LogicalResult checkStaysDefined(EpilogueOpInterface producer,
                                       EpilogueOpInterface consumer,
                                       unsigned index, ArrayRef<unsigned> dims,
                                       std::string &reason) {
  llvm::SmallBitVector named(consumer.getNumDims());
  auto addDims = [&](AffineMap map, auto &&translate) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        named.set(translate(dim.getPosition()));
  };
  OpOperand &replaced = consumer.getInsOperand(index);
  for (OpOperand &operand : consumer->getOpOperands())
    if (&operand != &replaced)
      addDims(consumer.getMatchingIndexingMap(&operand),
              [](unsigned dim) { return dim; });
  for (unsigned ins = 0, e = producer.getNumIns(); ins < e; ++ins)
    addDims(producer.getInsMap(ins), [&](unsigned dim) { return dims[dim]; });
  int missing = named.find_first_unset();
  if (missing == -1)
    return success();
  reason = ("no operand but it says how large dim '" +
            consumer.getDimName(missing) + "' of its reader is")
               .str();
  return failure();
}

FailureOr<DimBinding> coda::bindProducer(EpilogueOpInterface producer,
                                         EpilogueOpInterface consumer,
                                         unsigned index, std::string &reason) {
  auto result = cast<OpResult>(consumer.getIns()[index]);
  if (!isElementwise(producer)) {
    reason = "its values are reductions";
    return failure();
  }
  if (hasMembers(producer) || hasMembers(consumer)) {
    reason = "one of the two has members, whose values are separate arguments "
             "of the region";
    return failure();
  }
  Binding binding(producer.getNumDims());
  if (!binding.unify(producer.getOutMap(result.getResultNumber()),
                     consumer.getInsMap(index)) ||
      binding.findUnbound()) {
    reason = "its result has a dimension of size 1 that is broadcast";
    return failure();
  }
  if (producer->getAttr("numerics") != consumer->getAttr("numerics")) {
    reason = "the two ops have different numerics contracts";
    return failure();
  }
  if (failed(
          checkStaysDefined(producer, consumer, index, binding.dims, reason)))
    return failure();
  return binding.dims;
}

FailureOr<DimBinding> coda::bindSibling(GemmOp first, GemmOp second,
                                        EpilogueOpInterface consumer,
                                        std::string &reason) {
  EpilogueOpInterface a(first), b(second);
  if (first.getLhs() != second.getLhs()) {
    reason = "the two products have different left-hand sides";
    return failure();
  }
  FailureOr<DimBinding> toA = bindConsumer(a, consumer, reason);
  FailureOr<DimBinding> toB = bindConsumer(b, consumer, reason);
  if (failed(toA) || failed(toB))
    return failure();
  Binding binding(b.getNumDims());
  for (unsigned dim = 0, e = consumer.getNumDims(); dim < e; ++dim)
    binding.dims[(*toB)[dim]] = (*toA)[dim];
  bool sameLhs = binding.unify(second.getLhsMap(), first.getLhsMap());
  bool sameKinds = !binding.findUnbound();
  for (unsigned dim = 0, e = b.getNumDims(); dim < e && sameKinds; ++dim)
    sameKinds = a.getDimKind(binding.dims[dim]) == b.getDimKind(dim);
  if (!sameLhs || !sameKinds || a.getNumDims() != b.getNumDims() ||
      !binding.isInjective()) {
    reason = "the two products index their left-hand side differently";
    return failure();
  }
  constexpr unsigned kMaxAccumulators = 8;
  if (a.getNumAccumulators() + b.getNumAccumulators() > kMaxAccumulators) {
    reason = "together they have more than 8 accumulators";
    return failure();
  }
  return binding.dims;
}

//===----------------------------------------------------------------------===//
// Order in the block
//===----------------------------------------------------------------------===//

LogicalResult coda::moveDefinitionsBefore(ValueRange values, Operation *target,
                                          std::string &reason) {
  IRRewriter rewriter(target->getContext());
  if (succeeded(moveValueDefinitions(rewriter, values, target)))
    return success();
  // Say which of the two obstacles it is.
  for (Value value : values) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.inclusive = true;
    (void)getBackwardSlice(value, &slice, options);
    if (!slice.contains(target))
      continue;
    Operation *def = value.getDefiningOp();
    reason = ("one of its operands depends on " + Twine(describeOp(target)) +
              " through " + describeOp(def))
                 .str();
    return failure();
  }
  reason = "one of its operands is defined after an op with side effects";
  return failure();
}

Numerics coda::getStricterNumerics(Operation *op, Numerics option) {
  auto attr = op->getAttrOfType<NumericsAttr>("numerics");
  return attr ? std::min(attr.getValue(), option) : option;
}
