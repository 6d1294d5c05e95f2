//===- coda-compile.cpp - Compiler driver of coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/CompileMain.h"

int main(int argc, char **argv) { return mlir::coda::compileMain(argc, argv); }
