//===- EpilogueRewriting.h - Rewriting ops with an epilogue -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the canonicalization patterns of coda.gemm and coda.map share.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_IR_EPILOGUEREWRITING_H
#define CODA_LIB_IR_EPILOGUEREWRITING_H

#include "coda/IR/Coda.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::coda {

/// A pattern on one of the ops with an epilogue.
class EpiloguePattern : public RewritePattern {
public:
  EpiloguePattern(StringRef opName, MLIRContext *context)
      : RewritePattern(opName, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const final {
    return rewriteEpilogue(cast<EpilogueOpInterface>(op), rewriter);
  }

private:
  virtual LogicalResult rewriteEpilogue(EpilogueOpInterface op,
                                        PatternRewriter &rewriter) const = 0;
};

/// An operand with its map.
struct MappedOperand {
  Value value;
  AffineMap map;
};

struct MappedOut : public MappedOperand {
  Combiner combiner;
  bool isUpdate;
};

/// The operands of an op, to be changed and made into a new op.
struct EpilogueOperands {
  explicit EpilogueOperands(EpilogueOpInterface op);

  SmallVector<MappedOperand> products;
  SmallVector<MappedOperand> ins;
  SmallVector<MappedOut> outs;
};

/// Creates an op like `op` with other operands and moves the region into it.
/// The caller adapts the region and replaces `op`.
EpilogueOpInterface rebuildWithOperands(PatternRewriter &rewriter,
                                        EpilogueOpInterface op,
                                        const EpilogueOperands &operands);

/// True if the operands but those in `dropped` name every dim, and give every
/// member its static size.
bool definesDomainWithout(EpilogueOpInterface op,
                          const llvm::SmallBitVector &dropped);

/// True if no block argument in the range has a use.
bool areUnused(Block::BlockArgListType args);

/// Adds the bits of `args` to those of the block's arguments.
void setBits(BitVector &bits, Block::BlockArgListType args);

void eraseBlockArguments(PatternRewriter &rewriter, EpilogueOpInterface op,
                         const BitVector &args);

/// Patterns on the destinations and results of `opName`.
void addOutPatterns(RewritePatternSet &patterns, StringRef opName);

/// Patterns on the products and ins of `opName`, and its domain.
void addInPatterns(RewritePatternSet &patterns, StringRef opName);

} // namespace mlir::coda

#endif // CODA_LIB_IR_EPILOGUEREWRITING_H
