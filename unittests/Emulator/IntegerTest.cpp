//===- IntegerTest.cpp - Integer opcodes of the emulator ------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "gtest/gtest.h"

#include <limits>

using namespace coda::emulator;
using namespace coda::emulator::test;

namespace {

__extension__ typedef __int128 Wide;

/// Values at the edges of a type, as bits.
template <typename T> std::vector<T> getEdges() {
  return {T(0),
          T(1),
          T(2),
          T(7),
          T(-1),
          T(-2),
          std::numeric_limits<T>::min(),
          std::numeric_limits<T>::max(),
          T(std::numeric_limits<T>::max() - 1),
          T(0x5a),
          T(0xa5a5a5a5a5a5a5a5)};
}

template <typename T> uint64_t bits(T value) {
  return std::make_unsigned_t<T>(value);
}

template <typename T> std::string getRegisterType() {
  return "b" + std::to_string(8 * sizeof(T));
}

/// All pairs of edges; `function` gives the result, or nothing where the
/// documents define none.
template <typename T, typename Function>
void checkPairs(const std::string &opcode, Function &&function,
                const std::string &result = getRegisterType<T>()) {
  std::vector<Case> cases;
  for (T a : getEdges<T>())
    for (T b : getEdges<T>())
      if (std::optional<uint64_t> expected = function(a, b))
        cases.push_back({{bits(a), bits(b)}, *expected});
  std::string type = getRegisterType<T>();
  checkOpcode(opcode, result, {type, type}, cases);
}

/// The low bits of a result that was computed without overflow.
template <typename T> std::optional<uint64_t> truncate(Wide value) {
  return bits(static_cast<T>(value));
}

template <typename T> class IntegerTest : public testing::Test {
public:
  static std::string name(const std::string &opcode) {
    return opcode + "." + (std::is_signed_v<T> ? "s" : "u") +
           std::to_string(8 * sizeof(T));
  }
};
using Types =
    testing::Types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>;
TYPED_TEST_SUITE(IntegerTest, Types);

} // namespace

TYPED_TEST(IntegerTest, Sums) {
  using T = TypeParam;
  checkPairs<T>(this->name("add"),
                [](Wide a, Wide b) { return truncate<T>(a + b); });
  checkPairs<T>(this->name("sub"),
                [](Wide a, Wide b) { return truncate<T>(a - b); });
}

TYPED_TEST(IntegerTest, Products) {
  using T = TypeParam;
  using Product =
      std::conditional_t<std::is_signed_v<T>, Wide, unsigned __int128>;
  checkPairs<T>(this->name("mul.lo"),
                [](T a, T b) { return truncate<T>(Product(a) * Product(b)); });
  checkPairs<T>(this->name("mul.hi"), [](T a, T b) {
    return truncate<T>(Product(a) * Product(b) >> (8 * sizeof(T)));
  });
  std::vector<Case> cases;
  for (T a : getEdges<T>())
    for (T b : getEdges<T>())
      cases.push_back({{bits(a), bits(b), bits(T(~a))},
                       *truncate<T>(Product(a) * Product(b) + Product(T(~a)))});
  std::string type = getRegisterType<T>();
  checkOpcode(this->name("mad.lo"), type, {type, type, type}, cases);
}

// A quotient by zero is not defined; that of the least number by -1 wraps, as
// on the hardware.
TYPED_TEST(IntegerTest, Quotients) {
  using T = TypeParam;
  checkPairs<T>(this->name("div"),
                [](Wide a, Wide b) -> std::optional<uint64_t> {
                  return b ? truncate<T>(a / b) : std::nullopt;
                });
  checkPairs<T>(this->name("rem"),
                [](Wide a, Wide b) -> std::optional<uint64_t> {
                  return b ? truncate<T>(a % b) : std::nullopt;
                });
  // Whatever it gives, it must not stop anything.
  std::string type = getRegisterType<T>();
  runOpcode(this->name("div"), type, {type, type}, {{{5, 0}, 0}});
  runOpcode(this->name("rem"), type, {type, type}, {{{5, 0}, 0}});
}

