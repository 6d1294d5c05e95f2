//===- CodaOps.td - Operations of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODAOPS
#define CODA_IR_CODAOPS

include "coda/IR/CodaAttrs.td"
include "coda/IR/CodaInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/IndexingMapOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Ops with a region over a domain
//===----------------------------------------------------------------------===//

class Coda_EpilogueOp<string mnemonic> : Coda_Op<mnemonic, [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DestinationStyleOpInterface,
    IndexingMapOpInterface,
    Coda_EpilogueOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    IsolatedFromAbove,
    SingleBlock]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;

  code epilogueClassDeclaration = [{
    /// Shape of an operand; empty for a scalar.
    ::llvm::ArrayRef<int64_t> getShape(::mlir::OpOperand *operand);
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def Coda_GemmOp : Coda_EpilogueOp<"gemm"> {
  let summary = "Products of one lhs with a region on their output";
  let description = [{
    #### Semantics

    For every right-hand side `r` and every point of batches, rows, columns and
    the members that `r` names,

    ```
    acc_r[b, m, n, p] = sum over contracts k of f32(lhs[b, m, k]) * f32(rhs_r[b, n, p, k])
    ```

    in f32, in an order that is unspecified but never depends on timing. A
    contract dim of size 0 gives 0. The region then runs once for every point of
    batches, rows and columns. Its arguments are, in order: the accumulators of
    each rhs, the values of each `ins`, the old values of each `update` store.
    An operand that names members gives one argument for each tuple of their
    indices, in lexicographic order of the members' declaration; one that does
    not gives a single argument. `coda.yield` gives the values of each out in
    the same way.

    An out without `by` stores the yielded value. `by` reduces over the batch,
    row and column dims that its map lacks: `add`, `max` (as
    `arith.maximumf`), `lse` (log of the sum of exponentials of the yielded
    values) or `sqdev` (sum of squared deviations from their mean), in f32,
    rounded once into the buffer. An empty reduction gives the combiner's
    identity. `update` on a store passes the old value to the region; `update
    ... by add` adds the old contents once.

    On memrefs the op behaves as if all operands were read before any result is
    written. On tensors it has no effect and may be speculated; a destination
    that is not updated is never read.

    #### Syntax

    ```
    coda.gemm batches(dims) rows(dims) columns(dims) members(dims) contracts(dims)
        lhs(operand) rhs(operands) ins(operands) outs(operands) attributes {...} { region }
    operand ::= ssa-value `at` `(` (dim | `0`)* `)` `:` type
    out     ::= `update`? ssa-value `at` `(` (dim | `0`)* `)` (`by` combiner)? `:` type
    ```

    Clauses stand in this order; one without dims or operands is left out. The
    region names values of its own (it is isolated from above): a scalar from
    outside is an ins `at ()`.

    `numerics` says what rewrites may do to the bits of the results: nothing
    (`bitwise`), identities that move a rounding (`algebraic`), or also dropping
    roundings inside the region (`relaxed`). `schedule` is a hint for the
    lowering and never changes meaning.

    #### Constraints

    - (C1) dim names are distinct, and dims are ordered by kind: batches, rows,
      columns, members, contracts.
    - (C2) an indexing map has one result for each dimension of its operand,
      each a distinct dim or the constant 0; a scalar has an empty map.
    - (C3) a constant 0 stands over a dimension of size 1.
    - (C4) every dim is named by some operand, and static sizes agree.
    - (C5) members have a static size of 1 to 8, all members together at most
      64 tuples of indices, and all right-hand sides at most 8 accumulators.
    - (C6) lhs names exactly the batches, rows and contracts.
    - (C7) there is a rhs, and every rhs names exactly the batches, columns,
      contracts and any members.
    - (C8) ins and outs name no contract dim.
    - (C9) the arguments of the region are those described above: f32 for
      accumulators, the element type of the operand for the others.
    - (C10) `coda.yield` has the values described above: the element type of
      the out for a store, f32 for a reduction.
    - (C11) a store names every batch, row and column.
    - (C12) a reduced out is f32, bf16 or f16, and `update` goes with `add` only.
    - (C13) ops in the region are pure, speculatable, have no region and work on
      scalars.
    - (C14) lhs and rhs have the same element type, one of bf16, f16 and f32, or
      are both f8E4M3FN or f8E5M2.
    - (C15) shaped operands are all ranked tensors or all memrefs of integers,
      indices or floats; scalars are ins only. There is one result for each
      tensor in outs.
    - (C16) on memrefs, an out is no other out, lhs or rhs; it may be an ins of
      the same map.

    #### Lowering notes

    On Hopper a product becomes a persistent warp-specialised kernel
    (`convert-coda-to-nvgpu`): bulk tensor copies feed shared memory,
    `wgmma.mma_async` accumulates in registers, and the region runs on those
    registers. The accumulators of one point sit in one thread.

    #### Example

    ```mlir
    %y = coda.gemm rows(m) columns(n) contracts(k)
        lhs(%x at (m, k) : tensor<?x256xbf16>) rhs(%w at (n, k) : tensor<704x256xbf16>)
        ins(%bias at (n) : tensor<704xf32>) outs(%y0 at (m, n) : tensor<?x704xbf16>) {
    ^bb0(%acc: f32, %b: f32):
      %v = arith.addf %acc, %b : f32
      %r = arith.truncf %v : f32 to bf16
      coda.yield %r : bf16
    }
    ```
  }];
  let arguments = (ins
    AnyShaped:$lhs,
    Variadic<AnyShaped>:$rhs,
    Variadic<AnyType>:$ins,
    Variadic<AnyShaped>:$outs,
    StrArrayAttr:$dim_names,
    Coda_DimKindArrayAttr:$dim_kinds,
    AffineMapArrayAttr:$indexing_maps,
    Coda_CombinerArrayAttr:$combiners,
    DenseBoolArrayAttr:$updates,
    OptionalAttr<Coda_NumericsAttr>:$numerics,
    OptionalAttr<Coda_ScheduleAttr>:$schedule
  );
  let extraClassDeclaration = epilogueClassDeclaration # [{
    ::mlir::AffineMap getLhsMap();
    ::mlir::AffineMap getRhsMap(unsigned index);
    unsigned getNumProductOperands() { return 1 + getRhs().size(); }
  }];
}

