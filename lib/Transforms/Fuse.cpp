//===- Fuse.cpp - Fuse maps into the epilogues of products -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Transforms/Passes.h"

#include "FusionLegality.h"
#include "RegionInlining.h"
#include "Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CODAFUSEPASS
#include "coda/Transforms/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Profit
//===----------------------------------------------------------------------===//

/// Ops that may be computed again for each reader rather than stored once:
/// nothing that needs the special function unit.
static bool isCheapBody(EpilogueOpInterface op) {
  constexpr unsigned kMaxOps = 8;
  unsigned count = 0;
  for (Operation &inner : op.getBodyBlock().without_terminator()) {
    if (!isa<arith::ArithDialect>(inner.getDialect()) ||
        isa<arith::DivFOp>(inner))
      return false;
    ++count;
  }
  return count <= kMaxOps;
}

static unsigned getNumEpilogueDims(EpilogueOpInterface op) {
  return op.getNumDims() - op.getDimsOfKind(DimKind::Contract).size();
}

/// Whether reading the operands of a map costs no more than reading its result:
/// at most one operand has all its dims, and it is no wider.
static bool readsNoMoreThanItStores(EpilogueOpInterface op) {
  Type stored = getElementTypeOrSelf(op.getOuts()[0].getType());
  if (!stored.isIntOrFloat())
    return false;
  unsigned width = stored.getIntOrFloatBitWidth();
  unsigned numFull = 0;
  for (unsigned index = 0, e = op.getNumIns(); index < e; ++index) {
    Type type = getElementTypeOrSelf(op.getIns()[index].getType());
    unsigned numNamed = 0;
    for (unsigned dim = 0, d = op.getNumDims(); dim < d; ++dim)
      numNamed += op.getInsMap(index).isFunctionOfDim(dim);
    if (numNamed < op.getNumDims())
      continue;
    ++numFull;
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > width)
      return false;
  }
  return numFull <= 1;
}

/// Whether a value is better computed twice than stored.
static bool isCheap(EpilogueOpInterface op) {
  return op.getNumProductOperands() == 0 && op.getNumOuts() == 1 &&
         isCheapBody(op) && readsNoMoreThanItStores(op);
}

/// Whether a reader should compute a map's value itself.
static bool shouldRecompute(EpilogueOpInterface producer,
                            EpilogueOpInterface consumer) {
  if (getNumEpilogueDims(producer) < getNumEpilogueDims(consumer))
    return true;
  return isCheap(producer);
}

/// Whether every reader of a map computes its value itself, so that it need not
/// be stored by whoever could.
static bool isLeftToReaders(EpilogueOpInterface op) {
  if (!isCheap(op) || !isElementwise(op))
    return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<EpilogueOpInterface>(use.getOwner());
    if (!reader || reader->getBlock() != op->getBlock())
      return false;
    unsigned firstIns = reader.getNumProductOperands();
    unsigned number = use.getOperandNumber();
    std::string reason;
    return number >= firstIns && number < firstIns + reader.getNumIns() &&
           succeeded(bindProducer(op, reader, number - firstIns, reason));
  });
}

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

/// extf(truncf(%x : f32))  =>  %x, where the region rounds a value only to
/// compute on.
static void dropInteriorRoundings(EpilogueOpInterface op) {
  SmallVector<arith::ExtFOp> extensions(
      op.getBodyBlock().getOps<arith::ExtFOp>());
  for (arith::ExtFOp extension : extensions) {
    auto rounding = extension.getIn().getDefiningOp<arith::TruncFOp>();
    if (!rounding || rounding.getIn().getType() != extension.getType())
      continue;
    extension.replaceAllUsesWith(rounding.getIn());
    extension.erase();
    if (rounding->use_empty())
      rounding.erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class FusePass : public coda::impl::CodaFusePassBase<FusePass> {
public:
  using CodaFusePassBase::CodaFusePassBase;

  void runOnOperation() override {
    FunctionOpInterface function = getOperation();
    if (function.isExternal())
      return;
    // Ops of this function may stand where ops of the last one stood.
    erased.ops.clear();
    SmallVector<Block *> blocks;
    function->walk([&](EpilogueOpInterface op) {
      if (blocks.empty() || blocks.back() != op->getBlock())
        blocks.push_back(op->getBlock());
    });
    for (Block *block : SetVector<Block *>(blocks.begin(), blocks.end())) {
      fuseBlock(*block);
      explainRefusals(*block);
    }
    function->walk([&](EpilogueOpInterface op) {
      if (getStricterNumerics(op, numerics) == Numerics::Relaxed)
        dropInteriorRoundings(op);
    });
  }

private:
  void fuseBlock(Block &block);
  EpilogueOpInterface recomputeProducers(EpilogueOpInterface op);
  EpilogueOpInterface fuseIntoProducer(EpilogueOpInterface op);
  bool mergeProducts(EpilogueOpInterface op);
  void explainRefusals(Block &block);

  /// Coda ops of the block that define ins of `op`, the latest first.
  static SmallVector<EpilogueOpInterface> getProducers(EpilogueOpInterface op) {
    SetVector<Operation *> producers;
    for (Value ins : op.getIns())
      if (EpilogueOpInterface producer = getProducerInBlock(ins, op))
        producers.insert(producer);
    SmallVector<EpilogueOpInterface> sorted;
    for (Operation *producer : producers)
      sorted.push_back(cast<EpilogueOpInterface>(producer));
    llvm::sort(sorted, [](EpilogueOpInterface a, EpilogueOpInterface b) {
      return b->isBeforeInBlock(a);
    });
    return sorted;
  }

  /// What the definitions of a consumer's own operands must precede.
  static SmallVector<Value> getOwnOperands(EpilogueOpInterface consumer,
                                           EpilogueOpInterface producer) {
    SmallVector<Value> values;
    for (Value ins : consumer.getIns())
      if (ins.getDefiningOp() != producer.getOperation())
        values.push_back(ins);
    for (unsigned out = 0, e = consumer.getNumOuts(); out < e; ++out)
      if (consumer.isUpdate(out))
        values.push_back(consumer.getOuts()[out]);
    return values;
  }

  /// Ops that no longer exist. Addresses may be used again.
  struct ErasedOps : public RewriterBase::Listener {
    void notifyOperationErased(Operation *op) override { ops.insert(op); }
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      ops.erase(op);
    }
    bool contains(Operation *op) const { return ops.contains(op); }
    DenseSet<Operation *> ops;
  };
  ErasedOps erased;
};
} // namespace