TYPED_TEST(IntegerTest, Extrema) {
  using T = TypeParam;
  checkPairs<T>(this->name("min"),
                [](T a, T b) { return truncate<T>(a < b ? a : b); });
  checkPairs<T>(this->name("max"),
                [](T a, T b) { return truncate<T>(a > b ? a : b); });
}

TYPED_TEST(IntegerTest, Signs) {
  using T = TypeParam;
  if constexpr (std::is_signed_v<T>) {
    std::vector<Case> negated, absolute;
    for (T a : getEdges<T>()) {
      negated.push_back({{bits(a)}, *truncate<T>(-Wide(a))});
      absolute.push_back({{bits(a)}, *truncate<T>(a < 0 ? -Wide(a) : a)});
    }
    std::string type = getRegisterType<T>();
    checkOpcode(this->name("neg"), type, {type}, negated);
    checkOpcode(this->name("abs"), type, {type}, absolute);
  }
}

// "Shift amounts greater than the register width are clamped."
TYPED_TEST(IntegerTest, Shifts) {
  using T = TypeParam;
  constexpr uint64_t width = 8 * sizeof(T);
  std::vector<Case> right, left;
  for (T a : getEdges<T>())
    for (uint64_t by : {uint64_t(0), uint64_t(1), width - 1, width, width + 1,
                        uint64_t(64), uint64_t(255), uint64_t(0xffffffff)}) {
      uint64_t clamped = std::min<uint64_t>(by, width);
      right.push_back({{bits(a), by}, *truncate<T>(Wide(a) >> clamped)});
      left.push_back(
          {{bits(a), by},
           *truncate<T>(static_cast<Wide>(
               static_cast<unsigned __int128>(bits(a)) << clamped))});
    }
  std::string type = getRegisterType<T>();
  checkOpcode(this->name("shr"), type, {type, "b32"}, right);
  checkOpcode("shl." + type, type, {type, "b32"}, left);
  if constexpr (!std::is_signed_v<T>)
    checkOpcode("shr." + type, type, {type, "b32"}, right);
}

TYPED_TEST(IntegerTest, Comparisons) {
  using T = TypeParam;
  auto check = [&](const std::string &name, auto compare) {
    checkPairs<T>(
        this->name("setp." + name),
        [&](T a, T b) { return std::optional<uint64_t>(compare(a, b)); },
        "pred");
    std::string type = getRegisterType<T>();
    for (const std::string &operation : {"and", "or", "xor"}) {
      std::vector<Case> cases;
      for (T a : {T(3), T(-4)})
        for (T b : {T(3), T(5)})
          for (bool c : {false, true}) {
            bool t = compare(a, b);
            bool expected = operation == "and"  ? t && c
                            : operation == "or" ? t || c
                                                : t != c;
            cases.push_back({{bits(a), bits(b), c}, expected});
          }
      checkOpcode(this->name("setp." + name + "." + operation), "pred",
                  {type, type, "pred"}, cases);
    }
  };
  check("eq", std::equal_to<T>());
  check("ne", std::not_equal_to<T>());
  check("lt", std::less<T>());
  check("le", std::less_equal<T>());
  check("gt", std::greater<T>());
  check("ge", std::greater_equal<T>());
  if constexpr (!std::is_signed_v<T>) {
    check("lo", std::less<T>());
    check("ls", std::less_equal<T>());
    check("hi", std::greater<T>());
    check("hs", std::greater_equal<T>());
  }
}

/// The loop of the PTX document.
template <typename T> static T extractField(T a, uint32_t b, uint32_t c) {
  unsigned msb = 8 * sizeof(T) - 1, pos = b & 0xff, len = c & 0xff;
  auto bit = [&](unsigned at) { return bits(a) >> at & 1; };
  uint64_t sign =
      !std::is_signed_v<T> || len == 0 ? 0 : bit(std::min(pos + len - 1, msb));
  uint64_t d = 0;
  for (unsigned i = 0; i <= msb; ++i)
    d |= (i < len && pos + i <= msb ? bit(pos + i) : sign) << i;
  return d;
}

