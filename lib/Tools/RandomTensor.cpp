//===- RandomTensor.cpp - Seeded random tensors -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/RandomTensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Parallel.h"
#include <cmath>

using namespace mlir::coda;

/// A hash whose outputs for consecutive inputs look independent (splitmix64).
static uint64_t hash(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// About normal with deviation 1: the sum of four uniform 16-bit parts. Weights
/// have many millions of elements, so this is cheap rather than exact.
static float toNormal(uint64_t bits) {
  float sum = 0;
  for (unsigned part = 0; part < 4; ++part)
    sum += static_cast<float>((bits >> (16 * part)) & 0xffff);
  // Four parts of mean 32767.5 and variance 65536^2 / 12.
  return (sum - 4 * 32767.5f) / 37837.2f;
}

static uint16_t toBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  // Round to nearest, ties to even; there is no NaN here.
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static uint16_t toBits(float value, const llvm::fltSemantics &semantics) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(result.bitcastToAPInt().getZExtValue());
}

/// Calls `fill(begin, end)` for pieces of [0, count) on all cores.
static void forPieces(int64_t count,
                      llvm::function_ref<void(int64_t, int64_t)> fill) {
  constexpr int64_t piece = 1 << 20;
  llvm::parallelFor(0, (count + piece - 1) / piece, [&](size_t index) {
    int64_t begin = static_cast<int64_t>(index) * piece;
    fill(begin, std::min(count, begin + piece));
  });
}

template <typename T, typename Fn>
static void fillAll(HostTensor &tensor, Fn makeElement) {
  T *data = static_cast<T *>(tensor.getData());
  forPieces(tensor.getNumElements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      data[i] = makeElement(i);
  });
}

static void fillFloats(HostTensor &tensor, const Distribution &distribution,
                       uint64_t seed) {
  float mean = static_cast<float>(distribution.mean);
  float deviation = static_cast<float>(distribution.deviation);
  auto value = [=](int64_t i) {
    return mean + deviation * toNormal(hash(seed + static_cast<uint64_t>(i)));
  };
  using llvm::APFloatBase;
  switch (tensor.getElement()) {
  case ElementKind::F64:
    return fillAll<double>(tensor, value);
  case ElementKind::F32:
    return fillAll<float>(tensor, value);
  case ElementKind::BF16:
    return fillAll<uint16_t>(tensor,
                             [&](int64_t i) { return toBF16(value(i)); });
  case ElementKind::F16:
    return fillAll<uint16_t>(tensor, [&](int64_t i) {
      return toBits(value(i), APFloatBase::IEEEhalf());
    });
  case ElementKind::F8E4M3FN:
    return fillAll<uint8_t>(tensor, [&](int64_t i) {
      return toBits(value(i), APFloatBase::Float8E4M3FN());
    });
  case ElementKind::F8E5M2:
    return fillAll<uint8_t>(tensor, [&](int64_t i) {
      return toBits(value(i), APFloatBase::Float8E5M2());
    });
  default:
    llvm_unreachable("not a float");
  }
}

static void fillIntegers(HostTensor &tensor, const Distribution &distribution,
                         uint64_t seed) {
  uint64_t limit = std::max<int64_t>(distribution.limit, 1);
  auto value = [=](int64_t i) {
    return hash(seed + static_cast<uint64_t>(i)) % limit;
  };
  switch (getElementSize(tensor.getElement())) {
  case 1:
    limit = tensor.getElement() == ElementKind::I1
                ? 2
                : std::min<uint64_t>(limit, 128);
    return fillAll<uint8_t>(tensor, [&](int64_t i) {
      return hash(seed + static_cast<uint64_t>(i)) % limit;
    });
  case 2:
    return fillAll<uint16_t>(tensor, value);
  case 4:
    return fillAll<uint32_t>(tensor, value);
  default:
    return fillAll<uint64_t>(tensor, value);
  }
}

void mlir::coda::fillRandom(HostTensor &tensor,
                            const Distribution &distribution, uint64_t seed) {
  // Seeds that follow each other must not give shifted copies.
  uint64_t start = hash(seed);
  if (isFloat(tensor.getElement()))
    fillFloats(tensor, distribution, start);
  else
    fillIntegers(tensor, distribution, start);
}
