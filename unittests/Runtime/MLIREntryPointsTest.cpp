//===- MLIREntryPointsTest.cpp - What code lowered by MLIR calls ----------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/MLIREntryPoints.h"
#include "FakeDriver.h"

#include <cstring>
#include <thread>
#include <vector>

using namespace coda::runtime;

namespace {

/// What the handler was told.
struct Failures {
  static void add(coda_rt_status status, const char *message, void *user) {
    auto *failures = static_cast<Failures *>(user);
    failures->statuses.push_back(status);
    failures->last = message;
  }

  std::vector<coda_rt_status> statuses;
  std::string last;
};

template <int Rank> struct Descriptor {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t sizes[Rank];
  int64_t strides[Rank];
};

class MLIREntryPointsTest : public testing::Test {
protected:
  void SetUp() override {
    coda_rt_set_default_driver(driver.name.c_str());
    coda_rt_set_error_handler(Failures::add, &failures);
    mgpuSetDefaultDevice(0);
  }
  void TearDown() override {
    mgpuModuleUnload(module);
    coda_rt_set_error_handler(nullptr, nullptr);
    coda_rt_set_default_driver("cuda");
  }

  void *getFunction() { return mgpuModuleGetFunction(module, "kernel"); }

  FakeDriver &driver = FakeDriver::create();
  Failures failures;
  std::string image = makePTX();
  void *module = mgpuModuleLoadJIT(image.data(), 3);
};

TEST_F(MLIREntryPointsTest, ModulesAreLoadedWhenUsed) {
  EXPECT_EQ(driver.moduleLoads, 0u);
  ASSERT_NE(getFunction(), nullptr);
  EXPECT_EQ(driver.moduleLoads, 1u);
  EXPECT_EQ(driver.lastOptLevel, 3);
  EXPECT_EQ(getFunction(), getFunction());
  EXPECT_EQ(driver.moduleLoads, 1u);
  mgpuSetDefaultDevice(1);
  ASSERT_NE(getFunction(), nullptr);
  EXPECT_EQ(driver.moduleLoads, 2u);
  EXPECT_EQ(driver.lastDevice, 1);
  mgpuModuleUnload(nullptr);
  EXPECT_TRUE(failures.statuses.empty());
}

TEST_F(MLIREntryPointsTest, BinariesHaveASize) {
  char binary[] = {0x7f, 'E', 'L', 'F', 0, 1, 2};
  void *module = mgpuModuleLoad(binary, sizeof(binary));
  // The fake reads text only, so it sees that there is more.
  EXPECT_EQ(mgpuModuleGetFunction(module, "kernel"), nullptr);
  EXPECT_EQ(driver.lastOptLevel, -1);
  EXPECT_EQ(driver.lastImage, std::string("\x7f"
                                          "ELF"));
  mgpuModuleUnload(module);
}

TEST_F(MLIREntryPointsTest, Launch) {
  driver.functionInfo.kernel.parameters = 1;
  driver.functionInfo.parameterSizes = {sizeof(float)};
  float value = 2.5f;
  void *params[] = {&value};
  void *stream = mgpuStreamCreate();
  mgpuLaunchKernel(getFunction(), 2, 3, 4, 32, 2, 1, 1024, stream, params,
                   nullptr, 1);
  ASSERT_EQ(driver.numLaunches, 1u);
  EXPECT_EQ(std::memcmp(driver.lastLaunch.values, &value, sizeof(value)), 0);
  coda_rt_launch_config expected = {{2, 3, 4}, {32, 2, 1}, {0, 0, 0}, 1024};
  EXPECT_EQ(std::memcmp(&driver.lastLaunch.config, &expected, sizeof(expected)),
            0);
  EXPECT_EQ(driver.lastLaunch.stream, stream);

  mgpuLaunchClusterKernel(getFunction(), 2, 1, 1, 4, 3, 1, 32, 1, 1, 0, stream,
                          params, nullptr);
  coda_rt_launch_config withCluster = {{4, 3, 1}, {32, 1, 1}, {2, 1, 1}, 0};
  ASSERT_EQ(driver.numLaunches, 2u);
  EXPECT_EQ(
      std::memcmp(&driver.lastLaunch.config, &withCluster, sizeof(withCluster)),
      0);
  EXPECT_TRUE(failures.statuses.empty()) << failures.last;
}

TEST_F(MLIREntryPointsTest, FailuresReachTheHandler) {
  EXPECT_EQ(mgpuModuleGetFunction(module, "missing"), nullptr);
  ASSERT_EQ(failures.statuses.size(), 1u);
  EXPECT_EQ(failures.statuses[0], CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(failures.last, "mgpuModuleGetFunction: invalid argument: the "
                           "module has no kernel 'missing'");
}

TEST_F(MLIREntryPointsTest, RefusedLaunches) {
  driver.functionInfo.kernel.parameters = 1;
  driver.functionInfo.parameterSizes = {sizeof(float)};
  void *extra = nullptr;
  mgpuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(failures.last,
            "mgpuLaunchKernel: invalid argument: function is null");
  mgpuLaunchKernel(getFunction(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, &extra,
                   1);
  mgpuLaunchKernel(getFunction(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                   nullptr, 2);
  EXPECT_NE(failures.last.find("2 arguments; expected the kernel's 1"),
            std::string::npos);
  mgpuLaunchKernel(getFunction(), int64_t(1) << 33, 1, 1, 1, 1, 1, 0, nullptr,
                   nullptr, nullptr, 1);
  mgpuLaunchClusterKernel(getFunction(), -1, -1, -1, 1, 1, 1, 1, 1, 1, 0,
                          nullptr, nullptr, nullptr);
  mgpuLaunchKernel(getFunction(), 1, 1, 1, 1, 1, 1, -1, nullptr, nullptr,
                   nullptr, 1);
  EXPECT_EQ(failures.statuses.size(), 6u);
  EXPECT_EQ(driver.numLaunches, 0u);
}

TEST_F(MLIREntryPointsTest, DefaultDeviceBelongsToTheThread) {
  mgpuSetDefaultDevice(1);
  std::thread([&] { mgpuStreamCreate(); }).join();
  EXPECT_EQ(driver.lastDevice, 0);
  mgpuStreamCreate();
  EXPECT_EQ(driver.lastDevice, 1);
}

TEST_F(MLIREntryPointsTest, Memory) {
  EXPECT_EQ(mgpuMemAlloc(0, nullptr, false), nullptr);
  void *memory = mgpuMemAlloc(64, nullptr, false);
  EXPECT_FALSE(driver.lastAllocationShared);
  void *shared = mgpuMemAlloc(64, nullptr, true);
  EXPECT_TRUE(driver.lastAllocationShared);
  mgpuMemcpy(shared, memory, 64, nullptr);
  EXPECT_EQ(driver.lastCopy.kind, CopyKind::Unknown);
  mgpuMemset16(memory, 0x3f80, 32, nullptr);
  EXPECT_EQ(driver.lastFill.width, 2u);
  EXPECT_EQ(driver.lastFill.value, 0x3f80u);
  mgpuMemset32(memory, 7, 16, nullptr);
  EXPECT_EQ(driver.lastFill.width, 4u);
  EXPECT_EQ(driver.lastFill.count, 16u);
  mgpuMemFree(memory, nullptr);
  mgpuMemFree(shared, nullptr);
  mgpuMemFree(nullptr, nullptr);
  EXPECT_TRUE(driver.allocations.empty());
  EXPECT_TRUE(failures.statuses.empty()) << failures.last;
}

TEST_F(MLIREntryPointsTest, Events) {
  void *event = mgpuEventCreate();
  EXPECT_FALSE(driver.lastEventTiming);
  mgpuEventRecord(event, nullptr);
  mgpuEventSynchronize(event);
  mgpuStreamWaitEvent(nullptr, event);
  mgpuEventDestroy(event);
  mgpuStreamSynchronize(nullptr);
  EXPECT_TRUE(failures.statuses.empty()) << failures.last;
}

TEST_F(MLIREntryPointsTest, HostMemory) {
  float data[24];
  Descriptor<2> memref = {data, data, 8, {2, 8}, {8, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, sizeof(float));
  ASSERT_EQ(driver.registeredMemory.count(data + 8), 1u);
  EXPECT_EQ(driver.registeredMemory[data + 8], 16 * sizeof(float));
  mgpuMemHostUnregisterMemRef(2, &memref, sizeof(float));
  EXPECT_TRUE(driver.registeredMemory.empty());

  memref.strides[0] = 9;
  mgpuMemHostRegisterMemRef(2, &memref, sizeof(float));
  ASSERT_EQ(failures.statuses.size(), 1u);
  EXPECT_EQ(failures.statuses[0], CODA_RT_INVALID_ARGUMENT);
}

TEST_F(MLIREntryPointsTest, TensorMapOfMemRef) {
  auto *base = reinterpret_cast<char *>(0x10000);
  Descriptor<2> memref = {base, base, 512, {100, 64}, {256, 1}};
  int64_t box[] = {32, 64};
  void *first = mgpuTensorMapEncodeTiledMemref(2, &memref, CODA_RT_F16, 0,
                                               CODA_RT_SWIZZLE_128B, 0, 0, box);
  ASSERT_NE(first, nullptr) << failures.last;
  const coda_rt_tensor_map &map = driver.lastTensorMap.map;
  EXPECT_EQ(map.address, 0x10000u + 1024);
  EXPECT_EQ(map.rank, 2u);
  EXPECT_EQ(map.dims[0], 64u);
  EXPECT_EQ(map.dims[1], 100u);
  EXPECT_EQ(map.strides[0], 512u);
  EXPECT_EQ(map.box[0], 64u);
  EXPECT_EQ(map.box[1], 32u);
  EXPECT_EQ(std::memcmp(first, &driver.lastTensorMap, CODA_RT_TENSOR_MAP_BYTES),
            0);
  void *second = mgpuTensorMapEncodeTiledMemref(
      2, &memref, CODA_RT_F16, 0, CODA_RT_SWIZZLE_128B, 0, 0, box);
  EXPECT_EQ(first, second);
  EXPECT_EQ(driver.tensorMapEncodings, 1u);
}

TEST_F(MLIREntryPointsTest, RefusedTensorMaps) {
  auto *base = reinterpret_cast<char *>(0x10000);
  Descriptor<2> memref = {base, base, 0, {100, 64}, {1, 100}};
  int64_t box[] = {32, 64};
  EXPECT_EQ(
      mgpuTensorMapEncodeTiledMemref(2, &memref, CODA_RT_F16, 0, 0, 0, 0, box),
      nullptr);
  EXPECT_NE(failures.last.find("the innermost dimension has a stride of 100"),
            std::string::npos);
  EXPECT_EQ(
      mgpuTensorMapEncodeTiledMemref(6, &memref, CODA_RT_F16, 0, 0, 0, 0, box),
      nullptr);
  EXPECT_NE(failures.last.find("rank 6"), std::string::npos);
  EXPECT_EQ(driver.tensorMapEncodings, 0u);
}

TEST_F(MLIREntryPointsTest, TensorMapOfNumbers) {
  uint64_t dims[] = {64, 100, 3}, strides[] = {512, 65536};
  uint32_t box[] = {64, 32, 1}, elementStrides[] = {1, 2, 1};
  unsigned char encoded[CODA_RT_TENSOR_MAP_BYTES];
  mgpuTensorMapEncodeTiled(encoded, CODA_RT_BF16, 3,
                           reinterpret_cast<void *>(0x10000), dims, strides,
                           box, elementStrides, 0, CODA_RT_SWIZZLE_128B,
                           CODA_RT_L2_128B, CODA_RT_OOB_NAN);
  EXPECT_TRUE(failures.statuses.empty()) << failures.last;
  const TensorMapRequest &request = driver.lastTensorMap;
  EXPECT_EQ(request.map.strides[1], 65536u);
  EXPECT_EQ(request.map.oob_fill, CODA_RT_OOB_NAN);
  EXPECT_EQ(request.elementStrides[1], 2u);
  EXPECT_EQ(std::memcmp(encoded, &request, sizeof(encoded)), 0);
}

TEST(MLIREntryPointsDeathTest, DefaultHandlerExits) {
  EXPECT_EXIT(mgpuModuleGetFunction(nullptr, "kernel"),
              testing::ExitedWithCode(1),
              "^coda runtime: mgpuModuleGetFunction: invalid argument: module "
              "is null\n$");
}

} // namespace
