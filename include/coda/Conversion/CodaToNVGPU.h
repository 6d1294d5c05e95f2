//===- CodaToNVGPU.h - Kernels for coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATONVGPU_H
#define CODA_CONVERSION_CODATONVGPU_H

#include "mlir/Pass/Pass.h"

namespace mlir::coda {

#define GEN_PASS_DECL_CONVERTCODATONVGPUPASS
#define GEN_PASS_DECL_NVGPUFREEPASS
#define GEN_PASS_DECL_NVGPUHOSTPASS
#define GEN_PASS_DECL_NVGPUPREPAREPASS
#include "coda/Conversion/Passes.h.inc"

} // namespace mlir::coda

#endif // CODA_CONVERSION_CODATONVGPU_H
