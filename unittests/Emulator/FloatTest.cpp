//===- FloatTest.cpp - Float opcodes of the emulator ----------------------===//
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

template <typename T> struct Traits;
template <> struct Traits<float> {
  using Bits = uint32_t;
  static constexpr const char *name = "f32";
  static constexpr const char *reg = "b32";
};
template <> struct Traits<double> {
  using Bits = uint64_t;
  static constexpr const char *name = "f64";
  static constexpr const char *reg = "b64";
};

template <typename T> uint64_t bits(T value) {
  return llvm::bit_cast<typename Traits<T>::Bits>(value);
}
template <typename T> T fromBits(uint64_t value) {
  return llvm::bit_cast<T>(static_cast<typename Traits<T>::Bits>(value));
}

template <typename T> std::vector<T> getSpecial() {
  using L = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-1.5),
          T(3),
          T(0.1),
          L::min(),
          -L::min(),
          L::denorm_min(),
          -L::denorm_min(),
          T(L::min() / 2),
          L::max(),
          L::lowest(),
          L::infinity(),
          -L::infinity(),
          L::quiet_NaN()};
}

/// As checkOpcode, with all special values for each operand; any NaN is as good
/// as another, because PTX leaves their payload open.
template <typename T, typename Function>
void checkSpecial(const std::string &opcode, unsigned arity,
                  Function &&function, double relative = 0) {
  std::vector<T> values = getSpecial<T>();
  std::vector<Case> cases;
  size_t total = std::pow(values.size(), arity);
  for (size_t number = 0; number < total; ++number) {
    T a = values[number % values.size()];
    T b = values[number / values.size() % values.size()];
    T c = values[number / values.size() / values.size() % values.size()];
    Case made = {{bits(a)}, bits<T>(function(a, b, c))};
    if (arity > 1)
      made.operands.push_back(bits(b));
    if (arity > 2)
      made.operands.push_back(bits(c));
    cases.push_back(made);
  }
  std::string reg = Traits<T>::reg;
  auto results =
      runOpcode(opcode, reg, std::vector<std::string>(arity, reg), cases);
  for (size_t at = 0; at < cases.size(); ++at) {
    T expected = fromBits<T>(cases[at].result),
      found = fromBits<T>(results[at]);
    bool isSame = std::isnan(expected) ? std::isnan(found)
                                       : bits(found) == bits(expected);
    if (!isSame && relative > 0)
      isSame = std::fabs(found - expected) <= relative * std::fabs(expected);
    std::string operands;
    for (uint64_t operand : cases[at].operands)
      operands += " " + std::to_string(fromBits<T>(operand));
    EXPECT_TRUE(isSame) << opcode << operands << " gives " << found
                        << ", expected " << expected;
  }
}

float flush(float a) {
  return std::fabs(a) < std::numeric_limits<float>::min()
             ? std::copysign(0.f, a)
             : a;
}

