//===- CudaDriverTest.cpp - Calls that reach libcuda.so.1 -----------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/Runtime.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

const std::string ptx = ".version 8.3\n.target sm_90a\n.address_size 64\n";

/// Calls go through the C interface and come out as those of libcuda.so.1.
class CudaDriverTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    ::setenv("CODA_CUDA_LIBRARY", CODA_FAKE_CUDA, 1);
    void *library = dlopen(CODA_FAKE_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    takeTrace = reinterpret_cast<const char *(*)()>(
        dlsym(library, "fakeCudaTakeTrace"));
    ASSERT_NE(takeTrace, nullptr);
  }

  void SetUp() override {
    ASSERT_EQ(coda_rt_device_get("cuda", 0, &device), CODA_RT_SUCCESS)
        << coda_rt_last_error();
    takeTrace();
  }

  coda_rt_kernel *getKernel() {
    coda_rt_module *module = nullptr;
    coda_rt_kernel *kernel = nullptr;
    coda_rt_module_load(device, ptx.data(), ptx.size(), &module);
    coda_rt_module_get_kernel(module, "gemm", &kernel);
    return kernel;
  }

  static const char *(*takeTrace)();
  coda_rt_device *device = nullptr;
};

const char *(*CudaDriverTest::takeTrace)() = nullptr;

TEST_F(CudaDriverTest, DeviceInfo) {
  int count = 0;
  EXPECT_EQ(coda_rt_device_count("cuda", &count), CODA_RT_SUCCESS);
  EXPECT_EQ(count, 1);
  coda_rt_device_info info;
  ASSERT_EQ(coda_rt_device_get_info(device, &info), CODA_RT_SUCCESS);
  EXPECT_STREQ(info.name, "fake H200");
  EXPECT_EQ(info.sm, 90);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.max_shared_memory, 232448);
  EXPECT_EQ(info.l2_bytes, size_t(50) << 20);
  EXPECT_EQ(info.total_memory, size_t(141) << 30);
  EXPECT_EQ(info.free_memory, size_t(100) << 30);
  EXPECT_EQ(info.driver_version, 12040);
}

TEST_F(CudaDriverTest, Memory) {
  coda_rt_address a = 0, b = 0;
  int source = 5, result = 0;
  auto *stream = reinterpret_cast<void *>(0x99);
  coda_rt_alloc(device, 4, &a);
  coda_rt_alloc(device, 4, &b);
  coda_rt_copy_to_device(device, a, &source, 4, stream);
  coda_rt_copy_on_device(device, b, a, 4, stream);
  coda_rt_copy_to_host(device, &result, b, 4, stream);
  EXPECT_EQ(result, 5);
  coda_rt_fill(device, b, 0xff, 4, stream);
  coda_rt_free(device, a);
  coda_rt_free(device, b);
  EXPECT_STREQ(takeTrace(), "cuMemAlloc 4\n"
                            "cuMemAlloc 4\n"
                            "cuMemcpyHtoD 4 stream 0x99\n"
                            "cuMemcpyDtoD 4 stream 0x99\n"
                            "cuMemcpyDtoH 4 stream 0x99\n"
                            "cuMemset 4 x 1 bytes of 0xff\n"
                            "cuMemFree\n"
                            "cuMemFree\n");
}

