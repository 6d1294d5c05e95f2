//===- SymbolicSizeTest.cpp - Tests of sizes with dynamic dims -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/SymbolicSize.h"
#include "gtest/gtest.h"

using namespace mlir::coda;

TEST(SymbolicSize, Constants) {
  SymbolicSize size(3);
  size += SymbolicSize(4) * SymbolicSize(5);
  EXPECT_TRUE(size.isConstant());
  EXPECT_EQ(size.str(), "23");
  EXPECT_EQ(SymbolicSize().str(), "0");
  EXPECT_EQ(SymbolicSize(0).str(), "0");
}

TEST(SymbolicSize, ProductsOfSymbolsCommute) {
  SymbolicSize m = SymbolicSize::symbol("d0"), n = SymbolicSize::symbol("d1");
  SymbolicSize size = m * n;
  size += n * m;
  EXPECT_FALSE(size.isConstant());
  EXPECT_EQ(size.str(), "2*d0*d1");
}

TEST(SymbolicSize, LargestTermFirst) {
  SymbolicSize m = SymbolicSize::symbol("d0");
  SymbolicSize size(7);
  size += m;
  size += m * m * SymbolicSize(2);
  EXPECT_EQ(size.str(), "2*d0*d0 + d0 + 7");
  EXPECT_EQ(size.evaluate(10), 217);
}

TEST(SymbolicSize, HugeSizesDoNotWrap) {
  SymbolicSize huge(INT64_C(1) << 40);
  EXPECT_EQ((huge * huge).evaluate(1), 0x1p80);
}
