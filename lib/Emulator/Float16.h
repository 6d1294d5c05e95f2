//===- Float16.h - Floats of 16 bits ----------------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_FLOAT16_H
#define CODA_LIB_EMULATOR_FLOAT16_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>

namespace coda::emulator {

/// The bits, in types that differ from integers and from each other.
struct BFloat {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

inline float toFloat(BFloat value) {
  return llvm::bit_cast<float>(uint32_t(value.bits) << 16);
}

/// Rounds to nearest, ties to even; every NaN becomes 0x7fff, as the hardware
/// has it.
inline BFloat toBFloat(float value) {
  if (std::isnan(value))
    return {0x7fff};
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  bits += 0x7fff + (bits >> 16 & 1);
  return {static_cast<uint16_t>(bits >> 16)};
}

inline float toFloat(Half value) {
  uint32_t sign = uint32_t(value.bits & 0x8000) << 16;
  uint32_t exponent = value.bits >> 10 & 0x1f;
  uint32_t fraction = value.bits & 0x3ff;
  if (exponent == 0x1f)
    return llvm::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return llvm::bit_cast<float>(sign | (exponent + 112) << 23 |
                                 fraction << 13);
  float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  return sign ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even; every NaN becomes 0x7fff.
inline Half toHalf(float value) {
  if (std::isnan(value))
    return {0x7fff};
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  float magnitude = std::fabs(value);
  // Halfway between the largest number and the next power of two.
  if (magnitude >= 65520.0f)
    return {static_cast<uint16_t>(sign | 0x7c00)};
  if (magnitude < 0x1p-14f)
    return {static_cast<uint16_t>(
        sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)))};
  uint32_t bits = llvm::bit_cast<uint32_t>(magnitude) - (112u << 23);
  bits += 0xfff + (bits >> 13 & 1);
  return {static_cast<uint16_t>(sign | bits >> 13)};
}

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_FLOAT16_H
