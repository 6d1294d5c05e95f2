//===- KernelParams.h - Parameters of a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters come into being when the kernel first asks for them; the launch
// plan lists them in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_KERNELPARAMS_H
#define CODA_LIB_CONVERSION_CODATONVGPU_KERNELPARAMS_H

#include "KernelBuilder.h"

#include "coda/Conversion/CodaToNVGPU/KernelLaunchPlan.h"
#include "coda/IR/Coda.h"

namespace mlir::coda {

class KernelParams {
public:
  /// `function` has an entry block and no parameters yet.
  KernelParams(KernelBuilder &b, EpilogueOpInterface op,
               LLVM::LLVMFuncOp function, KernelLaunchPlan &plan)
      : b(b), op(op), function(function), plan(plan) {}

  Value addTensorMap(const TensorMapParam &param);
  Value addScratch(const ScratchParam &param);

  Value getPointer(unsigned operand);
  /// Has the launch refuse addresses that are no multiple of so many elements.
  void alignPointer(unsigned operand, unsigned elements);
  /// A scalar operand in its kernel type.
  Value getScalar(unsigned operand);
  /// The sizes of all dims of a kind, as i32.
  Value getKindSize(DimKind kind);
  /// The size of a dim as i32, a constant when static.
  Value getDimSize(unsigned dim);
  /// The stride of a memref dimension as i64, a constant when static.
  Value getStride(OperandDim dim);

  /// Gives the function its type and the attributes of its parameters.
  void finish();

private:
  Value add(KernelParam param, Type type);

  KernelBuilder &b;
  EpilogueOpInterface op;
  LLVM::LLVMFuncOp function;
  KernelLaunchPlan &plan;
  DenseMap<unsigned, Value> pointers;
  DenseMap<unsigned, Value> scalars;
  DenseMap<unsigned, Value> kindSizes;
  DenseMap<unsigned, Value> dimSizes;
  DenseMap<std::pair<unsigned, unsigned>, Value> strides;
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_KERNELPARAMS_H
