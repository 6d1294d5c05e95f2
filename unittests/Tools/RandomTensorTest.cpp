//===- RandomTensorTest.cpp - Tests of seeded random tensors -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/RandomTensor.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::coda;

static HostTensor make(ElementKind element, int64_t size,
                       const Distribution &distribution, uint64_t seed) {
  HostTensor tensor = llvm::cantFail(HostTensor::allocate(element, {size}));
  fillRandom(tensor, distribution, seed);
  return tensor;
}

TEST(RandomTensor, HasMeanAndDeviation) {
  for (ElementKind element : {ElementKind::F64, ElementKind::F32,
                              ElementKind::BF16, ElementKind::F16}) {
    constexpr int64_t size = 100000;
    HostTensor tensor = make(element, size, {3, 0.5, 0}, 1);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < size; ++i) {
      double value = tensor.getFloat(i);
      sum += value;
      squares += (value - 3) * (value - 3);
    }
    EXPECT_NEAR(sum / size, 3, 0.01);
    EXPECT_NEAR(std::sqrt(squares / size), 0.5, 0.01);
  }
}

TEST(RandomTensor, SeedDecides) {
  HostTensor a = make(ElementKind::F32, 1000, {}, 1);
  HostTensor same = make(ElementKind::F32, 1000, {}, 1);
  HostTensor other = make(ElementKind::F32, 1000, {}, 2);
  unsigned equal = 0, shifted = 0;
  for (int64_t i = 0; i + 1 < 1000; ++i) {
    EXPECT_EQ(a.getFloat(i), same.getFloat(i));
    equal += a.getFloat(i) == other.getFloat(i);
    shifted += a.getFloat(i + 1) == other.getFloat(i);
  }
  EXPECT_LT(equal, 10u);
  EXPECT_LT(shifted, 10u);
}

TEST(RandomTensor, LongTensorsContinueShortOnes) {
  HostTensor big = make(ElementKind::F32, (1 << 21) + 3, {}, 1);
  HostTensor small = make(ElementKind::F32, 1000, {}, 1);
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(big.getFloat(i), small.getFloat(i));
  EXPECT_NE(big.getFloat(1 << 21), 0);
}

TEST(RandomTensor, IntegersStayBelowTheLimit) {
  HostTensor tensor = make(ElementKind::I64, 1000, {0, 0, 5}, 1);
  auto *data = static_cast<const int64_t *>(tensor.getData());
  bool seen[5] = {};
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_GE(data[i], 0);
    ASSERT_LT(data[i], 5);
    seen[data[i]] = true;
  }
  for (bool value : seen)
    EXPECT_TRUE(value);
}
