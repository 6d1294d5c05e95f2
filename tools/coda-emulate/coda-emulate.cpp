//===- coda-emulate.cpp - Runs a kernel on an emulated GPU ----------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/EmulateMain.h"

int main(int argc, char **argv) { return mlir::coda::emulateMain(argc, argv); }
