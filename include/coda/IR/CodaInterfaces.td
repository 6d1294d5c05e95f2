//===- CodaInterfaces.td - Interfaces of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODAINTERFACES
#define CODA_IR_CODAINTERFACES

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/IndexingMapOpInterface.td"

def Coda_EpilogueOpInterface : OpInterface<"EpilogueOpInterface",
    [DestinationStyleOpInterface, IndexingMapOpInterface]> {
  let cppNamespace = "::mlir::coda";
  let description = [{
    What `coda.gemm` and `coda.map` have in common: a domain of named dims, an
    indexing map for every operand, and a region that runs on scalars.

    ```
    operands:        lhs rhs...            ins...        outs...
    block arguments:     accumulators...   values...     old values of `update` stores...
    yielded values:                                      values of every out...
    ```

    An operand that names members stands for several arguments or yielded
    values: one for each tuple of indices of the members it names, in
    lexicographic order of the members' declaration.
  }];
  let methods = [
    InterfaceMethod<"Names of the dims, in domain order",
      "::mlir::ArrayAttr", "getDimNames">,
    InterfaceMethod<"Kinds of the dims, in domain order",
      "::mlir::ArrayAttr", "getDimKinds">,
    InterfaceMethod<"Combiner of every out",
      "::mlir::ArrayAttr", "getCombiners">,
    InterfaceMethod<"Whether each out is read as well as written",
      "::llvm::ArrayRef<bool>", "getUpdates">,
    InterfaceMethod<"Number of leading operands that form products: lhs and every rhs, or none",
      "unsigned", "getNumProductOperands">,
    InterfaceMethod<"Epilogue operands that are only read",
      "::mlir::OperandRange", "getIns">,
    InterfaceMethod<"Destinations", "::mlir::OperandRange", "getOuts">,
    InterfaceMethod<"The region", "::mlir::Region &", "getBody">
  ];
  let extraClassDeclaration = [{
    // Domain.
    unsigned getNumDims();
    ::llvm::StringRef getDimName(unsigned dim);
    ::mlir::coda::DimKind getDimKind(unsigned dim);
    /// The dim called `name`, or nothing.
    ::std::optional<unsigned> findDim(::llvm::StringRef name);
    /// Dims of one kind, in domain order.
    ::llvm::SmallVector<unsigned> getDimsOfKind(::mlir::coda::DimKind kind);
    /// Static size of a dim, or ShapedType::kDynamic.
    int64_t getDimSize(unsigned dim);
    /// An operand that has the dim and the dimension where it stands; operands
    /// that are not destinations are preferred.
    ::std::optional<::std::pair<::mlir::OpOperand *, unsigned>>
    getDimSource(unsigned dim);

    // Operands.
    unsigned getNumIns() { return (*this).getIns().size(); }
    unsigned getNumOuts() { return (*this).getOuts().size(); }
    unsigned getNumRhs();
    ::mlir::OpOperand &getInsOperand(unsigned index);
    ::mlir::OpOperand &getOutOperand(unsigned index);
    ::mlir::AffineMap getInsMap(unsigned index);
    ::mlir::AffineMap getOutMap(unsigned index);
    /// How the assembly names an operand: "lhs", "rhs #1", "ins #0", "outs #2".
    ::std::string describeOperand(unsigned operandNumber);
    ::mlir::coda::Combiner getCombiner(unsigned out);
    bool isUpdate(unsigned out) { return (*this).getUpdates()[out]; }
    bool isReduced(unsigned out);
    /// Batch, row and column dims that an out does not name, i.e. that its
    /// combiner reduces.
    ::llvm::SmallVector<unsigned> getReducedDims(unsigned out);

    // Members.
    /// Members named by a map, in domain order.
    ::llvm::SmallVector<unsigned> getMembersOf(::mlir::AffineMap map);
    /// Tuples of the members named by a map, lexicographic; one empty tuple
    /// when it names none.
    ::llvm::SmallVector<::llvm::SmallVector<int64_t>>
    getMemberTuples(::mlir::AffineMap map);

    // Region.
    ::mlir::Block &getBodyBlock() { return (*this).getBody().front(); }
    ::mlir::Operation *getYield() { return getBodyBlock().getTerminator(); }
    ::mlir::Block::BlockArgListType getAccumulatorArgs(unsigned rhs);
    ::mlir::Block::BlockArgListType getInsArgs(unsigned index);
    /// Old values of an `update` store; empty for every other out.
    ::mlir::Block::BlockArgListType getUpdateArgs(unsigned out);
    unsigned getNumAccumulators();
    /// The values yielded for an out.
    ::mlir::OperandRange getYieldedValues(unsigned out);
    /// The dims that a value inside the region depends on: those its inputs
    /// name; a group reduction removes its own.
    ::llvm::SmallBitVector getSupport(::mlir::Value value);
  }];
}

#endif // CODA_IR_CODAINTERFACES
