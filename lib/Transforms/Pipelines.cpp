//===- Pipelines.cpp - Pipelines of the rewriting passes -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Transforms/Pipelines.h"

#include "coda/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::coda;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void coda::buildCodaRewritePipeline(OpPassManager &pm,
                                    const CodaRewriteOptions &options) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  addCleanUp(functions);
  CodaRaisePassOptions raise;
  raise.numerics = options.numerics;
  functions.addPass(createCodaRaisePass(raise));
  addCleanUp(functions);
  CodaReparameterizePassOptions reparameterize;
  reparameterize.numerics = options.numerics;
  functions.addPass(createCodaReparameterizePass(reparameterize));
  addCleanUp(functions);
  CodaFusePassOptions fuse;
  fuse.numerics = options.numerics;
  functions.addPass(createCodaFusePass(fuse));
  addCleanUp(functions);
}

void coda::registerTransformsPipelines() {
  PassPipelineRegistration<CodaRewriteOptions>(
      "coda-rewrite",
      "From linalg to products with fused epilogues: coda-raise, "
      "coda-reparameterize, coda-fuse and clean-up",
      buildCodaRewritePipeline);
}
