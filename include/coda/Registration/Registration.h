//===- Registration.h - What coda's tools know -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of dialects and passes for the tools, the plugin and the C API.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REGISTRATION_REGISTRATION_H
#define CODA_REGISTRATION_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::coda {

/// The coda dialect and its extensions.
void registerCodaDialect(DialectRegistry &registry);

/// Every pass and pipeline of coda, by flag.
void registerCodaPasses();

/// The dialects of MLIR, and what their ops implement elsewhere.
void registerUpstreamDialects(DialectRegistry &registry);

/// The passes of MLIR, by flag.
void registerUpstreamPasses();

} // namespace mlir::coda

#endif // CODA_REGISTRATION_REGISTRATION_H
