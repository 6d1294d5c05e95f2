//===- DimClasses.h - Dims of a function that are one dim -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimensions of the tensors of a function always have the same size and
// meaning. Indexing maps tie dimensions together; a reshape makes one dim out
// of several. Sizes and roles (row of a product, feature) are facts about such
// a class, not about one tensor.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_DIMCLASSES_H
#define CODA_REPORT_DIMCLASSES_H

#include "coda/Report/SymbolicSize.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::coda {

class DimClasses {
public:
  explicit DimClasses(FunctionOpInterface function);

  /// The class of a dimension of a shaped value.
  unsigned getClass(Value value, unsigned dim);
  /// The class of a loop of a structured op.
  unsigned getLoopClass(Operation *op, unsigned loop);

  /// A class that a reshape makes out of several others.
  struct Composite {
    unsigned whole;
    SmallVector<unsigned> parts;
  };
  /// Every composite, with current classes.
  SmallVector<Composite> getComposites();

  /// Size of a class: a constant, `dN` when the N-th `?` among the function's
  /// arguments has it, a product of parts, or a symbol of its own.
  SymbolicSize getSize(unsigned dimClass);
  bool isUnit(unsigned dimClass) { return sizes[find(dimClass)] == 1; }
  /// Number of elements and bytes of a shaped value.
  SymbolicSize getNumElements(Value value);
  SymbolicSize getNumBytes(Value value);

  /// The class of every `?` of the arguments, in document order.
  ArrayRef<unsigned> getArgumentDynamicDims() const { return argumentDims; }
  unsigned find(unsigned node);

private:
  unsigned addNode(int64_t size);
  void unite(unsigned a, unsigned b);
  void uniteShapes(Value a, Value b);
  void visit(Operation *op);
  void visitStructured(Operation *op);
  void visitCaptured(Operation *op);
  void visitReshape(Value expanded, Value collapsed,
                    ArrayRef<SmallVector<int64_t, 2>> groups);
  std::optional<SymbolicSize> getKnownSize(unsigned dimClass, unsigned depth);

  SmallVector<unsigned> parents;
  SmallVector<int64_t> sizes;
  SmallVector<Composite> composites;
  SmallVector<unsigned> argumentDims;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> valueNodes;
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> loopNodes;
};

} // namespace mlir::coda

#endif // CODA_REPORT_DIMCLASSES_H
