//===- TensorMap.h - Tensor maps of the emulated GPU ------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EMULATOR_TENSORMAP_H
#define CODA_EMULATOR_TENSORMAP_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace coda::emulator {

/// What a kernel parameter of 128 bytes holds. The layout is our own: that of
/// the hardware is not documented. Innermost dimension first.
struct TensorMap {
  static constexpr uint64_t magicNumber = 0x70616d2d61646f63;
  static constexpr unsigned maxRank = 5;
  static constexpr unsigned encodedBytes = 128;

  uint64_t magic = magicNumber;
  uint64_t address = 0;
  /// Bytes from one index to the next; strides[0] is that of an element.
  uint64_t strides[maxRank] = {0, 0, 0, 0, 0};
  /// Elements, less one: a dimension may have 2^32.
  uint32_t lastIndices[maxRank] = {0, 0, 0, 0, 0};
  uint16_t box[maxRank] = {1, 1, 1, 1, 1};
  uint8_t rank = 0;
  uint8_t elementBytes = 0;
  /// Bytes of the span that is swizzled: 0, 32, 64 or 128.
  uint8_t swizzleBytes = 0;
  bool fillsWithNaN = false;

  uint64_t getBoxBytes() const {
    uint64_t bytes = elementBytes;
    for (unsigned dim = 0; dim < rank; ++dim)
      bytes *= box[dim];
    return bytes;
  }
};
static_assert(sizeof(TensorMap) <= TensorMap::encodedBytes,
              "it travels as a kernel parameter");

/// What the hardware would not take of a map.
std::optional<std::string> findTensorMapError(const TensorMap &map);

/// Writes the map as a kernel takes it, or says what the hardware would not
/// take of it.
std::optional<std::string> encodeTensorMap(const TensorMap &map, void *encoded);

/// Moves 16-byte chunks of an address the way the hardware does: bits 4 to 6
/// are combined with bits 7 to 9, as many as the span has.
inline uint32_t swizzle(uint32_t address, unsigned spanBytes) {
  if (spanBytes < 32)
    return address;
  uint32_t mask = (spanBytes - 1) & ~0xfu;
  return address ^ (address >> 3 & mask);
}

} // namespace coda::emulator

#endif // CODA_EMULATOR_TENSORMAP_H
