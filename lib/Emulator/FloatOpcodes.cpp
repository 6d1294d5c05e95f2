//===- FloatOpcodes.cpp - Arithmetic of floats ----------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact operations give the bits that IEEE 754 defines. Approximate ones are
// computed in f64 and rounded once: closer to the true value than the bound
// that the PTX documents give, and not the bits of any hardware.
//
//===----------------------------------------------------------------------===//

#include "Float16.h"
#include "LaneFunction.h"

#include <limits>

using namespace coda::emulator;

//===----------------------------------------------------------------------===//
// Exact
//===----------------------------------------------------------------------===//

template <typename T> static T add(T a, T b) { return a + b; }
template <typename T> static T subtract(T a, T b) { return a - b; }
template <typename T> static T multiply(T a, T b) { return a * b; }
template <typename T> static T divide(T a, T b) { return a / b; }
template <typename T> static T multiplyAdd(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <typename T> static T negate(T a) { return -a; }
template <typename T> static T absolute(T a) { return std::fabs(a); }
template <typename T> static T squareRoot(T a) { return std::sqrt(a); }
template <typename T> static T reciprocal(T a) { return T(1) / a; }
template <typename T> static T copySign(T a, T b) {
  // The sign is that of the first.
  return std::copysign(b, a);
}

/// Subnormal numbers become zeros of the same sign.
static float flush(float a) {
  return std::fabs(a) < std::numeric_limits<float>::min()
             ? std::copysign(0.f, a)
             : a;
}
template <float (*function)(float)> static float flushed1(float a) {
  return flush(function(flush(a)));
}
template <float (*function)(float, float)>
static float flushed2(float a, float b) {
  return flush(function(flush(a), flush(b)));
}
template <float (*function)(float, float, float)>
static float flushed3(float a, float b, float c) {
  return flush(function(flush(a), flush(b), flush(c)));
}

/// A number wins over NaN; of two zeros the negative one is less.
template <typename T> static T minimumNumber(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T> static T maximumNumber(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a > b || (a == b && std::signbit(b)) ? a : b;
}
template <typename T> static T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return minimumNumber(a, b);
}
template <typename T> static T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return maximumNumber(a, b);
}

/// Of two numbers of 16 bits f32 holds the exact result of a product, and its
/// sum rounded to f32 rounds to 16 bits as the exact one does.
template <typename T, T (*round)(float), float (*function)(float, float)>
static T narrow(T a, T b) {
  return round(function(toFloat(a), toFloat(b)));
}

//===----------------------------------------------------------------------===//
// Approximate
//===----------------------------------------------------------------------===//

