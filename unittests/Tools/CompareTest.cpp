//===- CompareTest.cpp - Tests of results against a reference -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Compare.h"
#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace mlir::coda;

namespace {

/// 4 x 256: two blocks of columns.
class Compare : public ::testing::Test {
protected:
  static constexpr int64_t rows = 4, columns = 256;

  Compare() : fused(rows * columns), unfused(fused), reference(fused.size()) {
    for (size_t i = 0; i < fused.size(); ++i) {
      double value = std::sin(static_cast<double>(i));
      reference[i] = value;
      // Errors as two orders of the same sum have them.
      fused[i] = static_cast<float>(value * (1 + 1e-5));
      unfused[i] = static_cast<float>(value * (1 - 1e-5));
    }
  }

  ResultComparison compare() {
    auto view = [](ElementKind element, void *data) {
      return HostTensor::borrow(element, {rows, columns}, data);
    };
    return compareResult("result0", view(ElementKind::F32, fused.data()),
                         view(ElementKind::F32, unfused.data()),
                         view(ElementKind::F64, reference.data()));
  }

  std::vector<float> fused, unfused;
  std::vector<double> reference;
};

} // namespace

TEST_F(Compare, SameErrorPasses) {
  ResultComparison result = compare();
  EXPECT_TRUE(result.passed);
  ASSERT_EQ(result.blocks.size(), 2u);
  EXPECT_EQ(result.blocks[1].firstColumn, 128);
  EXPECT_NEAR(result.blocks[0].fused.rms, 1e-5, 1e-6);
}

TEST_F(Compare, OneWrongElementFailsItsBlock) {
  fused[2 * columns + 200] += 1e-3f;
  ResultComparison result = compare();
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.blocks[0].passed);
  EXPECT_FALSE(result.blocks[1].passed);
}

TEST_F(Compare, ErrorOverTwiceTheUnfusedFails) {
  for (size_t i = 0; i < fused.size(); ++i)
    fused[i] = static_cast<float>(reference[i] * (1 + 3e-5));
  EXPECT_FALSE(compare().passed);
}

TEST_F(Compare, ZerosFail) {
  fused.assign(fused.size(), 0);
  EXPECT_FALSE(compare().passed);
}

TEST_F(Compare, NaNFailsUnlessExpected) {
  fused[5] = NAN;
  EXPECT_FALSE(compare().passed);
  reference[5] = NAN;
  EXPECT_TRUE(compare().passed);
  fused[5] = 0;
  unfused[5] = NAN;
  EXPECT_FALSE(compare().passed);
}

TEST_F(Compare, InfinityAgreesWithItself) {
  fused[5] = unfused[5] = INFINITY;
  reference[5] = INFINITY;
  EXPECT_TRUE(compare().passed);
  fused[5] = -INFINITY;
  EXPECT_FALSE(compare().passed);
}

TEST_F(Compare, ExactResultsMayDifferByARounding) {
  for (size_t i = 0; i < fused.size(); ++i) {
    reference[i] = static_cast<double>(i % 7);
    fused[i] = unfused[i] = static_cast<float>(i % 7);
  }
  EXPECT_TRUE(compare().passed);
  fused[3] = std::nextafter(fused[3], 100.0f);
  EXPECT_TRUE(compare().passed);
}

TEST(CompareIntegers, MustBeEqual) {
  std::vector<int32_t> fused = {1, 2, 3}, unfused = fused, reference = fused;
  auto view = [](std::vector<int32_t> &data) {
    return HostTensor::borrow(ElementKind::I32, {3}, data.data());
  };
  EXPECT_TRUE(
      compareResult("i", view(fused), view(unfused), view(reference)).passed);
  fused[1] = 7;
  EXPECT_FALSE(
      compareResult("i", view(fused), view(unfused), view(reference)).passed);
}