static constexpr uint64_t fieldEdges[] = {0,  1,  7,   31,  32,        33,
                                          63, 64, 255, 256, 0xffffffff};

TYPED_TEST(IntegerTest, FieldsOut) {
  using T = TypeParam;
  if constexpr (sizeof(T) >= 4) {
    std::vector<Case> cases;
    for (T a : getEdges<T>())
      for (uint64_t b : fieldEdges)
        for (uint64_t c : fieldEdges)
          cases.push_back({{bits(a), b, c}, bits(extractField<T>(a, b, c))});
    std::string type = getRegisterType<T>();
    checkOpcode(this->name("bfe"), type, {type, "b32", "b32"}, cases);
  }
}

TYPED_TEST(IntegerTest, FieldsIn) {
  using T = TypeParam;
  if constexpr (sizeof(T) >= 4 && !std::is_signed_v<T>) {
    std::vector<Case> cases;
    unsigned msb = 8 * sizeof(T) - 1;
    for (T a : {T(0), T(-1), T(0x123456789abcdef1)})
      for (T b : {T(0), T(-1), T(0x0fedcba987654321)})
        for (uint64_t c : fieldEdges)
          for (uint64_t d : fieldEdges) {
            uint64_t pos = c & 0xff, len = d & 0xff;
            T f = b;
            for (uint64_t i = 0; i < len && pos + i <= msb; ++i)
              f = (f & ~(T(1) << (pos + i))) | (a >> i & 1) << (pos + i);
            cases.push_back({{a, b, c, d}, f});
          }
    std::string type = getRegisterType<T>();
    checkOpcode("bfi." + type, type, {type, type, "b32", "b32"}, cases);
  }
}

TYPED_TEST(IntegerTest, Bits) {
  using T = TypeParam;
  if constexpr (!std::is_signed_v<T>) {
    std::string type = getRegisterType<T>();
    checkPairs<T>("and." + type, [](T a, T b) { return truncate<T>(a & b); });
    checkPairs<T>("or." + type, [](T a, T b) { return truncate<T>(a | b); });
    checkPairs<T>("xor." + type, [](T a, T b) { return truncate<T>(a ^ b); });
    std::vector<Case> inverted, ones, zeros;
    for (T a : getEdges<T>()) {
      uint64_t count = 0, leading = 0;
      for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
        count += a >> bit & 1;
      while (leading < 8 * sizeof(T) &&
             !(a >> (8 * sizeof(T) - 1 - leading) & 1))
        ++leading;
      inverted.push_back({{a}, T(~a)});
      ones.push_back({{a}, count});
      zeros.push_back({{a}, leading});
    }
    checkOpcode("not." + type, type, {type}, inverted);
    if constexpr (sizeof(T) >= 4) {
      checkOpcode("popc." + type, "b32", {type}, ones);
      checkOpcode("clz." + type, "b32", {type}, zeros);
    }
    std::vector<Case> selected = {{{1, 2, 1}, 1}, {{1, 2, 0}, 2}};
    for (const char *kind : {"b", "u", "s", "f"})
      if (sizeof(T) >= 4 || *kind != 'f')
        checkOpcode("selp." + (kind + type.substr(1)), type,
                    {type, type, "pred"}, selected);
    for (bool isEqual : {true, false})
      checkPairs<T>((isEqual ? "setp.eq." : "setp.ne.") + type,
                    [&](T a, T b) {
                      return std::optional<uint64_t>((a == b) == isEqual);
                    },
                    "pred");
  }
}

