//===- TensorMap.cpp - Tensor maps of the emulated GPU --------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Emulator/TensorMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace coda::emulator;

std::optional<std::string>
coda::emulator::findTensorMapError(const TensorMap &map) {
  constexpr uint64_t alignment = 16;
  constexpr uint64_t maxStride = uint64_t(1) << 40;
  constexpr unsigned maxBox = 256;
  auto error = [](auto &&...parts) -> std::optional<std::string> {
    return llvm::formatv(std::forward<decltype(parts)>(parts)...).str();
  };
  if (map.rank < 1 || map.rank > TensorMap::maxRank)
    return error("rank {0}, expected 1 to 5", map.rank);
  if (!llvm::is_contained({1, 2, 4, 8}, map.elementBytes))
    return error("elements of {0} bytes, expected 1, 2, 4 or 8",
                 map.elementBytes);
  if (!llvm::is_contained({0, 32, 64, 128}, map.swizzleBytes))
    return error("a swizzle of {0} bytes, expected 0, 32, 64 or 128",
                 map.swizzleBytes);
  if (map.address % alignment != 0)
    return error("address {0:x}, expected a multiple of 16", map.address);
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    if (map.box[dim] < 1 || map.box[dim] > maxBox)
      return error("box dimension {0} is {1}, expected 1 to 256", dim,
                   map.box[dim]);
    bool isBadStride = dim > 0 && (map.strides[dim] % alignment != 0 ||
                                   map.strides[dim] >= maxStride);
    if (isBadStride)
      return error("stride {0} is {1} bytes, expected a multiple of 16 below "
                   "2^40",
                   dim, map.strides[dim]);
  }
  uint32_t rowBytes = uint32_t(map.box[0]) * map.elementBytes;
  if (rowBytes % alignment != 0)
    return error("rows of the box have {0} bytes, expected a multiple of 16",
                 rowBytes);
  if (map.swizzleBytes && rowBytes > map.swizzleBytes)
    return error("rows of the box have {0} bytes, more than the {1} of the "
                 "swizzle",
                 rowBytes, map.swizzleBytes);
  return std::nullopt;
}

std::optional<std::string> coda::emulator::encodeTensorMap(const TensorMap &map,
                                                           void *encoded) {
  if (std::optional<std::string> error = findTensorMapError(map))
    return error;
  std::memset(encoded, 0, TensorMap::encodedBytes);
  std::memcpy(encoded, &map, sizeof(map));
  return std::nullopt;
}
