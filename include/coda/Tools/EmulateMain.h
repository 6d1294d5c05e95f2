//===- EmulateMain.h - The driver of coda-emulate ---------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_EMULATEMAIN_H
#define CODA_TOOLS_EMULATEMAIN_H

namespace mlir::coda {

/// The whole tool: docs/tools.md describes its flags.
int emulateMain(int argc, char **argv);

} // namespace mlir::coda

#endif // CODA_TOOLS_EMULATEMAIN_H
