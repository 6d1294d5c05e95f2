//===- coda-plugin.cpp - Plugin for mlir-opt -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loaded by a stock mlir-opt with --load-dialect-plugin and --load-pass-plugin.
// mlir-opt makes its flags before it loads plugins: passes of a plugin have
// none and are named in --pass-pipeline='builtin.module(coda-rewrite)'.
//
//===----------------------------------------------------------------------===//

#include "coda/Registration/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *version = "0.1.0";

// Passes come with the dialect too, so that one flag is enough. Registering
// twice is harmless.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Coda", version,
          [](mlir::DialectRegistry *registry) {
            mlir::coda::registerCodaDialect(*registry);
            mlir::coda::registerCodaPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Coda", version,
          [] { mlir::coda::registerCodaPasses(); }};
}
