//===- Passes.td - Passes that produce code for a target -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_PASSES
#define CODA_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def EmbedPTXPass : Pass<"coda-embed-ptx", "::mlir::ModuleOp"> {
  let summary = "Replace GPU modules by their PTX";
  let description = [{
    Translates the gpu.modules of a module, whose bodies are in the LLVM dialect,
    to PTX with LLVM's NVPTX back end. The text, ending in a NUL, becomes the
    value of the global `coda_kernels_ptx`, which host code loads.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target of the kernels">,
    Option<"features", "features", "std::string", "\"+ptx83\"",
           "PTX version of the kernels">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // CODA_TARGET_PASSES
