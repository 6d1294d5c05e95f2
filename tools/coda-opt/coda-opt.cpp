//===- coda-opt.cpp - Optimizer driver of coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::coda::registerUpstreamDialects(registry);
  mlir::coda::registerUpstreamPasses();
  mlir::coda::registerCodaDialect(registry);
  mlir::coda::registerCodaPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "coda: matrix products with fused epilogues\n", registry));
}
