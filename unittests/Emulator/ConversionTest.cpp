//===- ConversionTest.cpp - Conversions of the emulator -------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace coda::emulator;
using namespace coda::emulator::test;

namespace {

uint64_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }
uint64_t bits(double value) { return llvm::bit_cast<uint64_t>(value); }

struct IntegerType {
  const char *name;
  unsigned width;
  bool isSigned;

  /// Types of 8 bits live in registers of 16.
  std::string getRegister() const {
    return "b" + std::to_string(std::max(width, 16u));
  }
  __extension__ typedef __int128 Wide;
  Wide min() const { return isSigned ? -(Wide(1) << (width - 1)) : 0; }
  Wide max() const { return (Wide(1) << (width - isSigned)) - 1; }
  /// A number of the type from the low bits.
  Wide read(uint64_t value) const {
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    Wide number = value & mask;
    return number > max() ? number - (Wide(1) << width) : number;
  }
  /// What a register holds of a number: a signed result of 8 bits extends to
  /// the 16 of its register in memory; only the type's own bits are compared.
  uint64_t write(Wide value) const {
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    return uint64_t(value) & mask;
  }
};

constexpr IntegerType types[] = {{"u8", 8, false},   {"s8", 8, true},
                                 {"u16", 16, false}, {"s16", 16, true},
                                 {"u32", 32, false}, {"s32", 32, true},
                                 {"u64", 64, false}, {"s64", 64, true}};

/// As checkOpcode, for results of an integer type.
void checkInteger(const std::string &opcode, const IntegerType &to,
                  const std::string &from, const std::vector<Case> &cases) {
  auto results = runOpcode(opcode, to.getRegister(), {from}, cases);
  for (size_t at = 0; at < cases.size(); ++at)
    EXPECT_EQ(to.write(results[at]), cases[at].result)
        << opcode << " " << std::hex << cases[at].operands[0];
}

} // namespace

TEST(Conversion, Integers) {
  for (const IntegerType &to : types)
    for (const IntegerType &from : types) {
      std::vector<Case> plain, saturated;
      for (uint64_t value :
           {uint64_t(0), uint64_t(1), uint64_t(0x7f), uint64_t(0x80),
            uint64_t(0xff), uint64_t(0x7fff), uint64_t(0x8000),
            uint64_t(0xffff), uint64_t(0x7fffffff), uint64_t(0x80000000),
            uint64_t(0xffffffff), uint64_t(0x7fffffffffffffff),
            uint64_t(0x8000000000000000), ~uint64_t(0),
            uint64_t(0x123456789abcdef0)}) {
        IntegerType::Wide number = from.read(value);
        plain.push_back({{value}, to.write(number)});
        saturated.push_back(
            {{value}, to.write(std::clamp(number, to.min(), to.max()))});
      }
      std::string suffix = "." + std::string(to.name) + "." + from.name;
      checkInteger("cvt" + suffix, to, from.getRegister(), plain);
      // PTX has no saturation where nothing can be too large.
      if (to.min() > from.min() || to.max() < from.max())
        checkInteger("cvt.sat" + suffix, to, from.getRegister(), saturated);
    }
}

template <typename T> static T roundTo(T value, const std::string &mode) {
  return mode == "rni"   ? std::nearbyint(value)
         : mode == "rzi" ? std::trunc(value)
         : mode == "rmi" ? std::floor(value)
                         : std::ceil(value);
}

template <typename T> static std::vector<T> getNumbers() {
  return {T(0),
          T(-0.0),
          T(0.5),
          T(-0.5),
          T(1.5),
          T(2.5),
          T(-1.5),
          T(-2.5),
          T(0.75),
          T(-0.25),
          T(127.5),
          T(128),
          T(-128.5),
          T(-129),
          T(255.5),
          T(256),
          T(32768),
          T(-32769),
          T(65535.5),
          T(2147483648.0),
          T(-2147483648.0),
          T(4294967296.0),
          T(0x1p63),
          T(-0x1p63),
          T(0x1p64),
          T(-1),
          T(1e30),
          T(-1e30),
          std::numeric_limits<T>::infinity(),
          -std::numeric_limits<T>::infinity(),
          std::numeric_limits<T>::denorm_min()};
}

