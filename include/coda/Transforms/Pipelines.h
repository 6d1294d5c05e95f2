//===- Pipelines.h - Pipelines of the rewriting passes -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TRANSFORMS_PIPELINES_H
#define CODA_TRANSFORMS_PIPELINES_H

#include "coda/IR/Coda.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace coda {

struct CodaRewriteOptions : PassPipelineOptions<CodaRewriteOptions> {
  Option<Numerics> numerics{
      *this, "numerics",
      llvm::cl::desc("What a rewrite may do to the bits of a result"),
      llvm::cl::init(Numerics::Algebraic),
      llvm::cl::values(clEnumValN(Numerics::Bitwise, "bitwise",
                                  "nothing, given the same order of sums"),
                       clEnumValN(Numerics::Algebraic, "algebraic",
                                  "move a rounding with the identities of "
                                  "coda-reparameterize"),
                       clEnumValN(Numerics::Relaxed, "relaxed",
                                  "also drop roundings inside an epilogue"))};
};

/// From linalg to products with fused epilogues: coda-raise,
/// coda-reparameterize and coda-fuse with the clean-up between them.
void buildCodaRewritePipeline(OpPassManager &pm,
                              const CodaRewriteOptions &options);

/// Registers `coda-rewrite`.
void registerTransformsPipelines();

} // namespace coda
} // namespace mlir

#endif // CODA_TRANSFORMS_PIPELINES_H
