//===- CodaToCPU.h - Passes of the host pipeline -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATOCPU_H
#define CODA_CONVERSION_CODATOCPU_H

#include "mlir/Pass/Pass.h"

namespace mlir::coda {

#define GEN_PASS_DECL_CPUCHECKSHAPESPASS
#define GEN_PASS_DECL_CPUEXPANDFLOAT8PASS
#define GEN_PASS_DECL_CPUFUSEELEMENTWISEPASS
#define GEN_PASS_DECL_CPUKEEPROUNDINGSPASS
#define GEN_PASS_DECL_CPULOWERLOOPSPASS
#define GEN_PASS_DECL_CPUPREPAREPASS
#define GEN_PASS_DECL_CPUSCHEDULELOOPSPASS
#define GEN_PASS_DECL_CPUTILEPASS
#include "coda/Conversion/Passes.h.inc"

} // namespace mlir::coda

#endif // CODA_CONVERSION_CODATOCPU_H
