//===- Coda.cpp - Dialects and passes of coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"
#include "coda/Conversion/Passes.h"
#include "coda/Conversion/Pipelines.h"
#include "coda/Registration/Registration.h"
#include "coda/Target/PTX.h"
#include "coda/Transforms/Passes.h"
#include "coda/Transforms/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mlir::coda::registerCodaDialect(DialectRegistry &registry) {
  registry.insert<CodaDialect>();
}

void mlir::coda::registerCodaPasses() {
  registerConversionPasses();
  registerCodaToCPUPipeline();
  registerCodaToNVGPUPipeline();
  registerTargetPasses();
  registerTargetPipelines();
  registerTransformsPasses();
  registerTransformsPipelines();
}
