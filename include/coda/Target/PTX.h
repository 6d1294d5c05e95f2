//===- PTX.h - From GPU modules to PTX -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is written in process by LLVM's NVPTX back end. Neither a CUDA toolkit
// nor libdevice is needed: kernels call no library.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_PTX_H
#define CODA_TARGET_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include <string>

namespace mlir {
class OpPassManager;

namespace coda {

#define GEN_PASS_DECL
#include "coda/Target/Passes.h.inc"

struct PTXOptions {
  std::string chip = "sm_90a";
  /// The PTX version, as the back end spells it.
  std::string features = "+ptx83";
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
};

/// The interfaces that translating kernels needs.
void registerPTXTranslation(DialectRegistry &registry);

/// PTX of all gpu.modules of a module, whose bodies are in the LLVM dialect.
/// Empty when there are none; a failure has been emitted.
FailureOr<std::string> translateToPTX(ModuleOp module,
                                      const PTXOptions &options);

/// The same for what `coda-to-nvgpu` leaves behind: kernels are lowered to the
/// LLVM dialect first, in place.
FailureOr<std::string> compileToPTX(ModuleOp module, const PTXOptions &options);

/// Takes the bodies of gpu.modules to the LLVM dialect.
void buildKernelsToLLVMPipeline(OpPassManager &pm);

struct CodaToPTXOptions : PassPipelineOptions<CodaToPTXOptions> {
  Option<bool> rewrite{*this, "rewrite",
                       llvm::cl::desc("Run coda-rewrite before anything else"),
                       llvm::cl::init(true)};
};

/// From linalg or coda on tensors to host code on memrefs that launches
/// kernels, whose PTX is a constant of the module.
void buildCodaToPTXPipeline(OpPassManager &pm, const CodaToPTXOptions &options);

/// Takes what coda-to-ptx leaves behind to the LLVM dialect for the host.
void buildHostToLLVMPipeline(OpPassManager &pm);

/// Registers `coda-to-ptx` and its siblings.
void registerTargetPipelines();

#define GEN_PASS_REGISTRATION
#include "coda/Target/Passes.h.inc"

} // namespace coda
} // namespace mlir

#endif // CODA_TARGET_PTX_H