def Coda_MapOp : Coda_EpilogueOp<"map"> {
  let summary = "Region over a domain without a product";
  let description = [{
    #### Semantics

    `coda.gemm` without lhs, rhs, accumulators and contract dims: the region
    runs once for every point of batches, rows and columns. It serves what has
    no product next to it: the first norm of a model, the finishing of a split
    reduction, the gradient of a cross-entropy.

    #### Constraints

    Those of `coda.gemm` that speak of its clauses: (C1) to (C5), (C8) to (C13),
    (C15) and (C16).

    #### Lowering notes

    A `coda.group_reduce` in `coda.map` may span whole rows.

    #### Example

    ```mlir
    %h, %r = coda.map rows(m) columns(n)
        ins(%x at (m, n) : tensor<?x256xf32>) outs(%h0 at (m, n) : tensor<?x256xf32>, %r0 at (m) by max : tensor<?xf32>) {
    ^bb0(%v: f32):
      %width = arith.constant 256.0 : f32
      %sq = arith.mulf %v, %v : f32
      %ss = coda.group_reduce add %sq over (n) : f32
      %ms = arith.divf %ss, %width : f32
      %rs = math.rsqrt %ms : f32
      %y = arith.mulf %v, %rs : f32
      coda.yield %y, %rs : f32, f32
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$ins,
    Variadic<AnyShaped>:$outs,
    StrArrayAttr:$dim_names,
    Coda_DimKindArrayAttr:$dim_kinds,
    AffineMapArrayAttr:$indexing_maps,
    Coda_CombinerArrayAttr:$combiners,
    DenseBoolArrayAttr:$updates,
    OptionalAttr<Coda_NumericsAttr>:$numerics
  );
  let extraClassDeclaration = epilogueClassDeclaration # [{
    unsigned getNumProductOperands() { return 0; }
  }];
}

//===----------------------------------------------------------------------===//
// Ops of the region
//===----------------------------------------------------------------------===//

def Coda_YieldOp : Coda_Op<"yield", [
    ParentOneOf<["GemmOp", "MapOp"]>, Pure, ReturnLike, Terminator]> {
  let summary = "Values of the results at one point";
  let description = [{
    #### Semantics

    One value for each out, in order; for an out that names members, one for each
    tuple of their indices in lexicographic order of the members' declaration.

    #### Example

    `coda.yield %y, %square : bf16, f32`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

def Coda_IndexOp : Coda_Op<"index", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure]> {
  let summary = "Index of the current point along a dim";
  let description = [{
    #### Semantics

    The index of the point at which the region runs along the named batch, row
    or column dim.

    #### Constraints

    - (C1) the enclosing op has a batch, row or column dim of that name.

    #### Example

    `%n = coda.index n : index`
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<DimName>($dim) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Coda_GroupReduceOp : Coda_Op<"group_reduce", [
    Pure, SameOperandsAndResultType]> {
  let summary = "Reduction over column dims inside a region";
  let description = [{
    #### Semantics

    For every point, the sum or the maximum (as `arith.maximumf`) of the value
    at all points that differ from it only along the named dims. Each of them
    sees the result, which does not depend on the named dims any more.

    #### Constraints

    - (C1) the enclosing op has a column dim of each name, and names are
      distinct.

    #### Lowering notes

    Whether a group fits a tile is judged by `#coda.schedule`, not by the
    verifier.

    #### Example

    `%ss = coda.group_reduce add %sq over (j) : f32`
  }];
  let arguments = (ins
    Coda_GroupReduceKindAttr:$kind, F32:$value, StrArrayAttr:$dims);
  let results = (outs F32:$result);
  let assemblyFormat = [{
    $kind $value `over` custom<DimNames>($dims) attr-dict `:` type($value)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // CODA_IR_CODAOPS
