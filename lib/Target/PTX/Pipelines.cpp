//===- Pipelines.cpp - The pipeline coda-to-ptx -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/Pipelines.h"
#include "coda/Target/PTX.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::coda;

void mlir::coda::buildKernelsToLLVMPipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createConvertMathToLLVMPass());
  ConvertToLLVMPassOptions branches;
  SmallVector<std::string> branchDialects = {"cf"};
  branches.filterDialects = branchDialects;
  kernels.addPass(createConvertToLLVMPass(branches));
  kernels.addPass(createArithToLLVMConversionPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void mlir::coda::buildCodaToPTXPipeline(OpPassManager &pm,
                                        const CodaToPTXOptions &options) {
  CodaToNVGPUOptions kernels;
  kernels.rewrite = options.rewrite;
  buildCodaToNVGPUPipeline(pm, kernels);
  buildKernelsToLLVMPipeline(pm);
  pm.addPass(createEmbedPTXPass());
}

void mlir::coda::buildHostToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
}

void mlir::coda::registerTargetPipelines() {
  PassPipelineRegistration<>(
      "coda-kernels-to-llvm",
      "Lower the bodies of GPU modules to the LLVM dialect",
      buildKernelsToLLVMPipeline);
  PassPipelineRegistration<>(
      "coda-host-to-llvm",
      "Lower host code that launches kernels to the LLVM dialect",
      buildHostToLLVMPipeline);
  PassPipelineRegistration<CodaToPTXOptions>(
      "coda-to-ptx",
      "Lower linalg or coda on tensors to host code that launches kernels, "
      "with their PTX as a constant",
      buildCodaToPTXPipeline);
}