// Out of range gives the nearer end: "saturation is the default for
// float-to-integer conversions".
template <typename T>
static void checkToIntegers(const std::string &real, const std::string &reg) {
  for (const char *mode : {"rni", "rzi", "rmi", "rpi"})
    for (const IntegerType &to : types) {
      std::vector<Case> cases;
      for (T value : getNumbers<T>()) {
        T rounded = roundTo(value, mode);
        IntegerType::Wide number = rounded <= T(to.min()) ? to.min()
                                   : rounded >= T(to.max())
                                       ? to.max()
                                       : IntegerType::Wide(rounded);
        cases.push_back({{bits(value)}, to.write(number)});
      }
      checkInteger("cvt." + std::string(mode) + "." + to.name + "." + real, to,
                   reg, cases);
    }
}

TEST(Conversion, FloatToInteger) {
  checkToIntegers<float>("f32", "b32");
  checkToIntegers<double>("f64", "b64");
}

// NaN is 0 among types of 32 bits and less; with 64 bits anywhere, the highest
// bit, as on an H200.
TEST(Conversion, NaNToInteger) {
  for (const IntegerType &to : types) {
    uint64_t highest = uint64_t(1) << (to.width - 1);
    checkInteger("cvt.rzi." + std::string(to.name) + ".f32", to, "b32",
                 {{{bits(NAN)}, to.width == 64 ? highest : 0}});
    checkInteger("cvt.rzi." + std::string(to.name) + ".f64", to, "b64",
                 {{{bits(double(NAN))}, highest}});
  }
}

TEST(Conversion, IntegerToFloat) {
  for (const IntegerType &from : types) {
    std::vector<Case> single, both;
    for (uint64_t value :
         {uint64_t(0), uint64_t(1), ~uint64_t(0), uint64_t(0x80),
          uint64_t(0x8000), uint64_t(0x80000000), uint64_t(0x8000000000000000),
          // Ties of f32: 2^24 + 1 and 2^24 + 3; of f64: 2^53 + 1.
          uint64_t(0x1000001), uint64_t(0x1000003), uint64_t(0x20000000000001),
          uint64_t(0x7fffffffffffffff)}) {
      IntegerType::Wide number = from.read(value);
      float narrow =
          from.isSigned ? float(int64_t(number)) : float(uint64_t(number));
      double wide =
          from.isSigned ? double(int64_t(number)) : double(uint64_t(number));
      single.push_back({{value}, bits(narrow)});
      both.push_back({{value}, bits(wide)});
    }
    checkOpcode("cvt.rn.f32." + std::string(from.name), "b32",
                {from.getRegister()}, single);
    checkOpcode("cvt.rn.f64." + std::string(from.name), "b64",
                {from.getRegister()}, both);
  }
}

TEST(Conversion, RoundToIntegralFloat) {
  for (std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
    std::vector<Case> single, twice;
    for (float value : getNumbers<float>())
      single.push_back({{bits(value)}, bits(roundTo(value, mode))});
    for (double value : getNumbers<double>())
      twice.push_back({{bits(value)}, bits(roundTo(value, mode))});
    checkOpcode("cvt." + mode + ".f32.f32", "b32", {"b32"}, single);
    checkOpcode("cvt." + mode + ".f64.f64", "b64", {"b64"}, twice);
  }
}

TEST(Conversion, SingleAndDouble) {
  checkOpcode("cvt.f64.f32", "b64", {"b32"},
              {{{bits(1.5f)}, bits(1.5)},
               {{bits(-0.f)}, bits(-0.0)},
               {{bits(INFINITY)}, bits(double(INFINITY))},
               {{1}, bits(0x1p-149)}});
  checkOpcode("cvt.rn.f32.f64", "b32", {"b64"},
              {// Ties go to even.
               {{bits(1 + 0x1p-24)}, bits(1.f)},
               {{bits(1 + 0x3p-24)}, bits(1 + 0x1p-22f)},
               {{bits(1 + 0x1p-24 + 0x1p-50)}, bits(1 + 0x1p-23f)},
               {{bits(1e300)}, bits(INFINITY)},
               {{bits(-1e-300)}, bits(-0.f)},
               {{bits(0x1p-149)}, 1}});
}

