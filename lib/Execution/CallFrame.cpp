//===- CallFrame.cpp - Arguments and results of one call -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrame.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::coda;

static size_t getSizeInFrame(const HostType &type) {
  if (type.isScalar)
    return getElementSize(type.element);
  return (3 + 2 * type.shape.size()) * sizeof(int64_t);
}

static size_t getAlignment(const HostType &type) {
  return type.isScalar ? getElementSize(type.element) : sizeof(int64_t);
}

CallFrame::CallFrame(const HostSignature &function, void (*release)(void *))
    : function(function), release(release) {
  size_t size = 0;
  for (const HostType &type : function.results) {
    size = llvm::alignTo(size, getAlignment(type));
    resultOffsets.push_back(size);
    size += getSizeInFrame(type);
  }
  results.resize(llvm::divideCeil(size, sizeof(int64_t)) + 1);
}

void CallFrame::addTensor(const HostTensor &tensor) {
  kept.push_back(tensor);
  int64_t address = reinterpret_cast<intptr_t>(tensor.getData());
  Descriptor descriptor = {address, address, 0};
  llvm::append_range(descriptor, tensor.getShape());
  llvm::append_range(descriptor, tensor.getStrides());
  descriptors.push_back(std::move(descriptor));
}

llvm::Error CallFrame::setArguments(ArrayRef<HostTensor> arguments) {
  for (auto [type, tensor] : llvm::zip(function.arguments, arguments)) {
    if (type.isScalar || tensor.isRowMajor()) {
      type.isScalar ? kept.push_back(tensor) : addTensor(tensor);
      continue;
    }
    llvm::Expected<HostTensor> copy = tensor.copy();
    if (!copy)
      return copy.takeError();
    addTensor(*copy);
  }

  // The vectors do not grow from here on: their elements have addresses.
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  pointers.push_back(results.data());
  // One tensor or several results come back through a pointer that goes first;
  // one scalar is returned by value, through the last packed argument.
  bool viaPointer =
      function.results.size() > 1 ||
      (function.results.size() == 1 && !function.results.front().isScalar);
  if (viaPointer)
    packed.push_back(&pointers.back());
  unsigned nextTensor = 0;
  for (auto [type, tensor] : llvm::zip(function.arguments, kept))
    packed.push_back(type.isScalar ? tensor.getData()
                                   : &pointers[nextTensor++]);
  if (!viaPointer)
    packed.push_back(results.data());
  return llvm::Error::success();
}

HostTensor CallFrame::takeTensor(const HostType &type, const char *memory) {
  Descriptor descriptor(3 + 2 * type.shape.size());
  std::memcpy(descriptor.data(), memory, getSizeInFrame(type));
  auto *allocated = reinterpret_cast<void *>(descriptor[0]);
  char *data = reinterpret_cast<char *>(descriptor[1]) +
               descriptor[2] * int64_t(getElementSize(type.element));
  auto values = ArrayRef<int64_t>(descriptor).drop_front(3);
  ArrayRef<int64_t> shape = values.take_front(type.shape.size());
  ArrayRef<int64_t> strides = values.take_back(type.shape.size());

  // Callers own what a function returns, but two results may be one buffer.
  auto known = llvm::find_if(
      owners, [&](const auto &owner) { return owner.first == allocated; });
  if (known == owners.end()) {
    owners.emplace_back(allocated, std::shared_ptr<void>(allocated, release));
    known = std::prev(owners.end());
  }
  return HostTensor::share(type.element, shape, strides, data, known->second);
}

HostTensor CallFrame::takeScalar(const HostType &type, const char *memory) {
  auto storage = std::make_shared<int64_t>(0);
  std::memcpy(storage.get(), memory, getElementSize(type.element));
  return HostTensor::share(type.element, {}, {}, storage.get(), storage);
}

SmallVector<HostTensor> CallFrame::takeResults() {
  SmallVector<HostTensor> tensors;
  const char *base = reinterpret_cast<const char *>(results.data());
  for (auto [type, offset] : llvm::zip(function.results, resultOffsets))
    tensors.push_back(type.isScalar ? takeScalar(type, base + offset)
                                    : takeTensor(type, base + offset));
  return tensors;
}
