//===- RunMain.h - The driver of coda-run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_RUNMAIN_H
#define CODA_TOOLS_RUNMAIN_H

namespace mlir::coda {

/// Runs coda-run; returns its exit code.
int runMain(int argc, char **argv);

} // namespace mlir::coda

#endif // CODA_TOOLS_RUNMAIN_H
