//===- Passes.td - Passes on the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TRANSFORMS_PASSES
#define CODA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Rewriting linalg into products with epilogues
//===----------------------------------------------------------------------===//

class Coda_NumericsOption
    : Option<"numerics", "numerics", "::mlir::coda::Numerics",
             "::mlir::coda::Numerics::Algebraic",
             "What a rewrite may do to the bits of a result", [{
      llvm::cl::values(
        clEnumValN(::mlir::coda::Numerics::Bitwise, "bitwise",
                   "nothing, given the same order of sums"),
        clEnumValN(::mlir::coda::Numerics::Algebraic, "algebraic",
                   "move a rounding with the identities of coda-reparameterize"),
        clEnumValN(::mlir::coda::Numerics::Relaxed, "relaxed",
                   "also drop roundings inside an epilogue"))
    }]>;

def CodaFusePass : InterfacePass<"coda-fuse", "::mlir::FunctionOpInterface"> {
  let summary = "Fuse maps into the epilogues of products";
  let description = [{
    Inlines the region of one coda op into another, greedily in program order:

    - a `coda.map` that consumes results of a product (or of another map) over
      the same domain, in any permutation, moves into it; results that others
      still use stay as extra stores;
    - products that share lhs and whose values meet in one map become one
      product with several right-hand sides;
    - a map over fewer dims, such as the reciprocal root of a row statistic, is
      recomputed where it is read.

    Every rounding of the source program stays, except under `relaxed`, where a
    value that is narrowed and widened again inside a region keeps its f32 bits.
    Nothing moves across a side effect. Each fusion is a passed remark and each
    refusal a missed remark with its reason, in the category `coda-fuse`. Except
    under `relaxed`, results do not change numerically.
  }];
  let options = [Coda_NumericsOption<>];
  let dependentDialects = ["::mlir::coda::CodaDialect", "::mlir::tensor::TensorDialect"];
}

def CodaRaisePass : InterfacePass<"coda-raise", "::mlir::FunctionOpInterface"> {
  let summary = "Raise linalg contractions and their neighbours to coda ops";
  let description = [{
    Contractions in every spelling of linalg become `coda.gemm` with an identity
    epilogue: named ops, `indexing_maps`, transposed operands, generics of any
    rank, casts of the operands inside the body. The sum is taken in f32 and
    rounded once to the type of the result. A zero initial value vanishes; any
    other is added once, after the sum.

    Elementwise and reduction ops that are connected to a product by a chain of
    uses become `coda.map`; ops that are not stay as they are.

    Reshapes between ops are absorbed by the upstream patterns for unit extents
    and for reshape propagation first.

    A contraction that cannot be raised gets a missed remark in the category
    `coda-raise`. Results change only in so far as the order of a sum is
    unspecified.
  }];
  let options = [Coda_NumericsOption<>];
  let dependentDialects = ["::mlir::coda::CodaDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CodaReparameterizePass
    : InterfacePass<"coda-reparameterize", "::mlir::FunctionOpInterface"> {
  let summary = "Move scales of rows past products";
  let description = [{
    Applies `(diag(r) X) W = diag(r) (X W)`: when the lhs of a product is a
    value times a factor that depends on rows only (the reciprocal root of
    RMSNorm, a scale of each token, dequantisation), in whatever spelling, the
    factor is taken out of the lhs and multiplies the f32 accumulators instead.
    What is left of the lhs no longer waits for the whole row, so that it can be
    computed where its input is produced.

    All users of the normalised value must be products that can take the
    factor; otherwise a missed remark in the category `coda-reparameterize`
    names the user that cannot.

    The rewrite moves a rounding: it applies under `algebraic` and `relaxed`,
    and under `bitwise` only says what it would have done.
  }];
  let options = [Coda_NumericsOption<>];
  let dependentDialects = ["::mlir::coda::CodaDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // CODA_TRANSFORMS_PASSES
