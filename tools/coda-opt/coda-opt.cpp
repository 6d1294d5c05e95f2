//===- coda-opt.cpp - Optimizer driver of coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/Passes.h"
#include "coda/IR/Coda.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::coda::CodaDialect>();
  mlir::registerAllPasses();
  mlir::coda::registerConversionPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "coda: matrix products with fused epilogues\n", registry));
}
