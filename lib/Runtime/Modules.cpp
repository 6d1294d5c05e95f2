//===- Modules.cpp - Loaded code and its kernels --------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include "Device.h"
#include "Error.h"

#include <algorithm>

using namespace coda::runtime;

/// Shared memory of a block that needs no opting in.
static constexpr uint32_t defaultSharedMemory = 48 * 1024;

/// FNV-1a. The bytes themselves are compared when hashes agree.
static uint64_t hashBytes(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Status coda_rt_kernel::grantSharedMemory(uint32_t bytes) {
  if (bytes <= grantedSharedMemory.load(std::memory_order_acquire))
    return CODA_RT_SUCCESS;
  std::lock_guard<std::mutex> lock(grantMutex);
  // Another thread may have asked for more meanwhile, and must keep it.
  if (bytes <= grantedSharedMemory.load(std::memory_order_relaxed))
    return CODA_RT_SUCCESS;
  coda_rt_device &device = module.device;
  if (Status status =
          device.driver.setDynamicSharedMemory(device.ordinal, function, bytes))
    return status;
  grantedSharedMemory.store(bytes, std::memory_order_release);
  return CODA_RT_SUCCESS;
}

Status coda_rt_module::getKernel(std::string_view name,
                                 coda_rt_kernel *&kernel) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = kernels.find(name);
  if (found != kernels.end()) {
    kernel = found->second.get();
    return CODA_RT_SUCCESS;
  }
  auto created = std::make_unique<coda_rt_kernel>(*this, name);
  if (Status status = device.driver.getFunction(
          device.ordinal, handle, created->name.c_str(), created->function))
    return status;
  if (Status status = device.driver.getFunctionInfo(
          device.ordinal, created->function, created->info))
    return addContext(status, "kernel '%s'", created->name.c_str());
  uint32_t used = static_cast<uint32_t>(created->info.kernel.shared_memory);
  created->grantedSharedMemory = defaultSharedMemory - //
                                 std::min(used, defaultSharedMemory);
  kernel = created.get();
  kernels.emplace(created->name, std::move(created));
  return CODA_RT_SUCCESS;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

Status ModuleCache::load(coda_rt_device &device, std::string_view image,
                         int optLevel, coda_rt_module *&module) {
  uint64_t hash = hashBytes(image);
  // Held while the driver compiles: who asks for the same code waits for it
  // rather than compiling it again.
  std::lock_guard<std::mutex> lock(mutex);
  auto [begin, end] = modules.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    coda_rt_module &candidate = *entry->second;
    if (candidate.image != image || candidate.optLevel != optLevel)
      continue;
    ++hits;
    ++candidate.references;
    module = &candidate;
    return CODA_RT_SUCCESS;
  }

  if (Status status = checkArchitecture(device.info, image))
    return status;
  auto created =
      std::make_unique<coda_rt_module>(device, std::string(image), optLevel);
  if (Status status =
          device.driver.loadModule(device.ordinal, created->image.c_str(),
                                   image.size(), optLevel, created->handle))
    return status;
  created->references = 1;
  module = created.get();
  modules.emplace(hash, std::move(created));
  return CODA_RT_SUCCESS;
}

Status ModuleCache::release(coda_rt_module &module) {
  std::lock_guard<std::mutex> lock(mutex);
  if (module.references == 0)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "the module was released more often than loaded");
  --module.references;
  return CODA_RT_SUCCESS;
}

Status ModuleCache::purge(coda_rt_device &device) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto entry = modules.begin(); entry != modules.end();) {
    if (entry->second->references != 0) {
      ++entry;
      continue;
    }
    if (Status status =
            device.driver.unloadModule(device.ordinal, entry->second->handle))
      return status;
    entry = modules.erase(entry);
  }
  return CODA_RT_SUCCESS;
}

void ModuleCache::getStatistics(uint64_t &modules, uint64_t &hits) {
  std::lock_guard<std::mutex> lock(mutex);
  modules = this->modules.size();
  hits = this->hits;
}
