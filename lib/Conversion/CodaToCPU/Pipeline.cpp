//===- Pipeline.cpp - The pipeline coda-to-cpu -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"
#include "coda/Conversion/CodaToLinalg.h"
#include "coda/Conversion/Pipelines.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::coda;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Other tensor dialects, and scalar ops applied to whole tensors, to linalg.
static void addToLinalg(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToTensorPass());
  function.addPass(createTosaToArithPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
}

/// Coda and linalg on tensors, down to what bufferizes.
static void addTensorPasses(OpPassManager &pm) {
  pm.addPass(createCPUCheckShapesPass());
  pm.addPass(createCPUTilePass());
  pm.addPass(createConvertCodaToLinalgPass());
  pm.addPass(createCPUPreparePass());
  addCleanup(pm);
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createLinalgFoldUnitExtentDimsPass());
  pm.addPass(createCPUFuseElementwisePass());
  addCleanup(pm);
}

static void addBufferization(OpPassManager &pm) {
  using namespace bufferization;
  pm.addPass(createEmptyTensorEliminationPass());
  OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = LayoutMapOption::IdentityLayoutMap;
  options.unknownTypeConversion = LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(createOneShotBufferizePass(options));
  addCleanup(pm);
  buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  addCleanup(pm);
}

/// Every op on a narrow float in f32, rounded to nearest even after each.
static void addFloatEmulation(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  SmallVector<std::string> narrow = {"bf16", "f16", "f8E4M3FN", "f8E5M2"};
  floats.sourceTypeStrs = narrow;
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  pm.addPass(createCPUKeepRoundingsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCPUExpandFloat8Pass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

static void addLoops(OpPassManager &pm, bool parallel) {
  CPULowerLoopsPassOptions loops;
  loops.parallel = parallel;
  pm.addPass(createCPULowerLoopsPass(loops));
  pm.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
  addFloatEmulation(pm);
  addCleanup(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
}

static void addLLVM(OpPassManager &pm, bool parallel) {
  if (parallel) {
    pm.addPass(createConvertSCFToOpenMPPass());
    pm.addPass(createCPUScheduleLoopsPass());
    // Inlines the allocation scopes around loop bodies, which must have one
    // block.
    pm.addPass(createCanonicalizerPass());
  }
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
}

void mlir::coda::buildCodaToCPUPipeline(OpPassManager &pm,
                                        const CodaToCPUOptions &options) {
  addToLinalg(pm);
  addTensorPasses(pm);
  addBufferization(pm);
  addLoops(pm, options.parallel);
  addLLVM(pm, options.parallel);
}

void mlir::coda::registerCodaToCPUPipeline() {
  PassPipelineRegistration<CodaToCPUOptions>(
      "coda-to-cpu",
      "Lower coda, or any linalg on tensors, to the LLVM dialect for the host",
      buildCodaToCPUPipeline);
}
