//===- HostCodeTest.cpp - What compiled host code calls -------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/HostCode.h"
#include "FakeDriver.h"

#include <cstring>

using namespace coda::runtime;

namespace {

class HostCodeTest : public testing::Test {
protected:
  void SetUp() override {
    coda_rt_set_default_driver(driver.name.c_str());
    coda_rt_set_error_handler(
        [](coda_rt_status, const char *message, void *user) {
          static_cast<std::string *>(user)->append(message);
        },
        &failures);
    driver.functionInfo.kernel.parameters = 4;
    driver.functionInfo.parameterSizes = {8, 4, 8, 2};
  }
  void TearDown() override {
    coda_rt_set_error_handler(nullptr, nullptr);
    coda_rt_set_default_driver("cuda");
  }

  void begin() { coda_rt_args_begin(&handle, image.c_str(), "kernel"); }
  void describe() {
    coda_rt_args_pointer(0x1200, 4);
    coda_rt_args_i32(77);
    coda_rt_args_scratch(1000, /*zeroed=*/1);
    coda_rt_args_value(0x12345, 2);
  }
  template <typename Type> Type getParam(size_t offset) {
    Type value;
    std::memcpy(&value, driver.lastLaunch.values + offset, sizeof(value));
    return value;
  }

  FakeDriver &driver = FakeDriver::create();
  std::string failures;
  std::string image = makePTX();
  void *handle = nullptr;
};

TEST_F(HostCodeTest, PassesParametersInOrder) {
  begin();
  describe();
  coda_rt_args_launch(5, 1, 256, 64);
  EXPECT_EQ(failures, "");
  ASSERT_EQ(driver.numLaunches, 1u);
  EXPECT_EQ(driver.lastLaunch.config.grid[0], 5u);
  EXPECT_EQ(driver.lastLaunch.config.block[0], 256u);
  EXPECT_EQ(driver.lastLaunch.config.shared_memory, 64u);
  EXPECT_EQ(getParam<uint64_t>(0), 0x1200u);
  EXPECT_EQ(getParam<int32_t>(8), 77);
  EXPECT_EQ(getParam<uint64_t>(12), driver.lastFill.to);
  EXPECT_EQ(driver.lastFill.count * driver.lastFill.width, 1000u);
  EXPECT_EQ(getParam<uint16_t>(20), 0x2345);
}

TEST_F(HostCodeTest, BoundsBlocksByMultiprocessors) {
  uint32_t multiprocessors = static_cast<uint32_t>(driver.info.multiprocessors);
  begin();
  describe();
  coda_rt_args_launch(1u << 20, 2, 256, 0);
  EXPECT_EQ(driver.lastLaunch.config.grid[0], 2 * multiprocessors);
  begin();
  describe();
  coda_rt_args_launch(1u << 20, 0, 256, 0);
  EXPECT_EQ(driver.lastLaunch.config.grid[0], 1u << 20);
}

TEST_F(HostCodeTest, LoadsAndAllocatesOnce) {
  for (int i = 0; i < 3; ++i) {
    begin();
    describe();
    coda_rt_args_launch(1, 1, 256, 0);
  }
  EXPECT_EQ(driver.numLaunches, 3u);
  EXPECT_EQ(driver.moduleLoads, 1u);
  EXPECT_EQ(driver.functionLookups, 1u);
  EXPECT_EQ(driver.allocations.size(), 1u);
}

TEST_F(HostCodeTest, LaunchesNothingForNoTiles) {
  begin();
  coda_rt_args_launch(0, 1, 256, 0);
  EXPECT_EQ(failures, "");
  EXPECT_EQ(driver.numLaunches, 0u);
}

TEST_F(HostCodeTest, LeavesOutWhatFollowsAFailure) {
  begin();
  coda_rt_args_i32(int64_t(1) << 31);
  EXPECT_NE(failures.find("size 2147483648"), std::string::npos) << failures;
  failures.clear();
  coda_rt_args_launch(1, 1, 256, 0);
  EXPECT_EQ(failures, "");
  EXPECT_EQ(driver.numLaunches, 0u);

  begin();
  describe();
  coda_rt_args_launch(1, 1, 256, 0);
  EXPECT_EQ(driver.numLaunches, 1u);
}

TEST_F(HostCodeTest, RefusesSizesOfZero) {
  begin();
  coda_rt_args_check_positive(0);
  EXPECT_NE(failures.find("size 0; expected a positive one"), std::string::npos)
      << failures;
}

TEST_F(HostCodeTest, UploadsConstantsOnce) {
  int data = 5;
  coda_rt_address first = coda_rt_host_constant(&handle, &data, sizeof(data));
  EXPECT_EQ(driver.lastCopy.bytes, sizeof(data));
  EXPECT_EQ(coda_rt_host_constant(&handle, &data, sizeof(data)), first);
  EXPECT_EQ(driver.allocations.size(), 1u);
}

} // namespace
