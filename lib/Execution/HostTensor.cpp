//===- HostTensor.cpp - Buffers of compiled functions -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/HostTensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static std::optional<ElementKind> getIntegerKind(unsigned width) {
  switch (width) {
  case 1:
    return ElementKind::I1;
  case 8:
    return ElementKind::I8;
  case 16:
    return ElementKind::I16;
  case 32:
    return ElementKind::I32;
  case 64:
    return ElementKind::I64;
  default:
    return std::nullopt;
  }
}

std::optional<ElementKind> mlir::coda::getElementKind(Type type) {
  using Kind = std::optional<ElementKind>;
  return llvm::TypeSwitch<Type, Kind>(type)
      .Case([](IntegerType type) { return getIntegerKind(type.getWidth()); })
      .Case([](IndexType) { return Kind(ElementKind::Index); })
      .Case([](BFloat16Type) { return Kind(ElementKind::BF16); })
      .Case([](Float16Type) { return Kind(ElementKind::F16); })
      .Case([](Float32Type) { return Kind(ElementKind::F32); })
      .Case([](Float64Type) { return Kind(ElementKind::F64); })
      .Case([](Float8E4M3FNType) { return Kind(ElementKind::F8E4M3FN); })
      .Case([](Float8E5M2Type) { return Kind(ElementKind::F8E5M2); })
      .Default([](Type) { return Kind(); });
}

namespace {
struct ElementInfo {
  const char *name;
  unsigned size;
  bool isFloat;
};
} // namespace

static ElementInfo getInfo(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return {"i1", 1, false};
  case ElementKind::I8:
    return {"i8", 1, false};
  case ElementKind::I16:
    return {"i16", 2, false};
  case ElementKind::I32:
    return {"i32", 4, false};
  case ElementKind::I64:
    return {"i64", 8, false};
  case ElementKind::Index:
    return {"index", 8, false};
  case ElementKind::BF16:
    return {"bf16", 2, true};
  case ElementKind::F16:
    return {"f16", 2, true};
  case ElementKind::F32:
    return {"f32", 4, true};
  case ElementKind::F64:
    return {"f64", 8, true};
  case ElementKind::F8E4M3FN:
    return {"f8E4M3FN", 1, true};
  case ElementKind::F8E5M2:
    return {"f8E5M2", 1, true};
  }
  llvm_unreachable("unknown element kind");
}

unsigned mlir::coda::getElementSize(ElementKind kind) {
  return getInfo(kind).size;
}
StringRef mlir::coda::getElementName(ElementKind kind) {
  return getInfo(kind).name;
}
bool mlir::coda::isFloat(ElementKind kind) { return getInfo(kind).isFloat; }

std::string HostType::str() const {
  std::string text;
  for (int64_t size : shape)
    text += (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
  text += getElementName(element);
  if (isScalar)
    return text;
  return (isBuffer ? "memref<" : "tensor<") + text + ">";
}

/// Value of a float of at most 16 bits with an implicit leading one.
/// `hasInfinity` is false for the "FN" formats, whose only special value is a
/// NaN of all ones.
static double decodeFloat(unsigned bits, unsigned exponentBits,
                          unsigned mantissaBits, bool hasInfinity) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  unsigned mantissa = bits & ((1 << mantissaBits) - 1);
  bool isNegative = (bits >> (exponentBits + mantissaBits)) & 1;
  double sign = isNegative ? -1.0 : 1.0;
  if (exponent == (1 << exponentBits) - 1) {
    if (hasInfinity)
      return mantissa ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    if (mantissa == (1u << mantissaBits) - 1)
      return std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - int(mantissaBits));
  return sign * std::ldexp(mantissa + (1u << mantissaBits),
                           exponent - bias - int(mantissaBits));
}

template <ElementKind kind> static double readFloat(const char *element) {
  auto load = [&](auto value) {
    std::memcpy(&value, element, sizeof(value));
    return value;
  };
  if constexpr (kind == ElementKind::F64)
    return load(double());
  if constexpr (kind == ElementKind::F32)
    return load(float());
  if constexpr (kind == ElementKind::BF16)
    return llvm::bit_cast<float>(uint32_t(load(uint16_t())) << 16);
  if constexpr (kind == ElementKind::F16)
    return decodeFloat(load(uint16_t()), 5, 10, /*hasInfinity=*/true);
  if constexpr (kind == ElementKind::F8E4M3FN)
    return decodeFloat(load(uint8_t()), 4, 3, /*hasInfinity=*/false);
  if constexpr (kind == ElementKind::F8E5M2)
    return decodeFloat(load(uint8_t()), 5, 2, /*hasInfinity=*/true);
}

