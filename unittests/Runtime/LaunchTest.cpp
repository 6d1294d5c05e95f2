//===- LaunchTest.cpp - Checks, packing and the launch path ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "LaunchFromC.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

using namespace coda::runtime;

//===----------------------------------------------------------------------===//
// Counting allocations, those of the library included
//===----------------------------------------------------------------------===//

static thread_local size_t numAllocations = 0;

void *operator new(size_t bytes) {
  ++numAllocations;
  void *memory = std::malloc(bytes);
  if (!memory)
    std::abort();
  return memory;
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  ++numAllocations;
  size_t unit = static_cast<size_t>(alignment);
  void *memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!memory)
    std::abort();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    map.address = 0x10000;
    map.rank = 2;
    map.dims[0] = map.dims[1] = 1024;
    map.strides[0] = 2048;
    map.box[0] = 64;
    map.box[1] = 128;
    map.element = CODA_RT_BF16;
    map.swizzle = CODA_RT_SWIZZLE_128B;
    setParameters({CODA_RT_TENSOR_MAP_BYTES, sizeof(coda_rt_address),
                   sizeof(int32_t), sizeof(float)});
    args = {coda_rt_arg_tensor_map(&map), coda_rt_arg_pointer(0x2000, 0),
            coda_rt_arg_value(&rows, sizeof(rows)),
            coda_rt_arg_value(&scale, sizeof(scale))};
  }

  void setParameters(std::vector<size_t> sizes) {
    driver.functionInfo.kernel.parameters = static_cast<int>(sizes.size());
    driver.functionInfo.parameterSizes = std::move(sizes);
  }

  coda_rt_kernel *getKernel() {
    std::string image = makePTX();
    coda_rt_module *module = nullptr;
    coda_rt_kernel *kernel = nullptr;
    coda_rt_module_load(driver.getDevice(), image.data(), image.size(),
                        &module);
    coda_rt_module_get_kernel(module, "gemm", &kernel);
    return kernel;
  }

  coda_rt_status launch() {
    return coda_rt_launch(getKernel(), &config, args.data(), args.size(),
                          stream);
  }

  void expectRefusal(coda_rt_status status, const char *text) {
    EXPECT_EQ(launch(), status) << text;
    EXPECT_TRUE(lastErrorHas(text));
    EXPECT_EQ(driver.numLaunches, 0u);
  }

  FakeDriver &driver = FakeDriver::create();
  coda_rt_tensor_map map = {};
  int32_t rows = 1024;
  float scale = 0.5f;
  coda_rt_stream stream = reinterpret_cast<void *>(0x77);
  coda_rt_launch_config config = {
      {132, 1, 1}, {384, 1, 1}, {0, 0, 0}, 200 * 1024};
  std::vector<coda_rt_arg> args;
};

//===----------------------------------------------------------------------===//
// What reaches the driver
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, PacksArgumentsInOrder) {
  ASSERT_EQ(launch(), CODA_RT_SUCCESS) << coda_rt_last_error();
  ASSERT_EQ(driver.numLaunches, 1u);
  const RecordedLaunch &launch = driver.lastLaunch;
  EXPECT_EQ(launch.numParams, 4u);
  EXPECT_EQ(launch.stream, stream);
  EXPECT_EQ(std::memcmp(&launch.config, &config, sizeof(config)), 0);

  const unsigned char *value = launch.values;
  EXPECT_EQ(std::memcmp(value, &driver.lastTensorMap, CODA_RT_TENSOR_MAP_BYTES),
            0);
  value += CODA_RT_TENSOR_MAP_BYTES;
  coda_rt_address address = 0x2000;
  EXPECT_EQ(std::memcmp(value, &address, sizeof(address)), 0);
  value += sizeof(address);
  EXPECT_EQ(std::memcmp(value, &rows, sizeof(rows)), 0);
  value += sizeof(rows);
  EXPECT_EQ(std::memcmp(value, &scale, sizeof(scale)), 0);
}

TEST_F(LaunchTest, FromC) {
  setParameters(
      {CODA_RT_TENSOR_MAP_BYTES, sizeof(coda_rt_address), sizeof(int32_t)});
  ASSERT_EQ(launchFromC(getKernel(), &map, 0x2000, 7, stream), CODA_RT_SUCCESS)
      << coda_rt_last_error();
  int32_t rows = 0;
  std::memcpy(&rows, driver.lastLaunch.values + 136, sizeof(rows));
  EXPECT_EQ(rows, 7);
}