static float exp2Approximate(float a) { return std::exp2(double(a)); }
static float log2Approximate(float a) { return std::log2(double(a)); }
static float tanhApproximate(float a) { return std::tanh(double(a)); }
static float sinApproximate(float a) { return std::sin(double(a)); }
static float cosApproximate(float a) { return std::cos(double(a)); }
static float reciprocalRootApproximate(float a) {
  return 1.0 / std::sqrt(double(a));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

template <typename T> static bool ordered(T a, T b) {
  return !std::isnan(a) && !std::isnan(b);
}
template <typename T> static bool unordered(T a, T b) { return !ordered(a, b); }
template <typename T> static bool equal(T a, T b) { return a == b; }
template <typename T> static bool notEqual(T a, T b) {
  return ordered(a, b) && a != b;
}
template <typename T> static bool less(T a, T b) { return a < b; }
template <typename T> static bool lessEqual(T a, T b) { return a <= b; }
template <typename T> static bool greater(T a, T b) { return a > b; }
template <typename T> static bool greaterEqual(T a, T b) { return a >= b; }
template <typename T, bool (*compare)(T, T)> static bool orUnordered(T a, T b) {
  return unordered(a, b) || compare(a, b);
}

template <typename T, bool (*compare)(T, T)>
static bool compareAnd(T a, T b, bool c) {
  return compare(a, b) && c;
}
template <typename T, bool (*compare)(T, T)>
static bool compareOr(T a, T b, bool c) {
  return compare(a, b) || c;
}

template <typename T, bool (*compare)(T, T)>
static void addComparison(llvm::StringMap<LaneOpcode> &opcodes,
                          llvm::StringRef name, llvm::StringRef type) {
  std::string set = ("setp." + name + ".").str();
  opcodes[set + type.str()] = makeOpcode<compare>();
  opcodes[set + "and." + type.str()] = makeOpcode<compareAnd<T, compare>>();
  opcodes[set + "or." + type.str()] = makeOpcode<compareOr<T, compare>>();
}

template <typename T>
static void addComparisons(llvm::StringMap<LaneOpcode> &opcodes,
                           llvm::StringRef type) {
  addComparison<T, equal<T>>(opcodes, "eq", type);
  addComparison<T, notEqual<T>>(opcodes, "ne", type);
  addComparison<T, less<T>>(opcodes, "lt", type);
  addComparison<T, lessEqual<T>>(opcodes, "le", type);
  addComparison<T, greater<T>>(opcodes, "gt", type);
  addComparison<T, greaterEqual<T>>(opcodes, "ge", type);
  addComparison<T, orUnordered<T, equal<T>>>(opcodes, "equ", type);
  addComparison<T, orUnordered<T, notEqual<T>>>(opcodes, "neu", type);
  addComparison<T, orUnordered<T, less<T>>>(opcodes, "ltu", type);
  addComparison<T, orUnordered<T, lessEqual<T>>>(opcodes, "leu", type);
  addComparison<T, orUnordered<T, greater<T>>>(opcodes, "gtu", type);
  addComparison<T, orUnordered<T, greaterEqual<T>>>(opcodes, "geu", type);
  addComparison<T, ordered<T>>(opcodes, "num", type);
  addComparison<T, unordered<T>>(opcodes, "nan", type);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

template <typename T>
static void addExact(llvm::StringMap<LaneOpcode> &opcodes,
                     llvm::StringRef type) {
  // Rounding to nearest is the default of add, sub and mul.
  for (const char *rounding : {".", ".rn."}) {
    std::string suffix = rounding + type.str();
    opcodes["add" + suffix] = makeOpcode<add<T>>();
    opcodes["sub" + suffix] = makeOpcode<subtract<T>>();
    opcodes["mul" + suffix] = makeOpcode<multiply<T>>();
  }
  std::string suffix = "." + type.str();
  opcodes["fma.rn" + suffix] = makeOpcode<multiplyAdd<T>>();
  opcodes["div.rn" + suffix] = makeOpcode<divide<T>>();
  opcodes["sqrt.rn" + suffix] = makeOpcode<squareRoot<T>>();
  opcodes["rcp.rn" + suffix] = makeOpcode<reciprocal<T>>();
  opcodes["neg" + suffix] = makeOpcode<negate<T>>();
  opcodes["abs" + suffix] = makeOpcode<absolute<T>>();
  opcodes["copysign" + suffix] = makeOpcode<copySign<T>>();
  opcodes["min" + suffix] = makeOpcode<minimumNumber<T>>();
  opcodes["max" + suffix] = makeOpcode<maximumNumber<T>>();
  addComparisons<T>(opcodes, type);
}

template <float (*function)(float)>
static void addApproximate(llvm::StringMap<LaneOpcode> &opcodes,
                           const std::string &name) {
  opcodes[name + ".approx.f32"] = makeOpcode<function>();
  opcodes[name + ".approx.ftz.f32"] = makeOpcode<flushed1<function>>();
}

template <typename T, T (*round)(float)>
static void addNarrow(llvm::StringMap<LaneOpcode> &opcodes,
                      const std::string &type) {
  for (const char *rounding : {".", ".rn."}) {
    opcodes["add" + (rounding + type)] =
        makeOpcode<narrow<T, round, add<float>>>();
    opcodes["sub" + (rounding + type)] =
        makeOpcode<narrow<T, round, subtract<float>>>();
    opcodes["mul" + (rounding + type)] =
        makeOpcode<narrow<T, round, multiply<float>>>();
  }
  opcodes["min." + type] = makeOpcode<narrow<T, round, minimumNumber<float>>>();
  opcodes["max." + type] = makeOpcode<narrow<T, round, maximumNumber<float>>>();
  opcodes["min.NaN." + type] = makeOpcode<narrow<T, round, minimum<float>>>();
  opcodes["max.NaN." + type] = makeOpcode<narrow<T, round, maximum<float>>>();
}

void coda::emulator::addFloatOpcodes(llvm::StringMap<LaneOpcode> &opcodes) {
  addExact<float>(opcodes, "f32");
  addExact<double>(opcodes, "f64");
  opcodes["min.NaN.f32"] = makeOpcode<minimum<float>>();
  opcodes["max.NaN.f32"] = makeOpcode<maximum<float>>();
  for (const char *rounding : {".ftz.f32", ".rn.ftz.f32"}) {
    opcodes[std::string("add") + rounding] = makeOpcode<flushed2<add<float>>>();
    opcodes[std::string("sub") + rounding] =
        makeOpcode<flushed2<subtract<float>>>();
    opcodes[std::string("mul") + rounding] =
        makeOpcode<flushed2<multiply<float>>>();
  }
  opcodes["fma.rn.ftz.f32"] = makeOpcode<flushed3<multiplyAdd<float>>>();
  opcodes["div.full.f32"] = makeOpcode<divide<float>>();
  opcodes["div.full.ftz.f32"] = makeOpcode<flushed2<divide<float>>>();
  opcodes["div.approx.f32"] = makeOpcode<divide<float>>();
  opcodes["div.approx.ftz.f32"] = makeOpcode<flushed2<divide<float>>>();
  addApproximate<exp2Approximate>(opcodes, "ex2");
  addApproximate<log2Approximate>(opcodes, "lg2");
  addApproximate<sinApproximate>(opcodes, "sin");
  addApproximate<cosApproximate>(opcodes, "cos");
  addApproximate<reciprocal<float>>(opcodes, "rcp");
  addApproximate<squareRoot<float>>(opcodes, "sqrt");
  addApproximate<reciprocalRootApproximate>(opcodes, "rsqrt");
  opcodes["tanh.approx.f32"] = makeOpcode<tanhApproximate>();
  addNarrow<BFloat, toBFloat>(opcodes, "bf16");
  addNarrow<Half, toHalf>(opcodes, "f16");
}