template <typename Narrow, typename Result>
static void checkWide(const std::string &suffix) {
  checkPairs<Narrow>(
      "mul.wide." + suffix,
      [](Wide a, Wide b) { return truncate<Result>(a * b); },
      getRegisterType<Result>());
  std::vector<Case> cases;
  for (Narrow a : getEdges<Narrow>())
    for (Narrow b : getEdges<Narrow>())
      for (Result c :
           {Result(0), Result(-1), std::numeric_limits<Result>::max()})
        cases.push_back({{bits(a), bits(b), bits(c)},
                         *truncate<Result>(Wide(a) * Wide(b) + Wide(c))});
  std::string type = getRegisterType<Narrow>(),
              wide = getRegisterType<Result>();
  checkOpcode("mad.wide." + suffix, wide, {type, type, wide}, cases);
}

TEST(IntegerOpcodes, Wide) {
  checkWide<uint16_t, uint32_t>("u16");
  checkWide<int16_t, int32_t>("s16");
  checkWide<uint32_t, uint64_t>("u32");
  checkWide<int32_t, int64_t>("s32");
}

TEST(IntegerOpcodes, Predicates) {
  std::vector<Case> both, either, one, none;
  for (uint64_t a : {0, 1}) {
    none.push_back({{a}, !a});
    for (uint64_t b : {0, 1}) {
      both.push_back({{a, b}, a & b});
      either.push_back({{a, b}, a | b});
      one.push_back({{a, b}, a ^ b});
    }
  }
  checkOpcode("and.pred", "pred", {"pred", "pred"}, both);
  checkOpcode("or.pred", "pred", {"pred", "pred"}, either);
  checkOpcode("xor.pred", "pred", {"pred", "pred"}, one);
  checkOpcode("not.pred", "pred", {"pred"}, none);
}

TEST(IntegerOpcodes, Permutations) {
  // The highest bit of a selector repeats the sign of the byte.
  checkOpcode("prmt.b32", "b32", {"b32", "b32", "b32"},
              {{{0x33221100, 0x77665544, 0x3210}, 0x33221100},
               {{0x33221100, 0x77665544, 0x7654}, 0x77665544},
               {{0x33221100, 0x77665544, 0x0123}, 0x00112233},
               {{0x33221100, 0x77665544, 0x5410}, 0x55441100},
               {{0x80ff7f01, 0x77665544, 0xba98}, 0xffff0000},
               {{0x80ff7f01, 0x8044557f, 0xfedc}, 0xff000000},
               {{1, 2, 0xffff0000}, 0x01010101}});
  checkOpcode("brev.b32", "b32", {"b32"},
              {{{1}, 0x80000000},
               {{0x80000001}, 0x80000001},
               {{0}, 0},
               {{0x12345678}, 0x1e6a2c48}});
}

TEST(IntegerOpcodes, FunnelShifts) {
  // The amount wraps at 32; a is the lower half.
  std::vector<Case> left, right;
  for (uint64_t by : {0, 1, 4, 31, 32, 33, 255}) {
    uint64_t a = 0x89abcdef, b = 0x01234567, n = by & 31;
    left.push_back({{a, b, by}, uint32_t(n ? b << n | a >> (32 - n) : b)});
    right.push_back({{a, b, by}, uint32_t(n ? b << (32 - n) | a >> n : a)});
  }
  checkOpcode("shf.l.wrap.b32", "b32", {"b32", "b32", "b32"}, left);
  checkOpcode("shf.r.wrap.b32", "b32", {"b32", "b32", "b32"}, right);
}

// The table is the function applied to 0xf0, 0xcc and 0xaa.
TEST(IntegerOpcodes, Logic) {
  uint32_t a = 0xff00f00f, b = 0x12345678, c = 0x0f0f3355;
  auto check = [&](auto function) {
    uint64_t table = uint8_t(function(0xf0, 0xcc, 0xaa));
    checkOpcode("lop3.b32", "b32", {"b32", "b32", "b32", "b32"},
                {{{a, b, c, table}, uint32_t(function(a, b, c))}});
  };
  check([](uint32_t a, uint32_t b, uint32_t c) { return a & b & c; });
  check([](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; });
  check([](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
  check([](uint32_t, uint32_t, uint32_t) { return 0; });
  check([](uint32_t, uint32_t, uint32_t) { return ~0u; });
}
