//===- Definition.h - Linalg ops that define one coda op -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOLINALG_DEFINITION_H
#define CODA_LIB_CONVERSION_CODATOLINALG_DEFINITION_H

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::coda {

/// Emits the linalg ops that define one op, on tensors.
class Definition {
public:
  /// `operands` are the operands of `op` as tensors and scalars.
  Definition(RewriterBase &rewriter, EpilogueOpInterface op,
             ValueRange operands);

  /// One tensor for each out.
  SmallVector<Value> emit();

private:
  /// Something outside that a generic reads to get a value of the region.
  struct Source {
    Value tensor;
    AffineMap map; // Over the domain; members are constants.
  };
  /// Forms the scalar that a generic yields. `old` is the current element of
  /// the destination.
  using BodyFn = function_ref<Value(OpBuilder &, ValueRange values, Value old)>;

  // Preparation.
  OpFoldResult getSize(unsigned dim);
  SmallVector<unsigned> getPoints();
  SmallVector<unsigned> getProductDims(unsigned rhs);
  void addSources(Block::BlockArgListType args, Value tensor, AffineMap map);
  AffineMap fixMembers(AffineMap map, ArrayRef<int64_t> tuple);

  // Parts of the definition.
  Value emitProduct(unsigned rhs);
  void emitGroupReduce(GroupReduceOp reduce);
  Value emitStore(unsigned out);
  Value emitReduction(unsigned out);
  Value emitSum(unsigned out, Value init);
  Value emitMax(unsigned out, Value init);
  Value emitLogSumExp(unsigned out, Value init);
  Value emitSquaredDeviation(unsigned out, Value init);

  // Building blocks.
  Value createFilled(ArrayRef<unsigned> dims, double value);
  Value fill(Value tensor, double value);
  /// A generic whose region computes `yielded`, a value of the op's region for
  /// each tuple of the members that `outMap` names, and then runs `body` on
  /// the one selected. `extra` are further inputs, handed to `body` after it.
  Value emitGeneric(ValueRange yielded, Value init, AffineMap outMap,
                    ArrayRef<Source> extra, BodyFn body);
  /// An elementwise generic over the whole of `init`.
  Value emitElementwise(ValueRange inputs, Value init, BodyFn body);
  Value emitCount(unsigned out);

  RewriterBase &rewriter;
  EpilogueOpInterface op;
  SmallVector<Value> operands;
  Location loc;
  Type f32;
  /// Block arguments and group reductions of the region.
  llvm::MapVector<Value, Source> sources;
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATOLINALG_DEFINITION_H