TEST_F(LaunchTest, NoArguments) {
  setParameters({});
  EXPECT_EQ(coda_rt_launch(getKernel(), &config, nullptr, 0, nullptr),
            CODA_RT_SUCCESS);
}

TEST_F(LaunchTest, SeveralTensorMapsKeepTheirBytes) {
  coda_rt_tensor_map other = map;
  other.address = 0x20000;
  setParameters({CODA_RT_TENSOR_MAP_BYTES, CODA_RT_TENSOR_MAP_BYTES});
  args = {coda_rt_arg_tensor_map(&map), coda_rt_arg_tensor_map(&other)};
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  coda_rt_address first = 0, second = 0;
  std::memcpy(&first, driver.lastLaunch.values, sizeof(first));
  std::memcpy(&second, driver.lastLaunch.values + CODA_RT_TENSOR_MAP_BYTES,
              sizeof(second));
  EXPECT_EQ(first, map.address);
  EXPECT_EQ(second, other.address);
}

TEST_F(LaunchTest, SharedMemoryIsGrantedOnce) {
  config.shared_memory = 48 * 1024;
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.sharedMemoryGrants, 0u);
  config.shared_memory = 200 * 1024;
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  config.shared_memory = 100 * 1024;
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.sharedMemoryGrants, 1u);
  EXPECT_EQ(driver.grantedSharedMemory, 200u * 1024);
}

TEST_F(LaunchTest, StaticSharedMemoryCounts) {
  driver.functionInfo.kernel.shared_memory = 1024;
  config.shared_memory = 48 * 1024;
  ASSERT_EQ(launch(), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.sharedMemoryGrants, 1u);
}

TEST_F(LaunchTest, DoesNotAllocateOrSynchronize) {
  coda_rt_kernel *kernel = getKernel();
  ASSERT_EQ(coda_rt_launch(kernel, &config, args.data(), args.size(), stream),
            CODA_RT_SUCCESS);
  size_t before = numAllocations;
  ASSERT_EQ(coda_rt_launch(kernel, &config, args.data(), args.size(), stream),
            CODA_RT_SUCCESS);
  EXPECT_EQ(numAllocations, before);
  EXPECT_EQ(driver.synchronizations, 0u);
  EXPECT_EQ(driver.numLaunches, 2u);
  // The count is alive: an encoding that is new has to be stored.
  map.address += 16;
  ASSERT_EQ(coda_rt_launch(kernel, &config, args.data(), args.size(), stream),
            CODA_RT_SUCCESS);
  EXPECT_GT(numAllocations, before);
}

