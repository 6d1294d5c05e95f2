//===- CodaToLinalg.cpp - The definition of the coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToLinalg.h"

#include "Definition.h"

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CONVERTCODATOLINALGPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

/// Operands as tensors: a buffer that the op reads becomes a tensor once, and
/// a destination that it only writes an empty one, so that no result is
/// written before all operands are read.
static SmallVector<Value> readBuffers(RewriterBase &rewriter,
                                      EpilogueOpInterface op) {
  Location loc = op.getLoc();
  DenseMap<Value, Value> tensors;
  SmallVector<Value> operands;
  unsigned firstOut = op.getNumProductOperands() + op.getNumIns();
  for (OpOperand &operand : op->getOpOperands()) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type) {
      operands.push_back(buffer);
      continue;
    }
    unsigned number = operand.getOperandNumber();
    if (number >= firstOut && !op.isUpdate(number - firstOut)) {
      operands.push_back(tensor::EmptyOp::create(
          rewriter, loc, memref::getMixedSizes(rewriter, loc, buffer),
          type.getElementType()));
      continue;
    }
    Value &tensor = tensors[buffer];
    if (!tensor)
      tensor = bufferization::ToTensorOp::create(
          rewriter, loc, memref::getTensorTypeFromMemRefType(type), buffer,
          /*restrict=*/true);
    operands.push_back(tensor);
  }
  return operands;
}

static void writeBuffers(RewriterBase &rewriter, EpilogueOpInterface op,
                         ValueRange results) {
  Location loc = op.getLoc();
  for (auto [result, out] : llvm::zip_equal(results, op.getOuts())) {
    auto type = cast<MemRefType>(out.getType());
    auto plain = MemRefType::get(type.getShape(), type.getElementType());
    Value buffer = bufferization::ToBufferOp::create(
        rewriter, loc, plain, result, /*read_only=*/true);
    memref::CopyOp::create(rewriter, loc, buffer, out);
  }
}

LogicalResult mlir::coda::convertToLinalg(RewriterBase &rewriter,
                                          EpilogueOpInterface op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (Value out : op.getOuts())
    if (auto type = dyn_cast<BaseMemRefType>(out.getType());
        type && type.getMemorySpace())
      return op->emitOpError("on buffers in a memory space has no meaning on "
                             "the host, found ")
             << type;
  if (op.hasPureTensorSemantics() || op->getNumResults() != 0) {
    Definition definition(rewriter, op, op->getOperands());
    rewriter.replaceOp(op, definition.emit());
    return success();
  }
  Definition definition(rewriter, op, readBuffers(rewriter, op));
  writeBuffers(rewriter, op, definition.emit());
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct ConvertCodaToLinalg
    : coda::impl::ConvertCodaToLinalgPassBase<ConvertCodaToLinalg> {
  using ConvertCodaToLinalgPassBase::ConvertCodaToLinalgPassBase;

  void runOnOperation() override {
    SmallVector<EpilogueOpInterface> ops;
    getOperation()->walk([&](EpilogueOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (EpilogueOpInterface op : ops)
      if (failed(convertToLinalg(rewriter, op)))
        return signalPassFailure();
  }
};
} // namespace
