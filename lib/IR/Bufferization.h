//===- Bufferization.h - Bufferization of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_IR_BUFFERIZATION_H
#define CODA_LIB_IR_BUFFERIZATION_H

namespace mlir {
class MLIRContext;

namespace coda {
/// Makes coda.gemm and coda.map implement BufferizableOpInterface.
void attachBufferizationModels(MLIRContext *context);
} // namespace coda
} // namespace mlir

#endif // CODA_LIB_IR_BUFFERIZATION_H
