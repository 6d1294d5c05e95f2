//===- Kernels.h - The parts of convert-coda-to-nvgpu -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_KERNELS_H
#define CODA_LIB_CONVERSION_CODATONVGPU_KERNELS_H

#include "coda/Conversion/CodaToNVGPU/KernelLaunchPlan.h"
#include "coda/IR/Coda.h"

#include "mlir/IR/Builders.h"

namespace mlir::coda {

/// Adds a kernel called `name` that does the work of `op` on memrefs at the
/// insertion point, which is inside a gpu.module. On failure an error that says
/// why is attached to the op, and nothing is added.
FailureOr<KernelLaunchPlan> emitGemmKernel(OpBuilder &builder, GemmOp op,
                                           StringRef name);
FailureOr<KernelLaunchPlan> emitMapKernel(OpBuilder &builder, MapOp op,
                                          StringRef name);

/// The plan as JSON, for launchers outside of the compiler.
std::string toJSON(const KernelLaunchPlan &plan);

/// Emits host code at the insertion point that launches a kernel on the
/// operands of `op`.
LogicalResult emitLaunch(OpBuilder &builder, EpilogueOpInterface op,
                         const KernelLaunchPlan &plan);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_KERNELS_H