/// "If one of the inputs is NaN, the other is the result"; -0 is below +0.
template <typename T> T least(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T greatest(T a, T b) { return -least<T>(-a, -b); }

template <typename T> class FloatTest : public testing::Test {
public:
  static std::string name(const std::string &opcode) {
    return opcode + "." + Traits<T>::name;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatTest, Types);

} // namespace

TYPED_TEST(FloatTest, Arithmetic) {
  using T = TypeParam;
  for (const char *rounding : {"", ".rn"}) {
    auto name = [&](std::string opcode) {
      return this->name(opcode + rounding);
    };
    checkSpecial<T>(name("add"), 2, [](T a, T b, T) { return a + b; });
    checkSpecial<T>(name("sub"), 2, [](T a, T b, T) { return a - b; });
    checkSpecial<T>(name("mul"), 2, [](T a, T b, T) { return a * b; });
  }
  checkSpecial<T>(this->name("div.rn"), 2, [](T a, T b, T) { return a / b; });
  checkSpecial<T>(this->name("fma.rn"), 3,
                  [](T a, T b, T c) { return std::fma(a, b, c); });
  checkSpecial<T>(this->name("sqrt.rn"), 1,
                  [](T a, T, T) { return std::sqrt(a); });
  checkSpecial<T>(this->name("rcp.rn"), 1, [](T a, T, T) { return 1 / a; });
}

// A fused product keeps what two roundings lose.
TEST(FloatOpcodes, FusedProduct) {
  float a = 1 + 0x1p-12f;
  checkOpcode("fma.rn.f32", "b32", {"b32", "b32", "b32"},
              {{{bits(a), bits(a), bits(-1 - 0x1p-11f)}, bits(0x1p-24f)}});
}

TYPED_TEST(FloatTest, Signs) {
  using T = TypeParam;
  checkSpecial<T>(this->name("neg"), 1, [](T a, T, T) { return -a; });
  checkSpecial<T>(this->name("abs"), 1, [](T a, T, T) { return std::fabs(a); });
  // "Copy sign bit of a into value of b."
  checkSpecial<T>(this->name("copysign"), 2,
                  [](T a, T b, T) { return std::copysign(b, a); });
}

TYPED_TEST(FloatTest, Extrema) {
  using T = TypeParam;
  checkSpecial<T>(this->name("min"), 2,
                  [](T a, T b, T) { return least(a, b); });
  checkSpecial<T>(this->name("max"), 2,
                  [](T a, T b, T) { return greatest(a, b); });
}

TEST(FloatOpcodes, ExtremaOfNaN) {
  auto withNaN = [](auto function) {
    return [=](float a, float b, float) {
      return std::isnan(a) || std::isnan(b) ? NAN : function(a, b);
    };
  };
  checkSpecial<float>("min.NaN.f32", 2, withNaN(least<float>));
  checkSpecial<float>("max.NaN.f32", 2, withNaN(greatest<float>));
}

TYPED_TEST(FloatTest, Comparisons) {
  using T = TypeParam;
  auto check = [&](const std::string &name, auto compare) {
    std::vector<Case> cases, both, either;
    for (T a : getSpecial<T>())
      for (T b : getSpecial<T>()) {
        bool holds = compare(a, b);
        cases.push_back({{bits(a), bits(b)}, holds});
        for (uint64_t c : {0, 1}) {
          both.push_back({{bits(a), bits(b), c}, holds && c});
          either.push_back({{bits(a), bits(b), c}, holds || c});
        }
      }
    std::string reg = Traits<T>::reg, set = "setp." + name;
    checkOpcode(this->name(set), "pred", {reg, reg}, cases);
    checkOpcode(this->name(set + ".and"), "pred", {reg, reg, "pred"}, both);
    checkOpcode(this->name(set + ".or"), "pred", {reg, reg, "pred"}, either);
  };
  auto isOrdered = [](T a, T b) { return !std::isnan(a) && !std::isnan(b); };
  // An ordered comparison with NaN is false, an unordered one is true.
  auto checkBoth = [&](const std::string &name, auto compare) {
    check(name, [&](T a, T b) { return isOrdered(a, b) && compare(a, b); });
    check(name + "u",
          [&](T a, T b) { return !isOrdered(a, b) || compare(a, b); });
  };
  checkBoth("eq", std::equal_to<T>());
  checkBoth("ne", std::not_equal_to<T>());
  checkBoth("lt", std::less<T>());
  checkBoth("le", std::less_equal<T>());
  checkBoth("gt", std::greater<T>());
  checkBoth("ge", std::greater_equal<T>());
  check("num", isOrdered);
  check("nan", [&](T a, T b) { return !isOrdered(a, b); });
}

// `.ftz` takes and gives zeros of the same sign for subnormal numbers.
TEST(FloatOpcodes, Flushing) {
  for (const char *rounding : {"", ".rn"}) {
    auto name = [&](std::string opcode) {
      return opcode + rounding + ".ftz.f32";
    };
    checkSpecial<float>(name("add"), 2, [](float a, float b, float) {
      return flush(flush(a) + flush(b));
    });
    checkSpecial<float>(name("sub"), 2, [](float a, float b, float) {
      return flush(flush(a) - flush(b));
    });
    checkSpecial<float>(name("mul"), 2, [](float a, float b, float) {
      return flush(flush(a) * flush(b));
    });
  }
  checkSpecial<float>("fma.rn.ftz.f32", 3, [](float a, float b, float c) {
    return flush(std::fma(flush(a), flush(b), flush(c)));
  });
}

// Approximate functions: the tables of special values hold exactly, the rest
// within the documented error.
TEST(FloatOpcodes, Approximations) {
  constexpr double error = 0x1p-21;
  auto check = [&](const std::string &name, double (*function)(double),
                   double bound) {
    checkSpecial<float>(
        name + ".approx.f32", 1,
        [&](float a, float, float) { return float(function(a)); }, bound);
    checkSpecial<float>(
        name + ".approx.ftz.f32", 1,
        [&](float a, float, float) { return flush(float(function(flush(a)))); },
        bound);
  };
  check("ex2", std::exp2, error);
  check("lg2", std::log2, error);
  check("rcp", [](double a) { return 1 / a; }, error);
  check("sqrt", std::sqrt, error);
  check("rsqrt", [](double a) { return 1 / std::sqrt(a); }, error);
  for (const char *mode : {"div.full", "div.approx"}) {
    checkSpecial<float>(
        mode + std::string(".f32"), 2,
        [](float a, float b, float) { return a / b; }, error);
    checkSpecial<float>(
        mode + std::string(".ftz.f32"), 2,
        [](float a, float b, float) { return flush(flush(a) / flush(b)); },
        error);
  }
}

static void checkNear(const std::string &opcode, double (*function)(double),
                      std::vector<float> values, double absolute) {
  std::vector<Case> cases;
  for (float value : values)
    cases.push_back({{bits(value)}, 0});
  auto results = runOpcode(opcode, "b32", {"b32"}, cases);
  for (size_t at = 0; at < values.size(); ++at)
    EXPECT_NEAR(fromBits<float>(results[at]), function(values[at]), absolute)
        << opcode << " " << values[at];
}

TEST(FloatOpcodes, Trigonometry) {
  std::vector<float> values = {0, 0.5f, -1, 2, 3.14159265f, -3};
  for (const char *suffix : {".approx.f32", ".approx.ftz.f32"}) {
    checkNear("sin" + std::string(suffix), std::sin, values, 0x1p-20);
    checkNear("cos" + std::string(suffix), std::cos, values, 0x1p-20);
  }
  checkNear("tanh.approx.f32", std::tanh,
            {0, 0.5f, -1, 20, -INFINITY, INFINITY}, 0x1p-11);
}

// Of 16 bits: 1 is 0x3f80 and 0x3c00, the NaN that the hardware gives 0x7fff.
TEST(FloatOpcodes, Narrow) {
  for (const char *rounding : {".", ".rn."}) {
    std::string bf16 = rounding + std::string("bf16");
    std::string f16 = rounding + std::string("f16");
    checkOpcode("add" + bf16, "b16", {"b16", "b16"},
                {{{0x3f80, 0x3f80}, 0x4000},
                 // 1 + 2^-8 is a tie, which goes to the even 1.
                 {{0x3f80, 0x3b80}, 0x3f80},
                 // 1 + 2^-7 + 2^-8 goes up to the even one.
                 {{0x3f81, 0x3b80}, 0x3f82},
                 {{0x7f80, 0xff80}, 0x7fff},
                 {{0x7f7f, 0x7f7f}, 0x7f80},
                 {{0x8000, 0x8000}, 0x8000},
                 {{0x0001, 0x0001}, 0x0002}});
    checkOpcode("sub" + bf16, "b16", {"b16", "b16"},
                {{{0x3f80, 0x3f80}, 0}, {{0x7f80, 0x7f80}, 0x7fff}});
    checkOpcode("mul" + bf16, "b16", {"b16", "b16"},
                {{{0x4040, 0xc000}, 0xc0c0}, {{0x7f80, 0}, 0x7fff}});
    checkOpcode("add" + f16, "b16", {"b16", "b16"},
                {{{0x3c00, 0x3c00}, 0x4000},
                 // 1 + 2^-11 is a tie.
                 {{0x3c00, 0x1000}, 0x3c00},
                 {{0x3c01, 0x1000}, 0x3c02},
                 // 65504 + 16 is halfway to infinity.
                 {{0x7bff, 0x4c00}, 0x7c00},
                 {{0x7bff, 0x4b80}, 0x7bff},
                 {{0x0001, 0x0001}, 0x0002}});
    checkOpcode("sub" + f16, "b16", {"b16", "b16"},
                {{{0x3c00, 0x3c00}, 0}, {{0x7c00, 0x7c00}, 0x7fff}});
    checkOpcode("mul" + f16, "b16", {"b16", "b16"},
                {{{0x4200, 0xc000}, 0xc600}, {{0x0400, 0x3800}, 0x0200}});
  }
  for (const char *type : {"bf16", "f16"}) {
    uint64_t one = type[0] == 'b' ? 0x3f80 : 0x3c00, nan = 0x7fff;
    uint64_t zero = 0, minusZero = 0x8000, minusOne = one | 0x8000;
    checkOpcode("min." + std::string(type), "b16", {"b16", "b16"},
                {{{one, minusOne}, minusOne},
                 {{nan, one}, one},
                 {{one, nan}, one},
                 {{zero, minusZero}, minusZero},
                 {{minusZero, zero}, minusZero},
                 {{nan, nan}, nan}});
    checkOpcode("max." + std::string(type), "b16", {"b16", "b16"},
                {{{one, minusOne}, one},
                 {{nan, one}, one},
                 {{one, nan}, one},
                 {{zero, minusZero}, zero},
                 {{minusZero, zero}, zero}});
    checkOpcode(
        "min.NaN." + std::string(type), "b16", {"b16", "b16"},
        {{{one, minusOne}, minusOne}, {{nan, one}, nan}, {{one, nan}, nan}});
    checkOpcode("max.NaN." + std::string(type), "b16", {"b16", "b16"},
                {{{one, minusOne}, one}, {{nan, one}, nan}, {{one, nan}, nan}});
  }
}