TEST_F(CudaDriverTest, OutOfMemory) {
  ::setenv("FAKE_CUDA_FAIL", "cuMemAlloc", 1);
  coda_rt_address address = 0;
  EXPECT_EQ(coda_rt_alloc(device, 12345, &address), CODA_RT_OUT_OF_MEMORY);
  EXPECT_STREQ(coda_rt_last_error(),
               "allocating 12345 bytes: cuMemAlloc failed with "
               "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  ::unsetenv("FAKE_CUDA_FAIL");
}

TEST_F(CudaDriverTest, StreamsAndEvents) {
  coda_rt_stream stream = nullptr;
  coda_rt_event event = nullptr;
  float milliseconds = 0;
  coda_rt_stream_create(device, &stream);
  coda_rt_event_create(device, &event);
  coda_rt_event_record(device, event, stream);
  coda_rt_stream_wait_event(device, stream, event);
  coda_rt_event_synchronize(device, event);
  coda_rt_event_elapsed(device, event, event, &milliseconds);
  EXPECT_EQ(milliseconds, 0.25f);
  coda_rt_event_destroy(device, event);
  coda_rt_stream_synchronize(device, stream);
  coda_rt_stream_destroy(device, stream);
  coda_rt_device_synchronize(device);
  EXPECT_STREQ(takeTrace(), "cuStreamCreate flags 1\n"
                            "cuEventCreate flags 0\n"
                            "cuEventRecord 0xe0 stream 0x50\n"
                            "cuStreamWaitEvent 0x50 0xe0\n"
                            "cuEventSynchronize 0xe0\n"
                            "cuEventElapsedTime 0xe0 0xe0\n"
                            "cuEventDestroy 0xe0\n"
                            "cuStreamSynchronize 0x50\n"
                            "cuStreamDestroy 0x50\n"
                            "cuCtxSynchronize\n");
}

TEST_F(CudaDriverTest, KernelInfo) {
  coda_rt_kernel_info info;
  ASSERT_EQ(coda_rt_kernel_get_info(getKernel(), &info), CODA_RT_SUCCESS);
  EXPECT_EQ(info.registers, 168);
  EXPECT_EQ(info.shared_memory, 16);
  EXPECT_EQ(info.local_memory, 8);
  EXPECT_EQ(info.max_threads_per_block, 384);
  EXPECT_EQ(info.parameters, 3);
}

TEST_F(CudaDriverTest, CompilerLog) {
  std::string bad = ptx + "invalid";
  coda_rt_module *module = nullptr;
  EXPECT_EQ(coda_rt_module_load(device, bad.data(), bad.size(), &module),
            CODA_RT_MODULE_LOAD);
  EXPECT_STREQ(coda_rt_last_error(),
               "cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX (218): a "
               "PTX JIT compilation failed\n"
               "ptxas application ptx input, line 4; fatal");
}

TEST_F(CudaDriverTest, MissingKernel) {
  coda_rt_module *module = nullptr;
  coda_rt_kernel *kernel = nullptr;
  coda_rt_module_load(device, ptx.data(), ptx.size(), &module);
  EXPECT_EQ(coda_rt_module_get_kernel(module, "missing", &kernel),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(coda_rt_last_error(), "the module has no kernel 'missing'");
}

TEST_F(CudaDriverTest, Launch) {
  coda_rt_tensor_map map = {};
  map.address = 0x10000;
  map.rank = 2;
  map.dims[0] = 1000;
  map.dims[1] = 300;
  map.strides[0] = 2016;
  map.box[0] = 64;
  map.box[1] = 128;
  map.element = CODA_RT_BF16;
  map.swizzle = CODA_RT_SWIZZLE_128B;
  map.l2_promotion = CODA_RT_L2_256B;
  int32_t number = 42;
  coda_rt_arg args[] = {coda_rt_arg_tensor_map(&map),
                        coda_rt_arg_pointer(0xabc0, 0),
                        coda_rt_arg_value(&number, sizeof(number))};
  coda_rt_launch_config config = {
      {132, 2, 1}, {384, 1, 1}, {2, 1, 1}, 200 * 1024};
  coda_rt_kernel *kernel = getKernel();
  takeTrace();
  ASSERT_EQ(
      coda_rt_launch(kernel, &config, args, 3, reinterpret_cast<void *>(0x99)),
      CODA_RT_SUCCESS)
      << coda_rt_last_error();
  EXPECT_STREQ(takeTrace(),
               "cuTensorMapEncodeTiled type 9 rank 2 address 0x10000 dims 1000 "
               "300 stride 2016 box 64 128 steps 1 1 interleave 0 swizzle 3 l2 "
               "3 oob 0\n"
               "cuFuncSetAttribute 0xf0 8 204800\n"
               "cuLaunchKernelEx 0xf0 grid 132 2 1 block 384 1 1 shared 204800 "
               "stream 0x99 pointer 0xabc0 number 42\n"
               "attribute 4: 2 1 1\n");

  // Again, all is known but the launch.
  config.cluster[0] = config.cluster[1] = config.cluster[2] = 0;
  ASSERT_EQ(coda_rt_launch(kernel, &config, args, 3, nullptr), CODA_RT_SUCCESS);
  EXPECT_STREQ(takeTrace(),
               "cuLaunchKernelEx 0xf0 grid 132 2 1 block 384 1 1 shared 204800 "
               "stream (nil) pointer 0xabc0 number 42\n");

  ::setenv("FAKE_CUDA_FAIL", "cuLaunchKernelEx", 1);
  EXPECT_EQ(coda_rt_launch(kernel, &config, args, 3, nullptr),
            CODA_RT_OUT_OF_MEMORY);
  EXPECT_STREQ(coda_rt_last_error(),
               "kernel 'gemm': cuLaunchKernelEx failed with "
               "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  ::unsetenv("FAKE_CUDA_FAIL");
}

} // namespace
