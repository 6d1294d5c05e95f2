//===- Modules.h - Loaded code and its kernels ------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_MODULES_H
#define CODA_LIB_RUNTIME_MODULES_H

#include "coda/Runtime/Driver.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

struct coda_rt_kernel {
  coda_rt_kernel(coda_rt_module &module, std::string_view name)
      : module(module), name(name) {}

  /// Lets launches ask for so much dynamic shared memory.
  coda_rt_status grantSharedMemory(uint32_t bytes);

  coda_rt_module &module;
  const std::string name;
  coda::runtime::DriverFunction function = nullptr;
  coda::runtime::FunctionInfo info;

  /// Dynamic shared memory that launches may ask for as things are.
  std::atomic<uint32_t> grantedSharedMemory{0};
  std::mutex grantMutex;
};

struct coda_rt_module {
  coda_rt_module(coda_rt_device &device, std::string image, int optLevel)
      : device(device), image(std::move(image)), optLevel(optLevel) {}

  coda_rt_status getKernel(std::string_view name, coda_rt_kernel *&kernel);

  coda_rt_device &device;
  const std::string image;
  const int optLevel;
  coda::runtime::DriverModule handle = nullptr;
  /// Guarded by the cache's mutex.
  unsigned references = 0;

private:
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<coda_rt_kernel>, std::less<>> kernels;
};

namespace coda::runtime {

/// Modules of one device, found by their bytes.
class ModuleCache {
public:
  Status load(coda_rt_device &device, std::string_view image, int optLevel,
              coda_rt_module *&module);
  Status release(coda_rt_module &module);
  /// Unloads what nobody holds.
  Status purge(coda_rt_device &device);
  void getStatistics(uint64_t &modules, uint64_t &hits);

private:
  std::mutex mutex;
  std::unordered_multimap<uint64_t, std::unique_ptr<coda_rt_module>> modules;
  uint64_t hits = 0;
};

/// Refuses PTX whose `.target` the device cannot run. Other images pass: only
/// the driver can read them.
Status checkArchitecture(const coda_rt_device_info &device,
                         std::string_view image);

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_MODULES_H
