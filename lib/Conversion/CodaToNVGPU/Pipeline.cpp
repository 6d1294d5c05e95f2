//===- Pipeline.cpp - The pipeline coda-to-nvgpu -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"
#include "coda/Conversion/CodaToNVGPU.h"
#include "coda/Conversion/Pipelines.h"
#include "coda/Transforms/Pipelines.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::coda {
#define GEN_PASS_DEF_NVGPUPREPAREPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

namespace {
struct NVGPUPrepare : public coda::impl::NVGPUPreparePassBase<NVGPUPrepare> {
  void runOnOperation() override {
    auto readOnly = BoolAttr::get(&getContext(), false);
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(
              argument.getArgNumber(),
              bufferization::BufferizationDialect::kWritableAttrName, readOnly);
  }
};
} // namespace

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void addBufferization(OpPassManager &pm) {
  using namespace bufferization;
  pm.addPass(createNVGPUPreparePass());
  pm.addPass(createEmptyTensorEliminationPass());
  OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = LayoutMapOption::IdentityLayoutMap;
  options.unknownTypeConversion = LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(createOneShotBufferizePass(options));
  addCleanup(pm);
}

/// Upstream's pipeline, with the passes for device memory where deallocations
/// are known, but not yet the lists by which they are decided at run time.
static void addDeallocation(OpPassManager &pm) {
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(createNVGPUHostPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createNVGPUFreePass());
  addCleanup(pm);
}

void mlir::coda::buildCodaToNVGPUPipeline(OpPassManager &pm,
                                          const CodaToNVGPUOptions &options) {
  if (options.rewrite)
    buildCodaRewritePipeline(pm, CodaRewriteOptions());
  // A kernel takes each size from one operand.
  pm.addPass(createCPUCheckShapesPass());
  addBufferization(pm);
  pm.addPass(createConvertCodaToNVGPUPass());
  addDeallocation(pm);
}

void mlir::coda::registerCodaToNVGPUPipeline() {
  PassPipelineRegistration<CodaToNVGPUOptions>(
      "coda-to-nvgpu",
      "Lower linalg or coda on tensors to Hopper kernels and host code that "
      "launches them",
      buildCodaToNVGPUPipeline);
}
