//===- coda-lsp-server.cpp - Language server for coda programs -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::coda::registerUpstreamDialects(registry);
  mlir::coda::registerCodaDialect(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
