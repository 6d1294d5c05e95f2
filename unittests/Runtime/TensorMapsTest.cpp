//===- TensorMapsTest.cpp - Limits, the canonical form and the cache ------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include "gtest/gtest.h"

#include <cstring>
#include <functional>

using namespace coda::runtime;

namespace {

/// The tile of 128 x 64 of a row-major 4096 x 1024 matrix in bf16.
coda_rt_tensor_map makeMap() {
  coda_rt_tensor_map map = {};
  map.address = 0x10000;
  map.rank = 2;
  map.dims[0] = 1024;
  map.dims[1] = 4096;
  map.strides[0] = 2048;
  map.box[0] = 64;
  map.box[1] = 128;
  map.element = CODA_RT_BF16;
  map.swizzle = CODA_RT_SWIZZLE_128B;
  map.l2_promotion = CODA_RT_L2_256B;
  return map;
}

class TensorMapsTest : public testing::Test {
protected:
  coda_rt_status encode(const coda_rt_tensor_map &map) {
    return coda_rt_tensor_map_encode(driver.getDevice(), &map, encoded);
  }

  FakeDriver &driver = FakeDriver::create();
  unsigned char encoded[CODA_RT_TENSOR_MAP_BYTES];
};

TEST_F(TensorMapsTest, ReachesTheDriver) {
  coda_rt_tensor_map map = makeMap();
  ASSERT_EQ(encode(map), CODA_RT_SUCCESS);
  const TensorMapRequest &request = driver.lastTensorMap;
  EXPECT_EQ(std::memcmp(&request.map, &map, sizeof(map)), 0);
  EXPECT_EQ(request.interleave, 0u);
  for (uint32_t stride : request.elementStrides)
    EXPECT_EQ(stride, 1u);
  EXPECT_EQ(std::memcmp(encoded, &request, sizeof(encoded)), 0);
}

TEST_F(TensorMapsTest, EncodedOnce) {
  ASSERT_EQ(encode(makeMap()), CODA_RT_SUCCESS);
  ASSERT_EQ(encode(makeMap()), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.tensorMapEncodings, 1u);
  coda_rt_cache_statistics statistics;
  coda_rt_get_cache_statistics(driver.getDevice(), &statistics);
  EXPECT_EQ(statistics.tensor_maps, 1u);
  EXPECT_EQ(statistics.tensor_map_hits, 1u);
}

TEST_F(TensorMapsTest, EveryFieldCounts) {
  using Change = std::function<void(coda_rt_tensor_map &)>;
  const Change changes[] = {
      [](coda_rt_tensor_map &map) { map.address += 16; },
      [](coda_rt_tensor_map &map) { map.dims[0] -= 1; },
      [](coda_rt_tensor_map &map) { map.dims[1] -= 1; },
      [](coda_rt_tensor_map &map) { map.strides[0] += 16; },
      [](coda_rt_tensor_map &map) { map.box[0] = 32; },
      [](coda_rt_tensor_map &map) { map.box[1] = 64; },
      [](coda_rt_tensor_map &map) { map.rank = 1; },
      [](coda_rt_tensor_map &map) { map.element = CODA_RT_F16; },
      [](coda_rt_tensor_map &map) { map.swizzle = CODA_RT_SWIZZLE_NONE; },
      [](coda_rt_tensor_map &map) { map.l2_promotion = CODA_RT_L2_NONE; },
      [](coda_rt_tensor_map &map) { map.oob_fill = CODA_RT_OOB_NAN; },
  };
  ASSERT_EQ(encode(makeMap()), CODA_RT_SUCCESS);
  size_t expected = 1;
  for (const Change &change : changes) {
    coda_rt_tensor_map map = makeMap();
    change(map);
    ASSERT_EQ(encode(map), CODA_RT_SUCCESS) << coda_rt_last_error();
    EXPECT_EQ(driver.tensorMapEncodings, ++expected);
  }
}

TEST_F(TensorMapsTest, WhatHasNoMeaningDoesNotCount) {
  coda_rt_tensor_map map = makeMap();
  ASSERT_EQ(encode(map), CODA_RT_SUCCESS);
  map.dims[2] = 17;
  map.box[4] = 3;
  map.strides[1] = 5;
  ASSERT_EQ(encode(map), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.tensorMapEncodings, 1u);
}

TEST_F(TensorMapsTest, StrideOfSizeOneIsReplaced) {
  coda_rt_tensor_map map = makeMap();
  map.dims[0] = 1017;
  map.dims[1] = 1;
  map.strides[0] = 3;
  ASSERT_EQ(encode(map), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.lastTensorMap.map.strides[0], 2048u);
}

TEST_F(TensorMapsTest, CacheStartsOverWhenFull) {
  coda_rt_tensor_map map = makeMap();
  for (int step = 0; step != 5000; ++step) {
    map.address += 16;
    ASSERT_EQ(encode(map), CODA_RT_SUCCESS);
  }
  coda_rt_cache_statistics statistics;
  coda_rt_get_cache_statistics(driver.getDevice(), &statistics);
  EXPECT_LE(statistics.tensor_maps, 4096u);
  EXPECT_GT(statistics.tensor_maps, 0u);
}

TEST_F(TensorMapsTest, NeedHopper) {
  driver.info.sm = 89;
  EXPECT_EQ(encode(makeMap()), CODA_RT_WRONG_ARCHITECTURE);
  EXPECT_STREQ(coda_rt_last_error(),
               "tensor maps need sm_90, found sm_89 (fake GPU)");
}

struct Refusal {
  std::function<void(coda_rt_tensor_map &)> change;
  coda_rt_status status;
  const char *text;
};

TEST_F(TensorMapsTest, Refusals) {
  const Refusal refusals[] = {
      {[](coda_rt_tensor_map &map) { map.rank = 0; }, CODA_RT_INVALID_ARGUMENT,
       "rank 0; expected 1 to 5"},
      {[](coda_rt_tensor_map &map) { map.rank = 6; }, CODA_RT_INVALID_ARGUMENT,
       "rank 6; expected 1 to 5"},
      {[](coda_rt_tensor_map &map) { map.address = 0x10008; },
       CODA_RT_MISALIGNED, "address 0x10008; expected a multiple of 16"},
      {[](coda_rt_tensor_map &map) { map.address = 0; },
       CODA_RT_INVALID_ARGUMENT, "address 0;"},
      {[](coda_rt_tensor_map &map) { map.dims[1] = 0; },
       CODA_RT_INVALID_ARGUMENT,
       "dimension 1 has size 0; expected 1 to 4294967296"},
      {[](coda_rt_tensor_map &map) { map.dims[0] = (uint64_t(1) << 32) + 1; },
       CODA_RT_INVALID_ARGUMENT, "dimension 0 has size 4294967297"},
      {[](coda_rt_tensor_map &map) { map.strides[0] = 2046; },
       CODA_RT_MISALIGNED,
       "dimension 1 has a stride of 2046 bytes; expected a multiple of 16"},
      {[](coda_rt_tensor_map &map) { map.strides[0] = uint64_t(1) << 40; },
       CODA_RT_INVALID_ARGUMENT, "expected less than 1099511627776"},
      {[](coda_rt_tensor_map &map) { map.box[1] = 257; },
       CODA_RT_INVALID_ARGUMENT,
       "dimension 1 has a box of 257 elements; expected 1 to 256"},
      {[](coda_rt_tensor_map &map) { map.box[1] = 0; },
       CODA_RT_INVALID_ARGUMENT, "dimension 1 has a box of 0 elements"},
      {[](coda_rt_tensor_map &map) { map.box[0] = 4; },
       CODA_RT_INVALID_ARGUMENT,
       "the innermost box has 8 bytes; expected a multiple of 16"},
      {[](coda_rt_tensor_map &map) { map.box[0] = 72; },
       CODA_RT_INVALID_ARGUMENT,
       "the innermost box has 144 bytes; expected at most the span of the "
       "swizzle, 128"},
      {[](coda_rt_tensor_map &map) { map.swizzle = CODA_RT_SWIZZLE_32B; },
       CODA_RT_INVALID_ARGUMENT, "the span of the swizzle, 32"},
      {[](coda_rt_tensor_map &map) {
         map.element = static_cast<coda_rt_element_type>(13);
       },
       CODA_RT_INVALID_ARGUMENT, "element type 13"},
      {[](coda_rt_tensor_map &map) {
         map.swizzle = static_cast<coda_rt_swizzle>(-1);
       },
       CODA_RT_INVALID_ARGUMENT, "swizzle -1"},
  };
  for (const Refusal &refusal : refusals) {
    coda_rt_tensor_map map = makeMap();
    refusal.change(map);
    EXPECT_EQ(encode(map), refusal.status) << refusal.text;
    EXPECT_TRUE(lastErrorHas(refusal.text));
  }
  EXPECT_EQ(driver.tensorMapEncodings, 0u);
}

} // namespace
