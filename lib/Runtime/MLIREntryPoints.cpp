//===- MLIREntryPoints.cpp - Modules, launches and memory for MLIR --------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/MLIREntryPoints.h"

#include "Device.h"
#include "Error.h"
#include "Launch.h"
#include "MLIRDevice.h"

#include <cstring>

using namespace coda::runtime;

static thread_local int32_t defaultDevice = 0;

Status coda::runtime::getDefaultDevice(coda_rt_device *&device) {
  return getDevice(nullptr, defaultDevice, device);
}

void mgpuSetDefaultDevice(int32_t device) { defaultDevice = device; }

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {

/// An image, and what it was loaded as on each device. Host code loads its
/// modules before main(), where nobody knows yet which device will be used, if
/// any.
class LazyModule {
public:
  LazyModule(std::string_view image, int optLevel)
      : image(image), optLevel(optLevel) {}

  Status getKernel(const char *name, coda_rt_kernel *&kernel) {
    coda_rt_device *device = nullptr;
    if (Status status = getDefaultDevice(device))
      return status;
    coda_rt_module *module = nullptr;
    if (Status status = load(*device, module))
      return status;
    return module->getKernel(name, kernel);
  }

  Status release() {
    for (auto &[device, module] : loaded)
      if (Status status = device->modules.release(*module))
        return status;
    return CODA_RT_SUCCESS;
  }

private:
  Status load(coda_rt_device &device, coda_rt_module *&module) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = loaded.find(&device);
    if (found != loaded.end()) {
      module = found->second;
      return CODA_RT_SUCCESS;
    }
    if (Status status = device.modules.load(device, image, optLevel, module))
      return status;
    loaded.emplace(&device, module);
    return CODA_RT_SUCCESS;
  }

  std::string_view image;
  int optLevel;
  std::mutex mutex;
  std::map<coda_rt_device *, coda_rt_module *> loaded;
};

} // namespace

void *mgpuModuleLoad(void *data, size_t size) {
  return new LazyModule({static_cast<const char *>(data), size},
                        /*optLevel=*/-1);
}

void *mgpuModuleLoadJIT(void *data, int optLevel) {
  const char *image = static_cast<const char *>(data);
  return new LazyModule({image, std::strlen(image)}, optLevel);
}

void mgpuModuleUnload(void *module) {
  auto *lazy = static_cast<LazyModule *>(module);
  if (!lazy)
    return;
  succeededOrReport(lazy->release(), __func__);
  delete lazy;
}

void *mgpuModuleGetFunction(void *module, const char *name) {
  coda_rt_kernel *kernel = nullptr;
  Status status =
      module ? static_cast<LazyModule *>(module)->getKernel(name, kernel)
             : fail(CODA_RT_INVALID_ARGUMENT, "module is null");
  return succeededOrReport(status, __func__) ? kernel : nullptr;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A size that does not fit is turned into one that every check refuses.
static uint32_t toSize(intptr_t size) {
  return size < 0 || size > UINT32_MAX ? UINT32_MAX
                                       : static_cast<uint32_t>(size);
}

/// `numParams` is -1 where the caller does not say.
static Status launch(coda_rt_kernel *kernel,
                     const coda_rt_launch_config &config, void *stream,
                     void **params, int64_t numParams, void **extra) {
  if (!kernel)
    return fail(CODA_RT_INVALID_ARGUMENT, "function is null");
  if (extra)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "extra launch options; expected none");
  int64_t expected = kernel->info.kernel.parameters;
  if (numParams >= 0 && expected >= 0 && numParams != expected)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "kernel '%s': %lld arguments; expected the kernel's %lld",
                kernel->name.c_str(), static_cast<long long>(numParams),
                static_cast<long long>(expected));
  size_t passed = numParams >= 0  ? static_cast<size_t>(numParams)
                  : expected >= 0 ? static_cast<size_t>(expected)
                                  : 0;
  if (Status status = launchKernel(*kernel, config, params, passed, stream))
    return addContext(status, "kernel '%s'", kernel->name.c_str());
  return CODA_RT_SUCCESS;
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedMemory, void *stream,
                      void **params, void **extra, size_t numParams) {
  coda_rt_launch_config config = {
      {toSize(gridX), toSize(gridY), toSize(gridZ)},
      {toSize(blockX), toSize(blockY), toSize(blockZ)},
      {0, 0, 0},
      static_cast<uint32_t>(sharedMemory)};
  succeededOrReport(launch(static_cast<coda_rt_kernel *>(function), config,
                           stream, params, static_cast<int64_t>(numParams),
                           extra),
                    __func__);
}

void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t sharedMemory, void *stream, void **params,
                             void **extra) {
  coda_rt_launch_config config = {
      {toSize(gridX), toSize(gridY), toSize(gridZ)},
      {toSize(blockX), toSize(blockY), toSize(blockZ)},
      {toSize(clusterX), toSize(clusterY), toSize(clusterZ)},
      static_cast<uint32_t>(sharedMemory)};
  succeededOrReport(launch(static_cast<coda_rt_kernel *>(function), config,
                           stream, params, /*numParams=*/-1, extra),
                    __func__);
}
