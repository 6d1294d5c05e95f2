//===- Passes.h - Lowerings out of the coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_PASSES_H
#define CODA_CONVERSION_PASSES_H

#include "coda/Conversion/CodaToCPU.h"
#include "coda/Conversion/CodaToLinalg.h"
#include "coda/Conversion/CodaToNVGPU.h"

#include "mlir/Pass/Pass.h"

namespace mlir::coda {

#define GEN_PASS_REGISTRATION
#include "coda/Conversion/Passes.h.inc"

} // namespace mlir::coda

#endif // CODA_CONVERSION_PASSES_H
