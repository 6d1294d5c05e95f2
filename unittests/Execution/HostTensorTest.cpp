//===- HostTensorTest.cpp - Elements of host tensors -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::coda;

namespace {

template <typename Bits> double decode(ElementKind kind, Bits bits) {
  return HostTensor::borrow(kind, {}, &bits).getFloat(0);
}

TEST(HostTensorTest, NarrowFloats) {
  EXPECT_EQ(decode<uint16_t>(ElementKind::BF16, 0xbf80), -1.0);
  EXPECT_EQ(decode<uint16_t>(ElementKind::F16, 0x3c01), 1.0 + 0x1p-10);
  EXPECT_EQ(decode<uint16_t>(ElementKind::F16, 0x0001), 0x1p-24);
  EXPECT_EQ(decode<uint16_t>(ElementKind::F16, 0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(decode<uint16_t>(ElementKind::F16, 0x7c01)));
  EXPECT_EQ(decode<uint8_t>(ElementKind::F8E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(decode<uint8_t>(ElementKind::F8E4M3FN, 0x81), -0x1p-9);
  EXPECT_TRUE(std::isnan(decode<uint8_t>(ElementKind::F8E4M3FN, 0xff)));
  EXPECT_EQ(decode<uint8_t>(ElementKind::F8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(decode<uint8_t>(ElementKind::F8E5M2, 0x7c), INFINITY);
  EXPECT_EQ(decode<uint8_t>(ElementKind::F8E5M2, 0x01), 0x1p-16);
}

TEST(HostTensorTest, CopyOfATransposedView) {
  float data[] = {0, 1, 2, 3, 4, 5};
  HostTensor view = HostTensor::borrow(ElementKind::F32, {3, 2}, data, {1, 3});
  EXPECT_FALSE(view.isRowMajor());
  auto copy = view.copy(/*widen=*/true);
  ASSERT_TRUE(bool(copy));
  EXPECT_EQ(copy->getElement(), ElementKind::F64);
  EXPECT_TRUE(copy->isRowMajor());
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(copy->getFloat(i), i / 2 + i % 2 * 3);
}

TEST(HostTensorTest, StridesThatDoNotMatter) {
  float data[4] = {};
  EXPECT_TRUE(
      HostTensor::borrow(ElementKind::F32, {1, 4}, data, {77, 1}).isRowMajor());
  EXPECT_TRUE(
      HostTensor::borrow(ElementKind::F32, {0, 4}, data, {9, 9}).isRowMajor());
  EXPECT_FALSE(
      HostTensor::borrow(ElementKind::F32, {2, 2}, data, {1, 1}).isRowMajor());
}

TEST(HostTensorTest, ImpossibleSizes) {
  auto tensor = HostTensor::allocate(ElementKind::F32, {-1});
  EXPECT_FALSE(bool(tensor));
  llvm::consumeError(tensor.takeError());
  tensor = HostTensor::allocate(ElementKind::F64, {int64_t(1) << 62, 8});
  EXPECT_FALSE(bool(tensor));
  llvm::consumeError(tensor.takeError());
}

TEST(HostTensorTest, Names) {
  HostType type;
  type.element = ElementKind::BF16;
  type.shape = {-9223372036854775807 - 1, 8};
  EXPECT_EQ(type.str(), "tensor<?x8xbf16>");
  type.isBuffer = true;
  EXPECT_EQ(type.str(), "memref<?x8xbf16>");
  type.isScalar = true;
  type.shape.clear();
  EXPECT_EQ(type.str(), "bf16");
}

} // namespace
