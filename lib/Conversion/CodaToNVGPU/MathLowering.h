//===- MathLowering.h - Ops of a region on the GPU -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar ops of a region, emitted on scalars or on pairs (vectors of two) with
// PTX approximations instead of libdevice. docs/numerics.md states the bounds.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_MATHLOWERING_H
#define CODA_LIB_CONVERSION_CODATONVGPU_MATHLOWERING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Support/LLVM.h"
#include <optional>
#include <string>

namespace mlir::coda {

/// The type of a region's value in a kernel: index becomes i64.
Type getKernelType(Type type);

/// Whether a kernel can load and store elements of a type.
bool isAccessibleElement(Type type);

/// `type` or, with `pair`, a vector of two.
Type withWidth(Type type, bool pair);

/// Why an op of a region has no lowering, in words, or nothing.
std::optional<std::string> findPointwiseError(Operation *op);

/// Emits an op for which findPointwiseError found nothing. Operands are in
/// kernel types, all scalars or, with `pair`, all pairs. Arithmetic on bf16 and
/// f16 is one f32 operation and one rounding.
Value emitPointwise(ImplicitLocOpBuilder &b, Operation *op, ValueRange operands,
                    bool pair);

/// A scalar as a pair of equal values.
Value splat(ImplicitLocOpBuilder &b, Value scalar);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_MATHLOWERING_H