/// Calls `fn` with a function that reads one element as f64.
template <typename Fn> static void withReader(ElementKind kind, Fn fn) {
  switch (kind) {
  case ElementKind::F64:
    return fn(readFloat<ElementKind::F64>);
  case ElementKind::F32:
    return fn(readFloat<ElementKind::F32>);
  case ElementKind::BF16:
    return fn(readFloat<ElementKind::BF16>);
  case ElementKind::F16:
    return fn(readFloat<ElementKind::F16>);
  case ElementKind::F8E4M3FN:
    return fn(readFloat<ElementKind::F8E4M3FN>);
  case ElementKind::F8E5M2:
    return fn(readFloat<ElementKind::F8E5M2>);
  default:
    llvm_unreachable("not a float");
  }
}

//===----------------------------------------------------------------------===//
// HostTensor
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * std::max<int64_t>(shape[dim + 1], 1);
  return strides;
}

llvm::Expected<HostTensor> HostTensor::allocate(ElementKind element,
                                                ArrayRef<int64_t> shape) {
  int64_t bytes = getElementSize(element);
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes))
      return llvm::createStringError("cannot allocate a buffer of %s elements "
                                     "with a dimension of size %lld",
                                     getElementName(element).data(),
                                     static_cast<long long>(size));
  // At least one byte, so that an empty buffer has an address of its own.
  void *data = std::calloc(std::max<int64_t>(bytes, 1), 1);
  if (!data)
    return llvm::createStringError("out of memory: %lld bytes requested",
                                   static_cast<long long>(bytes));
  return share(element, shape, getRowMajorStrides(shape), data,
               std::shared_ptr<void>(data, std::free));
}

HostTensor HostTensor::borrow(ElementKind element, ArrayRef<int64_t> shape,
                              void *data, ArrayRef<int64_t> strides) {
  if (strides.empty())
    return share(element, shape, getRowMajorStrides(shape), data, nullptr);
  return share(element, shape, strides, data, nullptr);
}

HostTensor HostTensor::share(ElementKind element, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> strides, void *data,
                             std::shared_ptr<void> owner) {
  assert(shape.size() == strides.size() && "one stride for each dimension");
  HostTensor tensor;
  tensor.element = element;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides.assign(strides.begin(), strides.end());
  tensor.data = data;
  tensor.owner = std::move(owner);
  return tensor;
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool HostTensor::isRowMajor() const {
  int64_t expected = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    // The stride over a single element or over nothing is never used.
    if (shape[dim] != 1 && strides[dim] != expected)
      return getNumElements() == 0;
    expected *= shape[dim];
  }
  return true;
}

/// Calls `fn` with the offset of every element, in row-major order.
template <typename Fn>
static void forEachOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                          Fn fn) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t position = 0; position < count; ++position) {
    fn(offset);
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

static void copyElements(const HostTensor &from, HostTensor &to) {
  int64_t size = getElementSize(from.getElement());
  auto *source = static_cast<const char *>(from.getData());
  auto *target = static_cast<char *>(to.getData());
  if (from.isRowMajor()) {
    if (int64_t count = from.getNumElements())
      std::memcpy(target, source, count * size);
    return;
  }
  forEachOffset(from.getShape(), from.getStrides(), [&](int64_t offset) {
    std::memcpy(target, source + offset * size, size);
    target += size;
  });
}

static void widenElements(const HostTensor &from, HostTensor &to) {
  int64_t size = getElementSize(from.getElement());
  auto *source = static_cast<const char *>(from.getData());
  auto *target = static_cast<double *>(to.getData());
  withReader(from.getElement(), [&](auto read) {
    if (from.isRowMajor()) {
      for (int64_t i = 0, count = from.getNumElements(); i < count; ++i)
        target[i] = read(source + i * size);
      return;
    }
    forEachOffset(from.getShape(), from.getStrides(), [&](int64_t offset) {
      *target++ = read(source + offset * size);
    });
  });
}

llvm::Expected<HostTensor> HostTensor::copy(bool widen) const {
  bool widens = widen && isFloat(element);
  llvm::Expected<HostTensor> result =
      allocate(widens ? ElementKind::F64 : element, shape);
  if (!result)
    return result.takeError();
  if (widens)
    widenElements(*this, *result);
  else
    copyElements(*this, *result);
  return result;
}

double HostTensor::getFloat(int64_t position) const {
  int64_t offset = 0;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    offset += position % shape[dim] * strides[dim];
    position /= shape[dim];
  }
  double value = 0.0;
  withReader(element, [&](auto read) {
    value = read(static_cast<const char *>(data) +
                 offset * getElementSize(element));
  });
  return value;
}
