//===- Passes.h - Passes on the coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TRANSFORMS_PASSES_H
#define CODA_TRANSFORMS_PASSES_H

#include "coda/IR/Coda.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace mlir::affine {
class AffineDialect;
} // namespace mlir::affine

namespace mlir::arith {
class ArithDialect;
} // namespace mlir::arith

namespace mlir::linalg {
class LinalgDialect;
} // namespace mlir::linalg

namespace mlir::tensor {
class TensorDialect;
} // namespace mlir::tensor

namespace mlir::coda {
#define GEN_PASS_DECL
#include "coda/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coda/Transforms/Passes.h.inc"
} // namespace mlir::coda

#endif // CODA_TRANSFORMS_PASSES_H
