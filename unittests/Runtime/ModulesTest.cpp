//===- ModulesTest.cpp - Loading, finding and unloading code --------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include "gtest/gtest.h"

using namespace coda::runtime;

namespace {

class ModulesTest : public testing::Test {
protected:
  coda_rt_status load(const std::string &image, int ordinal = 0) {
    module = nullptr;
    return coda_rt_module_load(driver.getDevice(ordinal), image.data(),
                               image.size(), &module);
  }

  FakeDriver &driver = FakeDriver::create();
  coda_rt_module *module = nullptr;
};

TEST_F(ModulesTest, SameBytesAreLoadedOnce) {
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  coda_rt_module *first = module;
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  EXPECT_EQ(module, first);
  EXPECT_EQ(driver.moduleLoads, 1u);
  ASSERT_EQ(load(makePTX("sm_90a", "// other")), CODA_RT_SUCCESS);
  EXPECT_NE(module, first);
  EXPECT_EQ(driver.moduleLoads, 2u);
  coda_rt_cache_statistics statistics;
  coda_rt_get_cache_statistics(driver.getDevice(), &statistics);
  EXPECT_EQ(statistics.modules, 2u);
  EXPECT_EQ(statistics.module_hits, 1u);
}

TEST_F(ModulesTest, DevicesHaveTheirOwn) {
  ASSERT_EQ(load(makePTX(), 0), CODA_RT_SUCCESS);
  coda_rt_module *first = module;
  ASSERT_EQ(load(makePTX(), 1), CODA_RT_SUCCESS);
  EXPECT_NE(module, first);
  EXPECT_EQ(driver.moduleLoads, 2u);
  EXPECT_EQ(driver.lastDevice, 1);
}

TEST_F(ModulesTest, ImageNeedsNoNul) {
  std::string image = makePTX();
  std::string longer = image + "not part of it";
  ASSERT_EQ(coda_rt_module_load(driver.getDevice(), longer.data(), image.size(),
                                &module),
            CODA_RT_SUCCESS);
  EXPECT_EQ(driver.lastImage, image);
}

TEST_F(ModulesTest, PurgeUnloadsWhatNobodyHolds) {
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_module_release(module), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_purge(driver.getDevice()), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.moduleUnloads, 0u);
  EXPECT_EQ(coda_rt_module_release(module), CODA_RT_SUCCESS);
  EXPECT_EQ(coda_rt_module_release(module), CODA_RT_INVALID_ARGUMENT);
  EXPECT_EQ(coda_rt_purge(driver.getDevice()), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.moduleUnloads, 1u);
}

TEST_F(ModulesTest, ReleasedCodeIsFoundAgain) {
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  coda_rt_module_release(module);
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  EXPECT_EQ(driver.moduleLoads, 1u);
}

TEST_F(ModulesTest, CompilerLogIsKept) {
  driver.moduleLog = "line 7; error: unknown opcode";
  EXPECT_EQ(load(makePTX()), CODA_RT_MODULE_LOAD);
  EXPECT_TRUE(lastErrorHas("line 7; error"));
  // A failure is not remembered.
  driver.moduleLog.clear();
  EXPECT_EQ(load(makePTX()), CODA_RT_SUCCESS);
}

TEST_F(ModulesTest, EmptyImage) {
  EXPECT_EQ(load(""), CODA_RT_INVALID_ARGUMENT);
}

TEST_F(ModulesTest, Kernels) {
  driver.functionInfo.kernel.parameters = -1;
  ASSERT_EQ(load(makePTX()), CODA_RT_SUCCESS);
  coda_rt_kernel *kernel = nullptr, *again = nullptr;
  ASSERT_EQ(coda_rt_module_get_kernel(module, "gemm", &kernel),
            CODA_RT_SUCCESS);
  ASSERT_EQ(coda_rt_module_get_kernel(module, "gemm", &again), CODA_RT_SUCCESS);
  EXPECT_EQ(kernel, again);
  EXPECT_EQ(driver.functionLookups, 1u);
  coda_rt_kernel_info info;
  ASSERT_EQ(coda_rt_kernel_get_info(kernel, &info), CODA_RT_SUCCESS);
  EXPECT_EQ(info.registers, 168);
  EXPECT_EQ(info.parameters, -1);
  EXPECT_EQ(coda_rt_module_get_kernel(module, "missing", &kernel),
            CODA_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(lastErrorHas("no kernel 'missing'"));
}

struct ArchitectureCase {
  int device;
  const char *target;
  bool fits;
};

class ArchitectureTest : public testing::TestWithParam<ArchitectureCase> {};

TEST_P(ArchitectureTest, IsCheckedBeforeTheDriverSeesIt) {
  FakeDriver &driver = FakeDriver::create();
  driver.info.sm = GetParam().device;
  std::string image = makePTX(GetParam().target);
  coda_rt_module *module = nullptr;
  coda_rt_status status = coda_rt_module_load(driver.getDevice(), image.data(),
                                              image.size(), &module);
  EXPECT_EQ(status,
            GetParam().fits ? CODA_RT_SUCCESS : CODA_RT_WRONG_ARCHITECTURE);
  EXPECT_EQ(driver.moduleLoads, GetParam().fits ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(
    , ArchitectureTest,
    testing::Values(ArchitectureCase{90, "sm_90a", true},
                    ArchitectureCase{90, "sm_90", true},
                    ArchitectureCase{90, "sm_80", true},
                    ArchitectureCase{90, "sm_90a, texmode_independent", true},
                    ArchitectureCase{80, "sm_90a", false},
                    ArchitectureCase{80, "sm_90", false},
                    // Code for one architecture does not run on newer ones.
                    ArchitectureCase{100, "sm_90a", false},
                    ArchitectureCase{100, "sm_90", true},
                    ArchitectureCase{103, "sm_100f", true},
                    ArchitectureCase{120, "sm_100f", false}));

TEST_F(ModulesTest, WrongArchitectureSaysBoth) {
  driver.info.sm = 80;
  EXPECT_EQ(load("/* .target sm_10 */ .version 8.0\n.target sm_90a\n"),
            CODA_RT_WRONG_ARCHITECTURE);
  EXPECT_STREQ(coda_rt_last_error(), "needs sm_90a, found sm_80 (fake GPU)");
}

TEST_F(ModulesTest, OtherImagesAreLeftToTheDriver) {
  driver.info.sm = 80;
  EXPECT_EQ(load("\x7f"
                 "ELF.target sm_90a"),
            CODA_RT_SUCCESS);
  EXPECT_EQ(load("// a comment without an end"), CODA_RT_SUCCESS);
  EXPECT_EQ(load("/* a comment without an end"), CODA_RT_SUCCESS);
  EXPECT_EQ(load(".version 8.0"), CODA_RT_SUCCESS);
  EXPECT_EQ(load(".version 8.0\n.target "), CODA_RT_SUCCESS);
}

} // namespace
