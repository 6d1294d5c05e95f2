//===- PTX.cpp - GPU modules through the NVPTX back end -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Target/PTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace mlir::coda;

// Declared here since the header of all targets would ask for all of them.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static void initializeBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

void mlir::coda::registerPTXTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
class PTXWriter : public LLVM::ModuleToObject {
public:
  PTXWriter(gpu::GPUModuleOp module, const PTXOptions &options)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", options.chip,
                       options.features, options.optLevel) {}

protected:
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    FailureOr<SmallString<0>> text = translateModuleToISA(
        llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }
};
} // namespace

FailureOr<std::string> mlir::coda::translateToPTX(ModuleOp module,
                                                  const PTXOptions &options) {
  initializeBackEnd();
  std::string text;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    std::optional<SmallVector<char, 0>> ptx = PTXWriter(kernels, options).run();
    if (!ptx)
      return failure();
    if (!text.empty())
      return kernels.emitError(
          "a second GPU module: kernels are loaded from one text");
    text.assign(ptx->begin(), ptx->end());
  }
  return text;
}

FailureOr<std::string> mlir::coda::compileToPTX(ModuleOp module,
                                                const PTXOptions &options) {
  DialectRegistry registry;
  registerPTXTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  PassManager pm(module.getContext());
  buildKernelsToLLVMPipeline(pm);
  if (failed(pm.run(module)))
    return failure();
  return translateToPTX(module, options);
}
