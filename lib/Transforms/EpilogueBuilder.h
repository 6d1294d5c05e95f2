//===- EpilogueBuilder.h - Building coda ops piece by piece -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_TRANSFORMS_EPILOGUEBUILDER_H
#define CODA_LIB_TRANSFORMS_EPILOGUEBUILDER_H

#include "coda/IR/Coda.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::coda {

/// Collects the domain and the operands of a coda op in any order, then creates
/// it with a region whose block has the arguments but no ops yet.
class EpilogueBuilder {
public:
  explicit EpilogueBuilder(MLIRContext *context) : context(context) {}

  struct Operand {
    Value value;
    AffineMap map;
  };
  struct Out {
    Value value;
    AffineMap map;
    Combiner combiner = Combiner::Store;
    bool isUpdate = false;
  };

  /// Dims must be added in the order of their kinds.
  unsigned addDim(StringRef name, DimKind kind);
  unsigned getNumDims() const { return names.size(); }
  void setNumerics(NumericsAttr attr) { numerics = attr; }
  void setLhs(Value value, AffineMap map) { lhs = {{value, map}}; }
  unsigned addRhs(Value value, AffineMap map);
  unsigned addIns(Value value, AffineMap map);
  unsigned addOut(const Out &out);
  void eraseIns(unsigned index) { ins.erase(ins.begin() + index); }

  /// Starts from the domain and all operands of `op`.
  static EpilogueBuilder copyOf(EpilogueOpInterface op);

  /// Creates the op with an empty block; `coda.yield` is the caller's.
  EpilogueOpInterface create(OpBuilder &builder, Location loc) const;

private:
  MLIRContext *context;
  SmallVector<Attribute> names;
  SmallVector<Attribute> kinds;
  std::optional<Operand> lhs;
  SmallVector<Operand> rhs;
  SmallVector<Operand> ins;
  SmallVector<Out> outs;
  NumericsAttr numerics;
};

/// Clones the ops of `from`'s region to the builder's insertion point, with
/// `mapping` giving its block arguments. Dims that region ops name are renamed
/// by `renameDim`. Returns the values that correspond to those yielded.
SmallVector<Value>
cloneRegionInto(OpBuilder &builder, EpilogueOpInterface from,
                IRMapping &mapping,
                llvm::function_ref<StringAttr(StringAttr)> renameDim);

/// Creates `tensor.empty` with the type of a result over the given dims; the
/// sizes of dynamic dims are taken from `op`.
Value createEmpty(OpBuilder &builder, Location loc, EpilogueOpInterface op,
                  AffineMap map, Type elementType);

} // namespace mlir::coda

#endif // CODA_LIB_TRANSFORMS_EPILOGUEBUILDER_H