TEST_F(LaunchTest, FromSeveralThreads) {
  constexpr int numThreads = 4, numLaunches = 500;
  auto work = [&](int seed) {
    for (int step = 0; step != numLaunches; ++step) {
      coda_rt_tensor_map mine = map;
      mine.address += static_cast<uint64_t>((step * 7 + seed) % 50) * 16;
      coda_rt_arg mineArgs[] = {coda_rt_arg_tensor_map(&mine), args[1], args[2],
                                args[3]};
      EXPECT_EQ(coda_rt_launch(getKernel(), &config, mineArgs, 4, stream),
                CODA_RT_SUCCESS);
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed != numThreads; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(driver.numLaunches, size_t(numThreads) * numLaunches);
  EXPECT_EQ(driver.moduleLoads, 1u);
  EXPECT_EQ(driver.functionLookups, 1u);
  EXPECT_EQ(driver.sharedMemoryGrants, 1u);
  coda_rt_cache_statistics statistics;
  coda_rt_get_cache_statistics(driver.getDevice(), &statistics);
  EXPECT_EQ(statistics.tensor_maps, 50u);
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, NullPointers) {
  EXPECT_EQ(coda_rt_launch(nullptr, &config, nullptr, 0, nullptr),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(coda_rt_launch(getKernel(), nullptr, nullptr, 0, nullptr),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(coda_rt_launch(getKernel(), &config, nullptr, 1, nullptr),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(lastErrorHas("args is null"));
}

TEST_F(LaunchTest, WrongNumberOfArguments) {
  args.pop_back();
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "kernel 'gemm': 3 arguments; expected the kernel's 4");
}

TEST_F(LaunchTest, WrongSizeOfArgument) {
  double wide = 0.5;
  args[3] = coda_rt_arg_value(&wide, sizeof(wide));
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "kernel 'gemm': argument 3: 8 bytes; expected the 4 of the "
                "kernel's parameter");
}

TEST_F(LaunchTest, UnknownParametersAreNotCompared) {
  driver.functionInfo.kernel.parameters = -1;
  args.pop_back();
  EXPECT_EQ(launch(), CODA_RT_SUCCESS);
}

TEST_F(LaunchTest, MisalignedPointer) {
  args[1] = coda_rt_arg_pointer(0x2008, 0);
  expectRefusal(
      CODA_RT_MISALIGNED,
      "kernel 'gemm': argument 1: address 0x2008; expected a multiple of 16");
}

TEST_F(LaunchTest, PointerOfItsOwnAlignment) {
  args[1] = coda_rt_arg_pointer(0x2004, 4);
  EXPECT_EQ(launch(), CODA_RT_SUCCESS);
}

TEST_F(LaunchTest, TensorMap) {
  map.strides[0] = 2046;
  expectRefusal(CODA_RT_MISALIGNED,
                "kernel 'gemm': argument 0: tensor map: dimension 1 has a "
                "stride of 2046 bytes; expected a multiple of 16");
  args[0].u.tensor_map = nullptr;
  expectRefusal(CODA_RT_INVALID_ARGUMENT, "argument 0: the tensor map is null");
}

TEST_F(LaunchTest, EmptyValueAndUnknownKind) {
  args[2] = coda_rt_arg_value(nullptr, 4);
  expectRefusal(CODA_RT_INVALID_ARGUMENT, "argument 2: a null value");
  args[2].kind = static_cast<coda_rt_arg_kind>(9);
  expectRefusal(CODA_RT_INVALID_ARGUMENT, "argument 2: kind 9");
}

TEST_F(LaunchTest, TooMany) {
  driver.functionInfo.kernel.parameters = -1;
  driver.functionInfo.parameterSizes.clear();
  args.assign(CODA_RT_MAX_ARGS + 1, coda_rt_arg_pointer(0, 0));
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "257 arguments; expected at most 256");
  args.assign(CODA_RT_MAX_TENSOR_MAP_ARGS + 1, coda_rt_arg_tensor_map(&map));
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "argument 32: expected at most 32 tensor maps");
}

TEST_F(LaunchTest, Grid) {
  config.grid[0] = 0;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "grid size 0 along x; expected 1 to 2147483647");
  config.grid[0] = 1;
  config.grid[1] = 65536;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "grid size 65536 along y; expected 1 to 65535");
}

TEST_F(LaunchTest, Block) {
  config.block[1] = 2;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "block of 384 x 2 x 1 threads; expected 1 to 384 threads");
  config.block[0] = config.block[1] = config.block[2] = UINT32_MAX;
  expectRefusal(CODA_RT_INVALID_ARGUMENT, "expected 1 to 384 threads");
}

TEST_F(LaunchTest, Cluster) {
  config.cluster[0] = 5;
  config.cluster[1] = config.cluster[2] = 1;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "grid size 132 along x; expected a multiple of the cluster's "
                "5");
  config.cluster[0] = 12;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "cluster of 12 x 1 x 1 blocks; expected 1 to 8 blocks");
  config.cluster[0] = 2;
  config.cluster[1] = 0;
  expectRefusal(CODA_RT_INVALID_ARGUMENT, "cluster of 2 x 0 x 1 blocks");
  config.cluster[1] = 1;
  EXPECT_EQ(launch(), CODA_RT_SUCCESS);
}

TEST_F(LaunchTest, SharedMemory) {
  driver.functionInfo.kernel.shared_memory = 1024;
  config.shared_memory = 232448;
  expectRefusal(CODA_RT_INVALID_ARGUMENT,
                "232448 bytes of dynamic and 1024 of static shared memory; "
                "expected at most 232448 together");
}

} // namespace