static const std::vector<Case> toBFloat = {
    {{bits(1.f)}, 0x3f80},
    {{bits(-0.f)}, 0x8000},
    // Ties: 1 + 2^-8 is between 0x3f80 and 0x3f81.
    {{0x3f808000}, 0x3f80},
    {{0x3f818000}, 0x3f82},
    {{0x3f808001}, 0x3f81},
    {{0x3f807fff}, 0x3f80},
    // The largest float is nearer to infinity.
    {{0x7f7fffff}, 0x7f80},
    {{0x7f7f7fff}, 0x7f7f},
    {{bits(INFINITY)}, 0x7f80},
    {{bits(-INFINITY)}, 0xff80},
    {{bits(NAN)}, 0x7fff},
    {{0xffc00001}, 0x7fff},
    {{0x7f800001}, 0x7fff},
    // Subnormal numbers stay.
    {{0x00010000}, 0x0001},
    {{0x00008000}, 0x0000},
    {{0x00018000}, 0x0002}};

static const std::vector<Case> toHalf = {
    {{bits(1.f)}, 0x3c00},
    {{bits(-2.f)}, 0xc000},
    {{bits(-0.f)}, 0x8000},
    // Ties: 1 + 2^-11 is between 0x3c00 and 0x3c01.
    {{bits(1 + 0x1p-11f)}, 0x3c00},
    {{bits(1 + 0x3p-11f)}, 0x3c02},
    {{bits(1 + 0x1p-11f + 0x1p-20f)}, 0x3c01},
    {{bits(65504.f)}, 0x7bff},
    {{bits(65519.99f)}, 0x7bff},
    {{bits(65520.f)}, 0x7c00},
    {{bits(-1e30f)}, 0xfc00},
    {{bits(INFINITY)}, 0x7c00},
    {{bits(NAN)}, 0x7fff},
    {{0xff800001}, 0x7fff},
    {{bits(0x1p-14f)}, 0x0400},
    {{bits(0x1p-24f)}, 0x0001},
    // Ties below the normal numbers, and up into them.
    {{bits(0x1p-25f)}, 0x0000},
    {{bits(0x3p-25f)}, 0x0002},
    {{bits(0x1p-14f - 0x1p-25f)}, 0x0400},
    {{1}, 0x0000}};

TEST(Conversion, Narrow) {
  checkOpcode("cvt.rn.bf16.f32", "b16", {"b32"}, toBFloat);
  checkOpcode("cvt.rn.f16.f32", "b16", {"b32"}, toHalf);
}

// "The value converted from input a is stored in the upper half."
TEST(Conversion, Packed) {
  auto pack = [](const std::vector<Case> &cases, bool isPositive) {
    std::vector<Case> packed;
    for (size_t at = 0; at < cases.size(); ++at) {
      const Case &high = cases[at], &low = cases[(at + 1) % cases.size()];
      // Negative numbers and -0 become 0, NaN stays.
      auto take = [&](const Case &one) -> uint64_t {
        bool isNegative = one.result & 0x8000;
        return isPositive && isNegative ? 0 : one.result;
      };
      packed.push_back(
          {{high.operands[0], low.operands[0]}, take(high) << 16 | take(low)});
    }
    return packed;
  };
  checkOpcode("cvt.rn.bf16x2.f32", "b32", {"b32", "b32"},
              pack(toBFloat, false));
  checkOpcode("cvt.rn.f16x2.f32", "b32", {"b32", "b32"}, pack(toHalf, false));
  checkOpcode("cvt.rn.relu.bf16x2.f32", "b32", {"b32", "b32"},
              pack(toBFloat, true));
  checkOpcode("cvt.rn.relu.f16x2.f32", "b32", {"b32", "b32"},
              pack(toHalf, true));
}

TEST(Conversion, Widened) {
  checkOpcode("cvt.f32.bf16", "b32", {"b16"},
              {{{0x3f80}, bits(1.f)},
               {{0x8000}, bits(-0.f)},
               {{0x0001}, 0x00010000},
               {{0xff80}, bits(-INFINITY)}});
  checkOpcode("cvt.f32.f16", "b32", {"b16"},
              {{{0x3c00}, bits(1.f)},
               {{0x8000}, bits(-0.f)},
               {{0x0001}, bits(0x1p-24f)},
               {{0x83ff}, bits(-1023 * 0x1p-24f)},
               {{0x0400}, bits(0x1p-14f)},
               {{0x7bff}, bits(65504.f)},
               {{0xfc00}, bits(-INFINITY)}});
}
