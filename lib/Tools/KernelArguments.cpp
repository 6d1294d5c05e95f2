//===- KernelArguments.cpp - Buffers and arguments of a kernel ------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/KernelArguments.h"

#include "coda/Emulator/TensorMap.h"
#include "coda/Tools/Npy.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace mlir::coda;
using coda::emulator::Parameter;
using coda::emulator::TensorMap;
using llvm::StringRef;
using llvm::Twine;

size_t KernelBuffer::getNumBytes() const {
  size_t bytes = getElementSize(element);
  for (int64_t size : shape)
    bytes *= size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static std::optional<ElementKind> parseElement(StringRef text) {
  using Kind = std::optional<ElementKind>;
  return llvm::StringSwitch<Kind>(text)
      .Cases({"u8", "s8", "i8"}, ElementKind::I8)
      .Cases({"u16", "s16", "i16"}, ElementKind::I16)
      .Cases({"u32", "s32", "i32"}, ElementKind::I32)
      .Cases({"u64", "s64", "i64"}, ElementKind::I64)
      .Case("bf16", ElementKind::BF16)
      .Case("f16", ElementKind::F16)
      .Case("f32", ElementKind::F32)
      .Case("f64", ElementKind::F64)
      .Default(std::nullopt);
}

/// `2x3`; true on failure. Any product of the numbers fits 47 bits, as memory.
template <typename T>
static bool parseShape(StringRef text, llvm::SmallVectorImpl<T> &shape) {
  constexpr uint64_t maxCount = uint64_t(1) << 47;
  uint64_t count = 1;
  while (true) {
    auto [first, rest] = text.split('x');
    uint64_t size;
    if (first.getAsInteger(10, size) || size > maxCount ||
        (size != 0 && count > maxCount / size))
      return true;
    count *= size;
    shape.push_back(size);
    if (rest.empty())
      return text.ends_with("x");
    text = rest;
  }
}

llvm::Error mlir::coda::parseKernelBuffer(StringRef text,
                                          KernelBuffers &buffers) {
  auto error = [&](const Twine &reason) {
    return llvm::createStringError("--buffer=" + text + ": " + reason);
  };
  auto [name, description] = text.split('=');
  size_t end = description.find_first_of(":[");
  std::optional<ElementKind> element =
      parseElement(description.take_front(end));
  if (name.empty() || end == StringRef::npos || !element)
    return error("expected NAME=TYPE:FILE.npy or NAME=TYPE[2x3], with a type "
                 "such as bf16, f32 or u32");
  KernelBuffer buffer;
  buffer.element = *element;
  StringRef rest = description.drop_front(end + 1);
  if (description[end] == '[') {
    if (!rest.consume_back("]") || parseShape(rest, buffer.shape))
      return error("expected sizes such as [2x3]");
  } else {
    llvm::Expected<HostTensor> contents =
        readNpy(rest, *element, /*bf16AsUint16=*/true);
    if (!contents)
      return contents.takeError();
    buffer.shape.assign(contents->getShape().begin(),
                        contents->getShape().end());
    buffer.contents = std::move(*contents);
  }
  if (!buffers.insert({name.str(), std::move(buffer)}).second)
    return error("a second buffer of that name");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

template <typename T> static std::vector<uint8_t> toBytes(const T &value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// The bytes of `u32:7`; nothing if it is no number of a known type.
static std::optional<std::vector<uint8_t>> parseNumber(StringRef type,
                                                       StringRef text) {
  double real;
  if (type == "f32" || type == "f64") {
    if (text.getAsDouble(real))
      return std::nullopt;
    return type == "f32" ? toBytes(static_cast<float>(real)) : toBytes(real);
  }
  unsigned bits = 0;
  bool isSigned = type.starts_with("s");
  if (type.drop_front(1).getAsInteger(10, bits) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return std::nullopt;
  int64_t value;
  uint64_t unsignedValue;
  if (isSigned ? text.getAsInteger(0, value) || !llvm::isIntN(bits, value)
               : text.getAsInteger(0, unsignedValue) ||
                     !llvm::isUIntN(bits, unsignedValue))
    return std::nullopt;
  std::vector<uint8_t> bytes =
      isSigned ? toBytes(value) : toBytes(unsignedValue);
  bytes.resize(bits / 8);
  return bytes;
}

namespace {
/// Parts of `map:NAME,box=...`.
struct MapText {
  StringRef buffer;
  llvm::SmallVector<uint64_t> box, dims, strides;
  uint64_t swizzle = 0, offset = 0;
  bool fillsWithNaN = false;
};
} // namespace

static llvm::Error parseMapText(StringRef text, MapText &map) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  map.buffer = parts.front();
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [key, value] = part.split('=');
    bool failed = true;
    if (key == "box")
      failed = parseShape(value, map.box);
    else if (key == "dims")
      failed = parseShape(value, map.dims);
    else if (key == "strides")
      failed = parseShape(value, map.strides);
    else if (key == "swizzle")
      failed = value.getAsInteger(10, map.swizzle) ||
               !llvm::is_contained({0, 32, 64, 128}, int(map.swizzle));
    else if (key == "offset")
      failed = value.getAsInteger(10, map.offset);
    else if (key == "fill")
      failed = !(map.fillsWithNaN = value == "nan");
    if (failed)
      return llvm::createStringError(
          "found '" + part +
          "', expected box=64x128, dims=.., strides=.., "
          "swizzle=0|32|64|128, offset=.. or fill=nan");
  }
  return llvm::Error::success();
}

static llvm::Expected<std::vector<uint8_t>>
encodeMap(MapText text, const KernelBuffer &buffer, uint64_t address) {
  TensorMap map;
  map.elementBytes = getElementSize(buffer.element);
  // Shapes name the innermost dimension last.
  if (text.dims.empty())
    text.dims.assign(buffer.shape.rbegin(), buffer.shape.rend());
  if (text.strides.empty()) {
    uint64_t stride = map.elementBytes;
    for (uint64_t size : llvm::ArrayRef(text.dims).drop_back())
      text.strides.push_back(stride *= size);
  }
  size_t rank = text.dims.size();
  if (rank < 1 || rank > TensorMap::maxRank || text.box.size() != rank ||
      text.strides.size() != rank - 1)
    return llvm::createStringError(
        "a tensor map of %zu dimensions with %zu sizes of a box and %zu "
        "strides; expected 1 to 5 dimensions, as many sizes and one stride "
        "less",
        rank, text.box.size(), text.strides.size());
  map.rank = rank;
  map.address = address + text.offset;
  map.strides[0] = map.elementBytes;
  map.swizzleBytes = text.swizzle;
  map.fillsWithNaN = text.fillsWithNaN;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (text.dims[dim] < 1 || text.dims[dim] > uint64_t(1) << 32 ||
        text.box[dim] > 256)
      return llvm::createStringError(
          "dimension %zu has %llu elements and %llu in the box; expected 1 to "
          "2^32 and at most 256",
          dim, static_cast<unsigned long long>(text.dims[dim]),
          static_cast<unsigned long long>(text.box[dim]));
    map.lastIndices[dim] = text.dims[dim] - 1;
    map.box[dim] = text.box[dim];
    if (dim > 0)
      map.strides[dim] = text.strides[dim - 1];
  }
  std::vector<uint8_t> bytes(TensorMap::encodedBytes);
  if (std::optional<std::string> error = encodeTensorMap(map, bytes.data()))
    return llvm::createStringError(*error);
  return bytes;
}

/// The buffer that an argument names, or an error with all names.
static llvm::Expected<const KernelBuffer *>
findBuffer(StringRef name, const KernelBuffers &buffers) {
  auto found = buffers.find(name.str());
  if (found != buffers.end())
    return &found->second;
  std::string known;
  for (const auto &[other, buffer] : buffers)
    known += (known.empty() ? "" : ", ") + other;
  return llvm::createStringError(
      "'" + name + "' is neither a number such as u32:7 nor a buffer" +
      (known.empty() ? Twine() : "; the buffers are " + Twine(known)));
}

static llvm::Expected<std::vector<uint8_t>>
parseBytes(StringRef text, const KernelBuffers &buffers,
           const std::map<std::string, uint64_t> &addresses) {
  auto [type, number] = text.split(':');
  if (type == "map") {
    MapText map;
    if (llvm::Error error = parseMapText(number, map))
      return std::move(error);
    llvm::Expected<const KernelBuffer *> buffer =
        findBuffer(map.buffer, buffers);
    if (!buffer)
      return buffer.takeError();
    uint64_t address = addresses.at(map.buffer.str());
    return encodeMap(std::move(map), **buffer, address);
  }
  if (std::optional<std::vector<uint8_t>> bytes = parseNumber(type, number))
    return *bytes;
  auto [name, offsetText] = text.split('+');
  uint64_t offset = 0;
  if (!offsetText.empty() && offsetText.getAsInteger(0, offset))
    return llvm::createStringError("found '" + offsetText +
                                   "', expected an offset in bytes");
  llvm::Expected<const KernelBuffer *> buffer = findBuffer(name, buffers);
  if (!buffer)
    return buffer.takeError();
  return toBytes(addresses.at(name.str()) + offset);
}

llvm::Expected<std::vector<uint8_t>> mlir::coda::parseKernelArgument(
    StringRef text, const Parameter &parameter, const KernelBuffers &buffers,
    const std::map<std::string, uint64_t> &addresses) {
  llvm::Expected<std::vector<uint8_t>> bytes =
      parseBytes(text, buffers, addresses);
  if (!bytes)
    return llvm::createStringError("--arg=" + text + ": " +
                                   llvm::toString(bytes.takeError()));
  if (bytes->size() == parameter.size)
    return bytes;
  return llvm::createStringError(
      "--arg=" + text + " has " + Twine(bytes->size()) + " bytes, but '" +
      parameter.name + "' has " + Twine(parameter.size));
}
