//===- DynamicSizes.cpp - Sizes of arguments that the program leaves open -*-
// C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/DynamicSizes.h"
#include "coda/Report/DimClasses.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::coda;

DynamicSizes::DynamicSizes(FunctionOpInterface function,
                           const HostSignature &signature)
    : signature(signature) {
  DimClasses classes(function);
  llvm::DenseMap<unsigned, unsigned> leaders;
  ArrayRef<unsigned> dimClasses = classes.getArgumentDynamicDims();
  for (auto [argument, type] : llvm::enumerate(signature.arguments)) {
    for (auto [position, size] : llvm::enumerate(type.shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      unsigned number = dims.size();
      unsigned leader =
          leaders.try_emplace(classes.find(dimClasses[number]), number)
              .first->second;
      dims.push_back({static_cast<unsigned>(argument),
                      static_cast<unsigned>(position), leader});
    }
  }
}

llvm::Error DynamicSizes::set(unsigned number, int64_t value,
                              const llvm::Twine &source) {
  if (number >= dims.size())
    return llvm::createStringError("there is no dynamic size " +
                                   llvm::Twine(number) +
                                   ": the arguments of '" + signature.name +
                                   "' have " + llvm::Twine(dims.size()));
  if (value < 0)
    return llvm::createStringError("size " + llvm::Twine(number) + " is " +
                                   llvm::Twine(value) + ", expected 0 or more");
  auto [entry, isNew] =
      known.try_emplace(dims[number].leader, Known{value, source.str()});
  if (!isNew && entry->second.value != value)
    return llvm::createStringError(
        "sizes that must be equal differ: " + llvm::Twine(value) + " from " +
        source + ", but " + llvm::Twine(entry->second.value) + " from " +
        entry->second.source);
  return llvm::Error::success();
}

llvm::Error DynamicSizes::setFromArgument(unsigned argument,
                                          ArrayRef<int64_t> shape) {
  for (auto [number, dim] : llvm::enumerate(dims)) {
    if (dim.argument != argument)
      continue;
    if (llvm::Error error = set(number, shape[dim.position],
                                "dimension " + llvm::Twine(dim.position) +
                                    " of argument " + llvm::Twine(argument)))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<SmallVector<int64_t>>
DynamicSizes::getShape(unsigned argument) const {
  SmallVector<int64_t> shape = signature.arguments[argument].shape;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    if (dim.argument != argument)
      continue;
    auto found = known.find(dim.leader);
    if (found == known.end())
      return llvm::createStringError(
          "dimension " + llvm::Twine(dim.position) + " of argument " +
          llvm::Twine(argument) + " (" + signature.arguments[argument].str() +
          ") is dynamic: give it with --size=" + llvm::Twine(number) +
          "=V or through an --input");
    shape[dim.position] = found->second.value;
  }
  return shape;
}
