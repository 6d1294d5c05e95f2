//===- IntegerOpcodes.cpp - Integers, bits, predicates and addresses ------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "LaneFunction.h"

#include "llvm/Support/MathExtras.h"

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename T> using Unsigned = std::make_unsigned_t<T>;

template <typename T> static T add(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
}
template <typename T> static T subtract(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
}
template <typename T> static T multiplyLow(T a, T b) {
  return static_cast<T>(uint64_t(a) * uint64_t(b));
}
template <typename T> static T multiplyAddLow(T a, T b, T c) {
  return static_cast<T>(uint64_t(a) * uint64_t(b) + uint64_t(c));
}
template <typename T> static T multiplyHigh(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((Wide(a) * Wide(b)) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
  }
}
template <typename Wide, typename T> static Wide multiplyWide(T a, T b) {
  return Wide(a) * Wide(b);
}
template <typename Wide, typename T>
static Wide multiplyAddWide(T a, T b, Wide c) {
  return static_cast<Wide>(uint64_t(Wide(a) * Wide(b)) + uint64_t(c));
}
/// Division by zero is all ones, and the one overflow wraps.
template <typename T> static T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T(0));
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return subtract<T>(0, a);
  return a / b;
}
template <typename T> static T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return a % b;
}
template <typename T> static T minimum(T a, T b) { return std::min(a, b); }
template <typename T> static T maximum(T a, T b) { return std::max(a, b); }
template <typename T> static T negate(T a) { return subtract<T>(0, a); }
template <typename T> static T absolute(T a) { return a < 0 ? negate(a) : a; }

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <typename T> static T bitAnd(T a, T b) { return a & b; }
template <typename T> static T bitOr(T a, T b) { return a | b; }
template <typename T> static T bitXor(T a, T b) { return a ^ b; }
template <typename T> static T bitNot(T a) { return ~a; }
static bool predicateNot(bool a) { return !a; }

template <typename T> static T shiftLeft(T a, uint32_t by) {
  return by < 8 * sizeof(T) ? static_cast<T>(Unsigned<T>(a) << by) : T(0);
}
template <typename T> static T shiftRight(T a, uint32_t by) {
  constexpr uint32_t bits = 8 * sizeof(T);
  if (by >= bits)
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T(0);
  return a >> by;
}
static uint32_t funnelLeft(uint32_t a, uint32_t b, uint32_t by) {
  uint64_t both = uint64_t(b) << 32 | a;
  return static_cast<uint32_t>(both << (by & 31) >> 32);
}
static uint32_t funnelRight(uint32_t a, uint32_t b, uint32_t by) {
  uint64_t both = uint64_t(b) << 32 | a;
  return static_cast<uint32_t>(both >> (by & 31));
}
template <typename T>
static T extractBits(T a, uint32_t position, uint32_t length) {
  constexpr uint32_t bits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  T sign =
      std::is_signed_v<T>
          ? shiftRight<T>(
                shiftLeft<T>(a, bits - 1 -
                                    std::min(position + length - 1, bits - 1)),
                bits - 1)
          : T(0);
  // Beyond the last bit comes the sign.
  T field = shiftRight<T>(a, position);
  if (length >= bits)
    return field;
  T mask = static_cast<T>((Unsigned<T>(1) << length) - 1);
  return (field & mask) | (sign & ~mask);
}
template <typename T>
static T insertBits(T from, T into, uint32_t position, uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  T mask = length >= 8 * sizeof(T) ? static_cast<T>(~T(0))
                                   : static_cast<T>((T(1) << length) - 1);
  mask = shiftLeft<T>(mask, position);
  return (shiftLeft<T>(from, position) & mask) | (into & ~mask);
}
static uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t both = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    uint32_t select = selector >> (4 * byte) & 0xf;
    uint8_t value = both >> (8 * (select & 7));
    if (select & 8)
      value = value & 0x80 ? 0xff : 0;
    result |= uint32_t(value) << (8 * byte);
  }
  return result;
}
static uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}
template <typename T> static uint32_t countOnes(T a) {
  return llvm::popcount(a);
}
template <typename T> static uint32_t countLeadingZeros(T a) {
  return llvm::countl_zero(a);
}
static uint32_t reverseBits(uint32_t a) { return llvm::reverseBits(a); }

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

