//===- CodaToNVGPU.cpp - Kernels for coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToNVGPU.h"

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CONVERTCODATONVGPUPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

/// A name of PTX: letters, digits, `_` and `$`, of which a digit is not first.
static std::string toPTXName(StringRef name) {
  std::string result = name.str();
  for (char &character : result)
    if (!llvm::isAlnum(character) && character != '$')
      character = '_';
  if (result.empty() || !llvm::isAlpha(result.front()))
    result.insert(0, "k_");
  return result;
}

namespace {
struct ConvertCodaToNVGPU
    : public coda::impl::ConvertCodaToNVGPUPassBase<ConvertCodaToNVGPU> {
  using ConvertCodaToNVGPUPassBase::ConvertCodaToNVGPUPassBase;

  void runOnOperation() override {
    SmallVector<EpilogueOpInterface> ops;
    getOperation().walk([&](EpilogueOpInterface op) { ops.push_back(op); });
    if (ops.empty())
      return;
    numKernels.clear();
    gpu::GPUModuleOp kernels = createKernelModule();
    for (EpilogueOpInterface op : ops)
      if (failed(convert(op, kernels)))
        return signalPassFailure();
  }

private:
  gpu::GPUModuleOp createKernelModule() {
    MLIRContext *context = &getContext();
    ModuleOp module = getOperation();
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(context));
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto target = NVVM::NVVMTargetAttr::get(
        context, /*optLevel=*/3, "nvptx64-nvidia-cuda", chip, features);
    return gpu::GPUModuleOp::create(b, module.getLoc(), "coda_kernels",
                                    b.getArrayAttr(target));
  }

  /// A name that says which op of which function a kernel serves.
  std::string getKernelName(EpilogueOpInterface op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    std::string name = toPTXName(function ? function.getName() : "module");
    name += ("_" + op->getName().stripDialect()).str();
    unsigned number = numKernels[name]++;
    return number == 0 ? name : name + "_" + std::to_string(number);
  }

  LogicalResult convert(EpilogueOpInterface op, gpu::GPUModuleOp kernels) {
    OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
    std::string name = getKernelName(op);
    auto gemm = dyn_cast<GemmOp>(op.getOperation());
    FailureOr<KernelLaunchPlan> plan =
        gemm ? emitGemmKernel(b, gemm, name)
             : emitMapKernel(b, cast<MapOp>(op.getOperation()), name);
    if (failed(plan))
      return failure();
    // The last op of the module is the kernel just emitted.
    kernels.getBody()->back().setAttr("coda.launch_plan",
                                      b.getStringAttr(toJSON(*plan)));
    if (kernelsOnly)
      return success();
    b.setInsertionPoint(op);
    if (failed(emitLaunch(b, op, *plan)))
      return failure();
    op->erase();
    return success();
  }

  llvm::StringMap<unsigned> numKernels;
};
} // namespace
