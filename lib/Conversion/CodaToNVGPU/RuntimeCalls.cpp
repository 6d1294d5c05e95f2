//===- RuntimeCalls.cpp - Calls of the runtime -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::coda;

static ModuleOp getModule(ImplicitLocOpBuilder &b) {
  return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
}

Value RuntimeCalls::call(StringRef name, ValueRange arguments,
                         Type resultType) {
  ModuleOp module = getModule(b);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(module.lookupSymbol(name));
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type result =
        resultType ? resultType : LLVM::LLVMVoidType::get(b.getContext());
    function = LLVM::LLVMFuncOp::create(
        b, name,
        LLVM::LLVMFunctionType::get(result,
                                    SmallVector<Type>(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(b, function, arguments);
  return resultType ? call.getResult() : Value();
}

/// The address of a global; `create` makes it when there is none of the name.
static Value getGlobal(ImplicitLocOpBuilder &b, const Twine &name,
                       llvm::function_ref<LLVM::GlobalOp(StringRef)> create) {
  ModuleOp module = getModule(b);
  std::string text = name.str();
  auto global = dyn_cast_or_null<LLVM::GlobalOp>(module.lookupSymbol(text));
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = create(text);
  }
  return LLVM::AddressOfOp::create(b, global);
}

Value RuntimeCalls::getHandle(StringRef owner) {
  return getGlobal(b, "coda_handle_" + owner, [&](StringRef name) {
    return LLVM::GlobalOp::create(b, b.getI64Type(), /*isConstant=*/false,
                                  LLVM::Linkage::Internal, name,
                                  b.getI64IntegerAttr(0));
  });
}

Value RuntimeCalls::getImage() {
  return getGlobal(b, "coda_kernels_ptx", [&](StringRef name) {
    return LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                  /*isConstant=*/true, LLVM::Linkage::External,
                                  name, /*value=*/Attribute());
  });
}

Value RuntimeCalls::getText(StringRef text) {
  return getGlobal(b, "coda_name_" + text, [&](StringRef name) {
    auto bytes = b.getStringAttr(text + StringRef("\0", 1));
    return LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, bytes);
  });
}
