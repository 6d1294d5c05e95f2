//===- Passes.td - Lowerings out of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_PASSES
#define CODA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// CodaToLinalg
//===----------------------------------------------------------------------===//

def ConvertCodaToLinalgPass : Pass<"convert-coda-to-linalg"> {
  let summary = "Lower coda ops to linalg: the definition of the dialect";
  let description = [{
    For every right-hand side one contraction into a zero f32 tensor over
    batches, rows, columns and its members; for every `coda.group_reduce`, in
    order, one `linalg.generic` that reduces the slice of the region it needs;
    for every result one `linalg.generic` with the region cloned. `lse` first
    takes the maximum and `sqdev` the mean. A member is a constant in the map of
    an operand, and a parallel dim with a `select` on `linalg.index` in a result.

    Work is repeated for every result on purpose: this pass is the meaning of
    the ops, and every other path is tested against it.

    Ops on memrefs are read into tensors, computed, and copied to their
    destinations after all results are known.

    Results do not change numerically: f32 sums are taken in the order of the
    contract dims.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // CODA_CONVERSION_PASSES
