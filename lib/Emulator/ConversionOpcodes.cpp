//===- ConversionOpcodes.cpp - Conversions between numbers ----------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float16.h"
#include "LaneFunction.h"

#include <limits>

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To convertInteger(From a) {
  return static_cast<To>(a);
}
template <typename To, typename From> static To convertSaturated(From a) {
  if (a < From(0))
    return std::is_signed_v<To> &&
                   int64_t(a) >= int64_t(std::numeric_limits<To>::min())
               ? static_cast<To>(a)
               : std::numeric_limits<To>::min();
  return uint64_t(a) > uint64_t(std::numeric_limits<To>::max())
             ? std::numeric_limits<To>::max()
             : static_cast<To>(a);
}

template <typename To, typename From>
static void addIntegers(llvm::StringMap<LaneOpcode> &opcodes,
                        const std::string &to, const std::string &from) {
  opcodes["cvt." + to + "." + from] = makeOpcode<convertInteger<To, From>>();
  // Where nothing can be too large PTX knows no saturation.
  constexpr bool isSubset =
      std::is_signed_v<To> == std::is_signed_v<From>
          ? sizeof(To) >= sizeof(From)
          : std::is_signed_v<To> && sizeof(To) > sizeof(From);
  if constexpr (!isSubset)
    opcodes["cvt.sat." + to + "." + from] =
        makeOpcode<convertSaturated<To, From>>();
}

template <typename To>
static void addIntegersTo(llvm::StringMap<LaneOpcode> &opcodes,
                          const std::string &to) {
  addIntegers<To, uint8_t>(opcodes, to, "u8");
  addIntegers<To, int8_t>(opcodes, to, "s8");
  addIntegers<To, uint16_t>(opcodes, to, "u16");
  addIntegers<To, int16_t>(opcodes, to, "s16");
  addIntegers<To, uint32_t>(opcodes, to, "u32");
  addIntegers<To, int32_t>(opcodes, to, "s32");
  addIntegers<To, uint64_t>(opcodes, to, "u64");
  addIntegers<To, int64_t>(opcodes, to, "s64");
}

//===----------------------------------------------------------------------===//
// Integers and floats
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To fromInteger(From a) {
  return static_cast<To>(a);
}

enum class Rounding { Nearest, Zero, Down, Up };

template <Rounding rounding, typename T> static T roundFloat(T a) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(a);
  case Rounding::Zero:
    return std::trunc(a);
  case Rounding::Down:
    return std::floor(a);
  case Rounding::Up:
    return std::ceil(a);
  }
}

/// Values outside the range give its nearer end. NaN gives zero, or the highest
/// bit where one of the types has 64 bits, as on an H200.
template <Rounding rounding, typename To, typename From>
static To toInteger(From a) {
  if (std::isnan(a)) {
    bool isWide = sizeof(From) == 8 || sizeof(To) == 8;
    return isWide ? static_cast<To>(uint64_t(1) << (8 * sizeof(To) - 1))
                  : To(0);
  }
  double rounded = roundFloat<rounding>(double(a));
  if (rounded <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (rounded >= double(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(rounded);
}

template <typename Float, typename Integer>
static void addMixed(llvm::StringMap<LaneOpcode> &opcodes,
                     const std::string &real, const std::string &integer) {
  opcodes["cvt.rn." + real + "." + integer] =
      makeOpcode<fromInteger<Float, Integer>>();
  std::string types = "." + integer + "." + real;
  opcodes["cvt.rni" + types] =
      makeOpcode<toInteger<Rounding::Nearest, Integer, Float>>();
  opcodes["cvt.rzi" + types] =
      makeOpcode<toInteger<Rounding::Zero, Integer, Float>>();
  opcodes["cvt.rmi" + types] =
      makeOpcode<toInteger<Rounding::Down, Integer, Float>>();
  opcodes["cvt.rpi" + types] =
      makeOpcode<toInteger<Rounding::Up, Integer, Float>>();
}

template <typename Float>
static void addMixedAll(llvm::StringMap<LaneOpcode> &opcodes,
                        const std::string &real) {
  addMixed<Float, uint8_t>(opcodes, real, "u8");
  addMixed<Float, int8_t>(opcodes, real, "s8");
  addMixed<Float, uint16_t>(opcodes, real, "u16");
  addMixed<Float, int16_t>(opcodes, real, "s16");
  addMixed<Float, uint32_t>(opcodes, real, "u32");
  addMixed<Float, int32_t>(opcodes, real, "s32");
  addMixed<Float, uint64_t>(opcodes, real, "u64");
  addMixed<Float, int64_t>(opcodes, real, "s64");
  std::string types = "." + real + "." + real;
  opcodes["cvt.rni" + types] =
      makeOpcode<roundFloat<Rounding::Nearest, Float>>();
  opcodes["cvt.rzi" + types] = makeOpcode<roundFloat<Rounding::Zero, Float>>();
  opcodes["cvt.rmi" + types] = makeOpcode<roundFloat<Rounding::Down, Float>>();
  opcodes["cvt.rpi" + types] = makeOpcode<roundFloat<Rounding::Up, Float>>();
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double widen(float a) { return a; }
static float narrowDouble(double a) { return a; }
template <typename T> static float widenNarrow(T a) { return toFloat(a); }

/// The first operand is the upper half.
template <typename T, T (*round)(float)>
static uint32_t pack(float high, float low) {
  return uint32_t(round(high).bits) << 16 | round(low).bits;
}
static float positive(float a) { return a > 0 ? a : 0; }
template <typename T, T (*round)(float)>
static uint32_t packPositive(float high, float low) {
  return pack<T, round>(std::isnan(high) ? high : positive(high),
                        std::isnan(low) ? low : positive(low));
}

void coda::emulator::addConversionOpcodes(
    llvm::StringMap<LaneOpcode> &opcodes) {
  addIntegersTo<uint8_t>(opcodes, "u8");
  addIntegersTo<int8_t>(opcodes, "s8");
  addIntegersTo<uint16_t>(opcodes, "u16");
  addIntegersTo<int16_t>(opcodes, "s16");
  addIntegersTo<uint32_t>(opcodes, "u32");
  addIntegersTo<int32_t>(opcodes, "s32");
  addIntegersTo<uint64_t>(opcodes, "u64");
  addIntegersTo<int64_t>(opcodes, "s64");
  addMixedAll<float>(opcodes, "f32");
  addMixedAll<double>(opcodes, "f64");
  opcodes["cvt.f64.f32"] = makeOpcode<widen>();
  opcodes["cvt.rn.f32.f64"] = makeOpcode<narrowDouble>();
  opcodes["cvt.f32.bf16"] = makeOpcode<widenNarrow<BFloat>>();
  opcodes["cvt.f32.f16"] = makeOpcode<widenNarrow<Half>>();
  opcodes["cvt.rn.bf16.f32"] = makeOpcode<toBFloat>();
  opcodes["cvt.rn.f16.f32"] = makeOpcode<toHalf>();
  opcodes["cvt.rn.bf16x2.f32"] = makeOpcode<pack<BFloat, toBFloat>>();
  opcodes["cvt.rn.f16x2.f32"] = makeOpcode<pack<Half, toHalf>>();
  opcodes["cvt.rn.relu.bf16x2.f32"] =
      makeOpcode<packPositive<BFloat, toBFloat>>();
  opcodes["cvt.rn.relu.f16x2.f32"] = makeOpcode<packPositive<Half, toHalf>>();
}
