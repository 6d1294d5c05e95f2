//===- DeviceTest.cpp - Drivers, devices, memory and errors ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace coda::runtime;

namespace {

TEST(DeviceTest, MissingDriver) {
  ::setenv("CODA_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  coda_rt_device *device = nullptr;
  EXPECT_EQ(coda_rt_device_get("cuda", 0, &device), CODA_RT_MISSING_DRIVER);
  EXPECT_TRUE(
      lastErrorHas("cannot open the CUDA driver '/nowhere/libcuda.so.1'"));
  int count = -1;
  EXPECT_EQ(coda_rt_device_count(nullptr, &count), CODA_RT_MISSING_DRIVER);
  EXPECT_EQ(count, -1);
}

TEST(DeviceTest, OldDriver) {
  // Any library without the driver's functions will do.
  ::setenv("CODA_CUDA_LIBRARY", "libm.so.6", 1);
  coda_rt_device *device = nullptr;
  EXPECT_EQ(coda_rt_device_get("cuda", 0, &device), CODA_RT_MISSING_DRIVER);
  EXPECT_TRUE(lastErrorHas("has no function cuInit"));
}

TEST(DeviceTest, UnknownDriver) {
  coda_rt_device *device = nullptr;
  EXPECT_EQ(coda_rt_device_get("rocm", 0, &device), CODA_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(lastErrorHas("driver 'rocm'; expected one of: cuda"));
  EXPECT_EQ(coda_rt_set_default_driver("rocm"), CODA_RT_INVALID_ARGUMENT);
}

TEST(DeviceTest, NamesAreTakenOnce) {
  FakeDriver &driver = FakeDriver::create();
  EXPECT_FALSE(registerDriver(driver.name.c_str(), driver));
}

TEST(DeviceTest, NoDevice) {
  FakeDriver &driver = FakeDriver::create();
  driver.deviceCount = 0;
  coda_rt_device *device = nullptr;
  EXPECT_EQ(coda_rt_device_get(driver.name.c_str(), 0, &device),
            CODA_RT_NO_DEVICE);
  driver.deviceCount = 2;
  EXPECT_EQ(coda_rt_device_get(driver.name.c_str(), 2, &device),
            CODA_RT_NO_DEVICE);
  EXPECT_STREQ(coda_rt_last_error(), "device 2; expected 0 to 1");
  EXPECT_EQ(coda_rt_device_get(driver.name.c_str(), -1, &device),
            CODA_RT_NO_DEVICE);
}

TEST(DeviceTest, HandlesAreStable) {
  FakeDriver &driver = FakeDriver::create();
  coda_rt_device *device = driver.getDevice(0);
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(driver.getDevice(0), device);
  EXPECT_NE(driver.getDevice(1), device);
  coda_rt_device_info info;
  ASSERT_EQ(coda_rt_device_get_info(device, &info), CODA_RT_SUCCESS);
  EXPECT_EQ(info.sm, 90);
  EXPECT_STREQ(info.name, "fake GPU");
}

TEST(DeviceTest, NullArguments) {
  coda_rt_address address;
  EXPECT_EQ(coda_rt_alloc(nullptr, 1, &address), CODA_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(coda_rt_last_error(), "device is null");
  coda_rt_device *device = FakeDriver::create().getDevice();
  EXPECT_EQ(coda_rt_alloc(device, 1, nullptr), CODA_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(coda_rt_last_error(), "address is null");
  EXPECT_EQ(coda_rt_event_record(device, nullptr, nullptr),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(coda_rt_device_count(nullptr, nullptr), CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(coda_rt_module_release(nullptr), CODA_RT_INVALID_ARGUMENT);
}

TEST(DeviceTest, ErrorsBelongToTheThread) {
  coda_rt_free(nullptr, 1);
  std::string elsewhere = "not run";
  std::thread([&] { elsewhere = coda_rt_last_error(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_STREQ(coda_rt_last_error(), "device is null");
}

TEST(DeviceTest, StatusNames) {
  EXPECT_STREQ(coda_rt_status_name(CODA_RT_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(coda_rt_status_name(static_cast<coda_rt_status>(99)),
               "unknown status");
}

TEST(DeviceTest, MemoryRoundTrip) {
  FakeDriver &driver = FakeDriver::create();
  coda_rt_device *device = driver.getDevice();
  int source[4] = {1, 2, 3, 4}, result[4] = {};
  coda_rt_address a = 0, b = 0;
  ASSERT_EQ(coda_rt_alloc(device, sizeof(source), &a), CODA_RT_SUCCESS);
  ASSERT_EQ(coda_rt_alloc(device, sizeof(source), &b), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_copy_to_device(device, a, source, sizeof(source), nullptr),
            CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_copy_on_device(device, b, a, sizeof(source), nullptr),
            CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_copy_to_host(device, result, b, sizeof(source), nullptr),
            CODA_RT_SUCCESS);
  EXPECT_EQ(std::memcmp(result, source, sizeof(source)), 0);
  EXPECT_EQ(coda_rt_free(device, a), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_free(device, b), CODA_RT_SUCCESS);
  EXPECT_TRUE(driver.allocations.empty());
}

TEST(DeviceTest, EmptyAndFailingMemory) {
  FakeDriver &driver = FakeDriver::create();
  coda_rt_device *device = driver.getDevice();
  coda_rt_address address = 7;
  EXPECT_EQ(coda_rt_alloc(device, 0, &address), CODA_RT_SUCCESS);
  EXPECT_EQ(address, 0u);
  EXPECT_EQ(coda_rt_free(device, 0), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_copy_to_device(device, 0, nullptr, 0, nullptr),
            CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_copy_to_device(device, 0, &address, 8, nullptr),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(coda_rt_last_error(), "copying 8 bytes to address 0");
  EXPECT_EQ(coda_rt_alloc(device, size_t(1) << 40, &address),
            CODA_RT_OUT_OF_MEMORY);
}

TEST(DeviceTest, EventsMeasureTime) {
  FakeDriver &driver = FakeDriver::create();
  coda_rt_device *device = driver.getDevice();
  coda_rt_event start = nullptr, end = nullptr;
  ASSERT_EQ(coda_rt_event_create(device, &start), CODA_RT_SUCCESS);
  ASSERT_EQ(coda_rt_event_create(device, &end), CODA_RT_SUCCESS);
  EXPECT_TRUE(driver.lastEventTiming);
  float milliseconds = 0;
  EXPECT_EQ(coda_rt_event_elapsed(device, start, end, &milliseconds),
            CODA_RT_SUCCESS);
  EXPECT_EQ(milliseconds, 1.5f);
}

} // namespace