template <typename T> static T select(T a, T b, bool condition) {
  return condition ? a : b;
}

template <typename T> static bool equal(T a, T b) { return a == b; }
template <typename T> static bool notEqual(T a, T b) { return a != b; }
template <typename T> static bool less(T a, T b) { return a < b; }
template <typename T> static bool lessEqual(T a, T b) { return a <= b; }
template <typename T> static bool greater(T a, T b) { return a > b; }
template <typename T> static bool greaterEqual(T a, T b) { return a >= b; }

template <typename T, bool (*compare)(T, T)>
static bool compareAnd(T a, T b, bool c) {
  return compare(a, b) && c;
}
template <typename T, bool (*compare)(T, T)>
static bool compareOr(T a, T b, bool c) {
  return compare(a, b) || c;
}
template <typename T, bool (*compare)(T, T)>
static bool compareXor(T a, T b, bool c) {
  return compare(a, b) != c;
}

template <typename T, bool (*compare)(T, T)>
static void addComparison(llvm::StringMap<LaneOpcode> &opcodes,
                          llvm::StringRef name, llvm::StringRef type) {
  std::string set = ("setp." + name + ".").str();
  opcodes[set + type.str()] = makeOpcode<compare>();
  opcodes[set + "and." + type.str()] = makeOpcode<compareAnd<T, compare>>();
  opcodes[set + "or." + type.str()] = makeOpcode<compareOr<T, compare>>();
  opcodes[set + "xor." + type.str()] = makeOpcode<compareXor<T, compare>>();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static uint64_t keepAddress(uint64_t a) { return a; }
static uint64_t enterShared(uint64_t a) { return a + sharedWindow; }
static uint64_t leaveShared(uint64_t a) { return a - sharedWindow; }
static uint64_t enterParameters(uint64_t a) { return a + parameterWindow; }

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// What every integer type has; `type` is "u32" and so on.
template <typename T>
static void addArithmetic(llvm::StringMap<LaneOpcode> &opcodes,
                          llvm::StringRef type) {
  auto name = [&](llvm::StringRef opcode) {
    return (opcode + "." + type).str();
  };
  opcodes[name("add")] = makeOpcode<add<T>>();
  opcodes[name("sub")] = makeOpcode<subtract<T>>();
  opcodes[name("mul.lo")] = makeOpcode<multiplyLow<T>>();
  opcodes[name("mul.hi")] = makeOpcode<multiplyHigh<T>>();
  opcodes[name("mad.lo")] = makeOpcode<multiplyAddLow<T>>();
  opcodes[name("div")] = makeOpcode<divide<T>>();
  opcodes[name("rem")] = makeOpcode<remainder<T>>();
  opcodes[name("min")] = makeOpcode<minimum<T>>();
  opcodes[name("max")] = makeOpcode<maximum<T>>();
  opcodes[name("shr")] = makeOpcode<shiftRight<T>>();
  addComparison<T, equal<T>>(opcodes, "eq", type);
  addComparison<T, notEqual<T>>(opcodes, "ne", type);
  addComparison<T, less<T>>(opcodes, "lt", type);
  addComparison<T, lessEqual<T>>(opcodes, "le", type);
  addComparison<T, greater<T>>(opcodes, "gt", type);
  addComparison<T, greaterEqual<T>>(opcodes, "ge", type);
  if constexpr (std::is_signed_v<T>) {
    opcodes[name("neg")] = makeOpcode<negate<T>>();
    opcodes[name("abs")] = makeOpcode<absolute<T>>();
  } else {
    addComparison<T, less<T>>(opcodes, "lo", type);
    addComparison<T, lessEqual<T>>(opcodes, "ls", type);
    addComparison<T, greater<T>>(opcodes, "hi", type);
    addComparison<T, greaterEqual<T>>(opcodes, "hs", type);
  }
  if constexpr (sizeof(T) >= 4)
    opcodes[name("bfe")] = makeOpcode<extractBits<T>>();
}

template <typename T>
static void addBits(llvm::StringMap<LaneOpcode> &opcodes,
                    llvm::StringRef type) {
  auto name = [&](llvm::StringRef opcode) {
    return (opcode + "." + type).str();
  };
  opcodes[name("and")] = makeOpcode<bitAnd<T>>();
  opcodes[name("or")] = makeOpcode<bitOr<T>>();
  opcodes[name("xor")] = makeOpcode<bitXor<T>>();
  opcodes[name("not")] = makeOpcode<bitNot<T>>();
  opcodes[name("shl")] = makeOpcode<shiftLeft<T>>();
  opcodes[name("shr")] = makeOpcode<shiftRight<T>>();
  opcodes[name("selp")] = makeOpcode<select<T>>();
  addComparison<T, equal<T>>(opcodes, "eq", type);
  addComparison<T, notEqual<T>>(opcodes, "ne", type);
  if constexpr (sizeof(T) >= 4) {
    opcodes[name("popc")] = makeOpcode<countOnes<T>>();
    opcodes[name("clz")] = makeOpcode<countLeadingZeros<T>>();
    opcodes[name("bfi")] = makeOpcode<insertBits<T>>();
  }
}

void coda::emulator::addIntegerOpcodes(llvm::StringMap<LaneOpcode> &opcodes) {
  addArithmetic<uint16_t>(opcodes, "u16");
  addArithmetic<int16_t>(opcodes, "s16");
  addArithmetic<uint32_t>(opcodes, "u32");
  addArithmetic<int32_t>(opcodes, "s32");
  addArithmetic<uint64_t>(opcodes, "u64");
  addArithmetic<int64_t>(opcodes, "s64");
  addBits<uint16_t>(opcodes, "b16");
  addBits<uint32_t>(opcodes, "b32");
  addBits<uint64_t>(opcodes, "b64");
  for (const char *type : {"u16", "s16"})
    opcodes[std::string("selp.") + type] = makeOpcode<select<uint16_t>>();
  for (const char *type : {"u32", "s32", "f32"})
    opcodes[std::string("selp.") + type] = makeOpcode<select<uint32_t>>();
  for (const char *type : {"u64", "s64", "f64"})
    opcodes[std::string("selp.") + type] = makeOpcode<select<uint64_t>>();

  opcodes["mul.wide.u16"] = makeOpcode<multiplyWide<uint32_t, uint16_t>>();
  opcodes["mul.wide.s16"] = makeOpcode<multiplyWide<int32_t, int16_t>>();
  opcodes["mul.wide.u32"] = makeOpcode<multiplyWide<uint64_t, uint32_t>>();
  opcodes["mul.wide.s32"] = makeOpcode<multiplyWide<int64_t, int32_t>>();
  opcodes["mad.wide.u16"] = makeOpcode<multiplyAddWide<uint32_t, uint16_t>>();
  opcodes["mad.wide.s16"] = makeOpcode<multiplyAddWide<int32_t, int16_t>>();
  opcodes["mad.wide.u32"] = makeOpcode<multiplyAddWide<uint64_t, uint32_t>>();
  opcodes["mad.wide.s32"] = makeOpcode<multiplyAddWide<int64_t, int32_t>>();

  opcodes["and.pred"] = makeOpcode<bitAnd<bool>>();
  opcodes["or.pred"] = makeOpcode<bitOr<bool>>();
  opcodes["xor.pred"] = makeOpcode<bitXor<bool>>();
  opcodes["not.pred"] = makeOpcode<predicateNot>();
  opcodes["prmt.b32"] = makeOpcode<permuteBytes>();
  opcodes["lop3.b32"] = makeOpcode<logic3>();
  opcodes["brev.b32"] = makeOpcode<reverseBits>();
  opcodes["shf.l.wrap.b32"] = makeOpcode<funnelLeft>();
  opcodes["shf.r.wrap.b32"] = makeOpcode<funnelRight>();

  for (const char *space : {"shared", "shared::cta", "shared::cluster"}) {
    opcodes[std::string("cvta.") + space + ".u64"] = makeOpcode<enterShared>();
    opcodes[std::string("cvta.to.") + space + ".u64"] =
        makeOpcode<leaveShared>();
  }
  opcodes["cvta.global.u64"] = makeOpcode<keepAddress>();
  opcodes["cvta.to.global.u64"] = makeOpcode<keepAddress>();
  opcodes["cvta.param.u64"] = makeOpcode<enterParameters>();
}
