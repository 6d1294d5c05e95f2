//===- FragmentLayoutTest.cpp - Where accumulator elements live -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLayout.h"

#include "gtest/gtest.h"
#include <set>

using namespace mlir::coda;
using namespace mlir::coda::fragment;

namespace {

TEST(FragmentLayout, EveryElementHasOnePlace) {
  for (int64_t columns = 8; columns <= 256; columns += 8) {
    std::set<std::pair<int64_t, int64_t>> places;
    for (int64_t thread = 0; thread < warpgroupSize; ++thread)
      for (int64_t reg = 0; reg < getNumRegisters(columns); ++reg) {
        Position at = getPosition(thread, reg);
        EXPECT_TRUE(at.row >= 0 && at.row < rows);
        EXPECT_TRUE(at.column >= 0 && at.column < columns);
        places.insert({at.row, at.column});
      }
    EXPECT_EQ(static_cast<int64_t>(places.size()), rows * columns);
  }
}

// The table of the PTX manual for m64nNk16, some entries by hand.
TEST(FragmentLayout, AgreesWithTheManual) {
  auto expect = [](int64_t thread, int64_t reg, int64_t row, int64_t column) {
    Position at = getPosition(thread, reg);
    EXPECT_EQ(at.row, row);
    EXPECT_EQ(at.column, column);
  };
  expect(0, 0, 0, 0);
  expect(0, 1, 0, 1);
  expect(0, 2, 8, 0);
  expect(0, 4, 0, 8);
  expect(3, 1, 0, 7);
  expect(4, 0, 1, 0);
  expect(31, 3, 15, 7);
  expect(32, 0, 16, 0);
  expect(127, 127, 63, 255);
}

TEST(FragmentLayout, RegistersOfAPairAreNeighbours) {
  for (int64_t thread = 0; thread < warpgroupSize; ++thread)
    for (int64_t group = 0; group < 32; ++group)
      for (int64_t half = 0; half < 2; ++half) {
        Position first = getPosition(thread, getRegister(group, half, 0));
        Position second = getPosition(thread, getRegister(group, half, 1));
        EXPECT_EQ(first.row, second.row);
        EXPECT_EQ(first.column + 1, second.column);
        EXPECT_EQ(first.column / groupColumns, group);
        EXPECT_EQ(first.row % warpRows / halfDistance, half);
      }
}

// What members rely on: columns of a row any multiple of 8 apart share a
// thread.
TEST(FragmentLayout, DistantGroupsShareAThread) {
  for (int64_t thread = 0; thread < warpgroupSize; ++thread)
    for (int64_t distance = 1; distance < 32; ++distance)
      for (int64_t half = 0; half < 2; ++half) {
        Position near = getPosition(thread, getRegister(0, half, 0));
        Position far = getPosition(thread, getRegister(distance, half, 0));
        EXPECT_EQ(near.row, far.row);
        EXPECT_EQ(near.column + distance * groupColumns, far.column);
      }
}

TEST(FragmentLayout, SwizzleMovesChunksInsideTheirRow) {
  for (int64_t row = 0; row < rows; ++row) {
    std::set<int64_t> offsets;
    for (int64_t chunk = 0; chunk < rowBytes / chunkBytes; ++chunk) {
      int64_t offset = getSwizzledOffset(row, chunk);
      EXPECT_EQ(offset / rowBytes, row);
      EXPECT_EQ(offset % chunkBytes, 0);
      offsets.insert(offset);
      // Bits 4 to 6 of the linear offset XOR bits 7 to 9: the engine's rule.
      int64_t linear = row * rowBytes + chunk * chunkBytes;
      EXPECT_EQ(offset, linear ^ ((linear >> 7 & 7) << 4));
    }
    EXPECT_EQ(offsets.size(), 8u);
  }
}

} // namespace
