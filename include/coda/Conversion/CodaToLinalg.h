//===- CodaToLinalg.h - The definition of the coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATOLINALG_H
#define CODA_CONVERSION_CODATOLINALG_H

#include "mlir/Pass/Pass.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class RewriterBase;

namespace coda {
class EpilogueOpInterface;

#define GEN_PASS_DECL_CONVERTCODATOLINALGPASS
#include "coda/Conversion/Passes.h.inc"

/// Replaces `coda.gemm` or `coda.map` by the linalg ops that define it.
LogicalResult convertToLinalg(RewriterBase &rewriter, EpilogueOpInterface op);

} // namespace coda
} // namespace mlir

#endif // CODA_CONVERSION_CODATOLINALG_H
