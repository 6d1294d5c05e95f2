//===- Signature.cpp - What the functions of a module take and give -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/CPUProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace mlir::coda;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string printShape(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "no dimensions" : text;
}

/// "tensor<2x3xf32>" for a value as for a type.
static std::string printTensor(const HostTensor &tensor) {
  HostType type;
  type.element = tensor.getElement();
  type.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return type.str();
}

static std::optional<HostType> convertType(Type type) {
  HostType host;
  host.isScalar = !isa<ShapedType>(type);
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!isa<RankedTensorType, MemRefType>(type))
      return std::nullopt;
    auto buffer = dyn_cast<MemRefType>(type);
    if (buffer && (!buffer.getLayout().isIdentity() || buffer.getMemorySpace()))
      return std::nullopt;
    host.isBuffer = bool(buffer);
    host.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  }
  std::optional<ElementKind> element =
      getElementKind(getElementTypeOrSelf(type));
  if (!element)
    return std::nullopt;
  host.element = *element;
  return host;
}

/// Converts what it can; the text says what it cannot.
static std::string convertTypes(StringRef what, TypeRange types,
                                SmallVectorImpl<HostType> &host) {
  for (auto [index, type] : llvm::enumerate(types)) {
    std::optional<HostType> converted = convertType(type);
    if (!converted)
      return (what + " " + Twine(index) + " has type " + print(type) +
              ", expected a scalar, a ranked tensor or a row-major memref of "
              "i1, i8, i16, i32, i64, index, bf16, f16, f32, f64, f8E4M3FN or "
              "f8E5M2")
          .str();
    host.push_back(*converted);
  }
  return "";
}

static bool isDefinedInProcess(StringRef name) {
  using llvm::sys::DynamicLibrary;
  return DynamicLibrary::SearchForAddressOfSymbol(name.str()) ||
         DynamicLibrary::SearchForAddressOfSymbol("_mlir_ciface_" + name.str());
}

/// Name of a function that `function` calls, maybe through others, and that is
/// defined nowhere; empty if there is none.
static std::string findUndefinedCallee(func::FuncOp function,
                                       SymbolTable &symbols) {
  llvm::SetVector<func::FuncOp> reached;
  reached.insert(function);
  for (unsigned next = 0; next < reached.size(); ++next) {
    func::FuncOp caller = reached[next];
    if (caller.isExternal() && !isDefinedInProcess(caller.getName()))
      return caller.getName().str();
    caller.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        reached.insert(callee);
    });
  }
  return "";
}

llvm::Expected<SmallVector<HostSignature>>
mlir::coda::getSignatures(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<HostSignature> signatures;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    HostSignature signature;
    signature.name = function.getName().str();
    signature.problem = convertTypes("argument", function.getArgumentTypes(),
                                     signature.arguments);
    if (signature.problem.empty())
      signature.problem =
          convertTypes("result", function.getResultTypes(), signature.results);
    if (signature.problem.empty())
      if (std::string callee = findUndefinedCallee(function, symbols);
          !callee.empty())
        signature.problem = "calls '" + callee + "', which is not defined";
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

static bool fits(const HostType &type, const HostTensor &tensor) {
  ArrayRef<int64_t> shape = tensor.getShape();
  if (type.element != tensor.getElement() || type.shape.size() != shape.size())
    return false;
  return llvm::all_of(llvm::zip(type.shape, shape), [](auto sizes) {
    auto [declared, given] = sizes;
    return given >= 0 && (ShapedType::isDynamic(declared) || declared == given);
  });
}

llvm::Error mlir::coda::checkArguments(const HostSignature &function,
                                       ArrayRef<HostTensor> arguments) {
  if (!function.problem.empty())
    return llvm::createStringError("function '" + function.name +
                                   "': " + function.problem);
  if (arguments.size() != function.arguments.size())
    return llvm::createStringError(
        ("function '" + function.name + "': found " + Twine(arguments.size()) +
         " arguments, expected " + Twine(function.arguments.size()))
            .str());
  for (auto [index, type, tensor] :
       llvm::enumerate(function.arguments, arguments)) {
    std::string where =
        ("function '" + function.name + "': argument " + Twine(index)).str();
    if (!fits(type, tensor))
      return llvm::createStringError(where + " is " + printTensor(tensor) +
                                     ", expected " + type.str());
    if (!tensor.getData() && tensor.getNumElements() != 0)
      return llvm::createStringError(where + " has no data");
    if (type.isBuffer && !tensor.isRowMajor())
      return llvm::createStringError(where + " has strides " +
                                     printShape(tensor.getStrides()) +
                                     ", expected a row-major buffer of shape " +
                                     printShape(tensor.getShape()));
  }
  return llvm::Error::success();
}
