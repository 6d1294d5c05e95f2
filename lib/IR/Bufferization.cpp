//===- Bufferization.cpp - Bufferization of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bufferization.h"

#include "coda/IR/Coda.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::coda;

/// Recreates `op` on buffers; its region is moved.
static LogicalResult bufferizeEpilogue(RewriterBase &rewriter,
                                       EpilogueOpInterface op,
                                       const BufferizationOptions &options,
                                       const BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  OperationState newState(op->getLoc(), op->getName());
  newState.addOperands(buffers);
  newState.addAttributes(op->getAttrDictionary().getValue());
  newState.addRegion()->takeBody(op.getBody());
  rewriter.create(newState);
  replaceOpWithBufferizedValues(rewriter, op,
                                ArrayRef(buffers).take_back(op.getNumOuts()));
  return success();
}

namespace {
template <typename OpTy>
struct EpilogueBufferization : public DstBufferizableOpInterfaceExternalModel<
                                   EpilogueBufferization<OpTy>, OpTy> {
  /// A destination is read by `update` only.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    EpilogueOpInterface epilogue = cast<EpilogueOpInterface>(op);
    unsigned firstOut = epilogue.getNumProductOperands() + epilogue.getNumIns();
    unsigned number = operand.getOperandNumber();
    return number < firstOut || epilogue.isUpdate(number - firstOut);
  }

  /// An ins may share the buffer of a store that has the same map: each point
  /// is read before it is written. Products read points of other rows and
  /// columns, and reductions write after all points of another block are read.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    EpilogueOpInterface epilogue = cast<EpilogueOpInterface>(op);
    unsigned firstIns = epilogue.getNumProductOperands();
    unsigned firstOut = firstIns + epilogue.getNumIns();
    AffineMap map = epilogue.getMatchingIndexingMap(operands.front());
    return llvm::all_of(operands, [&](OpOperand *operand) {
      unsigned number = operand->getOperandNumber();
      if (number < firstIns)
        return false;
      if (number >= firstOut && epilogue.isReduced(number - firstOut))
        return false;
      return epilogue.getMatchingIndexingMap(operand) == map;
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeEpilogue(rewriter, cast<EpilogueOpInterface>(op), options,
                             state);
  }
};
} // namespace

void coda::attachBufferizationModels(MLIRContext *context) {
  GemmOp::attachInterface<EpilogueBufferization<GemmOp>>(*context);
  MapOp::attachInterface<EpilogueBufferization<MapOp>>(*context);
}
