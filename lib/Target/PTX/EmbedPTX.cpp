//===- EmbedPTX.cpp - Kernels as a constant of the host -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Target/PTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::coda {
#define GEN_PASS_DEF_EMBEDPTXPASS
#include "coda/Target/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;
using namespace mlir::coda;

static constexpr StringLiteral imageName = "coda_kernels_ptx";

namespace {
struct EmbedPTX : public coda::impl::EmbedPTXPassBase<EmbedPTX> {
  using EmbedPTXPassBase::EmbedPTXPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmbedPTXPassBase::getDependentDialects(registry);
    registerPTXTranslation(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PTXOptions options;
    options.chip = chip;
    options.features = features;
    FailureOr<std::string> text = translateToPTX(module, options);
    if (failed(text))
      return signalPassFailure();
    if (text->empty())
      return;
    for (auto kernels :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      kernels.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    embed(module, *text);
  }

private:
  /// Host code refers to the global before it has a value.
  void embed(ModuleOp module, StringRef text) {
    if (Operation *declaration = module.lookupSymbol(imageName))
      declaration->erase();
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto bytes = b.getStringAttr(text + StringRef("\0", 1));
    LLVM::GlobalOp::create(
        b, module.getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, imageName, bytes);
  }
};
} // namespace
