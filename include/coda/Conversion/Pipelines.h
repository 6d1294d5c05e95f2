//===- Pipelines.h - Pipelines from coda or linalg to a target -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_PIPELINES_H
#define CODA_CONVERSION_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;

namespace coda {

struct CodaToCPUOptions : PassPipelineOptions<CodaToCPUOptions> {
  Option<bool> parallel{
      *this, "parallel",
      llvm::cl::desc("Spread loops over the cores through OpenMP, whose "
                     "runtime library must then be present"),
      llvm::cl::init(true)};
};

/// From coda, or any linalg on tensors, to the LLVM dialect for the host.
void buildCodaToCPUPipeline(OpPassManager &pm, const CodaToCPUOptions &options);

struct CodaToNVGPUOptions : PassPipelineOptions<CodaToNVGPUOptions> {
  Option<bool> rewrite{*this, "rewrite",
                       llvm::cl::desc("Run coda-rewrite before anything else"),
                       llvm::cl::init(true)};
};

/// From linalg or coda on tensors to host code on memrefs and Hopper kernels
/// that it launches.
void buildCodaToNVGPUPipeline(OpPassManager &pm,
                              const CodaToNVGPUOptions &options);

/// Registers the pipelines by name.
void registerCodaToCPUPipeline();
void registerCodaToNVGPUPipeline();

} // namespace coda
} // namespace mlir

#endif // CODA_CONVERSION_PIPELINES_H