/// %p = coda.map ... ; coda.gemm ins(%p at (m))  =>  the gemm computes %p
EpilogueOpInterface FusePass::recomputeProducers(EpilogueOpInterface op) {
  IRRewriter rewriter(&getContext(), &erased);
  for (unsigned index = 0; index < op.getNumIns();) {
    EpilogueOpInterface producer = getProducerInBlock(op.getIns()[index], op);
    std::string reason;
    if (!producer || producer.getNumProductOperands() != 0 ||
        !shouldRecompute(producer, op)) {
      ++index;
      continue;
    }
    FailureOr<DimBinding> binding = bindProducer(producer, op, index, reason);
    if (failed(binding)) {
      ++index;
      continue;
    }
    remarkPassed(producer, kFuseCategory, "recompute",
                 "computed " + describeOp(producer) + " inside its reader " +
                     describeOp(op));
    op = inlineProducer(rewriter, producer, op, index, *binding);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  }
  return op;
}

/// Products that share lhs and meet in `op`  =>  one product
bool FusePass::mergeProducts(EpilogueOpInterface op) {
  SmallVector<GemmOp> products;
  for (EpilogueOpInterface producer : getProducers(op))
    if (auto gemm = dyn_cast<GemmOp>(producer.getOperation()))
      products.push_back(gemm);
  for (auto [index, second] : llvm::enumerate(products))
    for (GemmOp first : ArrayRef(products).drop_front(index + 1)) {
      std::string reason;
      FailureOr<DimBinding> binding = bindSibling(first, second, op, reason);
      if (failed(binding))
        continue;
      EpilogueOpInterface b(second);
      SmallVector<Value> operands(second.getRhs());
      llvm::append_range(operands, second.getIns());
      for (unsigned out = 0, e = b.getNumOuts(); out < e; ++out)
        if (b.isUpdate(out))
          operands.push_back(b.getOuts()[out]);
      if (failed(moveDefinitionsBefore(operands, first, reason)))
        continue;
      remarkPassed(second, kFuseCategory, "merge-products",
                   "merged " + describeOp(second) + " with " +
                       describeOp(first) + ", which has the same lhs");
      IRRewriter rewriter(&getContext(), &erased);
      mergeSiblings(rewriter, first, second, *binding);
      return true;
    }
  return false;
}

/// %c = coda.gemm ... ; coda.map ins(%c at (m, n))  =>  one coda.gemm
EpilogueOpInterface FusePass::fuseIntoProducer(EpilogueOpInterface op) {
  for (EpilogueOpInterface producer : getProducers(op)) {
    std::string reason;
    FailureOr<DimBinding> binding = bindConsumer(producer, op, reason);
    if (failed(binding) || failed(moveDefinitionsBefore(
                               getOwnOperands(op, producer), producer, reason)))
      continue;
    remarkPassed(op, kFuseCategory, "fuse-consumer",
                 "fused " + describeOp(op) + " into " + describeOp(producer));
    IRRewriter rewriter(&getContext(), &erased);
    return inlineConsumer(rewriter, producer, op, *binding);
  }
  return nullptr;
}

void FusePass::fuseBlock(Block &block) {
  SmallVector<Operation *> worklist;
  for (Operation &op : llvm::reverse(block))
    if (isa<EpilogueOpInterface>(op))
      worklist.push_back(&op);
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (erased.contains(next))
      continue;
    auto op = recomputeProducers(cast<EpilogueOpInterface>(next));
    if (op.getNumProductOperands() != 0 || isLeftToReaders(op))
      continue;
    if (mergeProducts(op))
      worklist.push_back(op); // The map is tried again, on the merged product.
    else if (EpilogueOpInterface merged = fuseIntoProducer(op))
      worklist.push_back(merged);
  }
}

void FusePass::explainRefusals(Block &block) {
  for (auto op : block.getOps<EpilogueOpInterface>()) {
    if (op.getNumProductOperands() != 0)
      continue;
    for (EpilogueOpInterface producer : getProducers(op)) {
      std::string reason;
      if (succeeded(bindConsumer(producer, op, reason)))
        (void)moveDefinitionsBefore(getOwnOperands(op, producer), producer,
                                    reason);
      remarkMissed(op, kFuseCategory, "fuse-consumer",
                   "left " + describeOp(op) + " outside of " +
                       describeOp(producer),
                   reason);
    }
  }
}
