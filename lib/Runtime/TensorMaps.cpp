//===- TensorMaps.cpp - Encoded and cached tensor maps --------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "Device.h"
#include "Error.h"

#include <cstring>
#include <mutex>
#include <type_traits>

using namespace coda::runtime;

// Requests are hashed and compared as bytes.
static_assert(std::has_unique_object_representations_v<TensorMapRequest>);
static_assert(sizeof(TensorMapRequest) % sizeof(uint64_t) == 0);

size_t TensorMapCache::Hash::operator()(const TensorMapRequest &request) const {
  uint64_t words[sizeof(TensorMapRequest) / sizeof(uint64_t)];
  std::memcpy(words, &request, sizeof(words));
  uint64_t hash = 0;
  for (uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

bool TensorMapCache::Equal::operator()(const TensorMapRequest &a,
                                       const TensorMapRequest &b) const {
  return std::memcmp(&a, &b, sizeof(TensorMapRequest)) == 0;
}

static Status encodeAnew(coda_rt_device &device,
                         const TensorMapRequest &request,
                         EncodedTensorMap &encoded) {
  if (device.info.sm < 90)
    return fail(CODA_RT_WRONG_ARCHITECTURE,
                "tensor maps need sm_90, found sm_%d (%s)", device.info.sm,
                device.info.name);
  if (Status status = checkTensorMap(request))
    return status;
  return device.driver.encodeTensorMap(device.ordinal, request, encoded.bytes);
}

Status TensorMapCache::encode(coda_rt_device &device,
                              const TensorMapRequest &request,
                              EncodedTensorMap &encoded) {
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto found = maps.find(request);
    if (found != maps.end()) {
      hits.fetch_add(1, std::memory_order_relaxed);
      encoded = found->second;
      return CODA_RT_SUCCESS;
    }
  }
  // Two threads may encode the same map here; both get the same bytes.
  if (Status status = encodeAnew(device, request, encoded))
    return status;
  std::unique_lock<std::shared_mutex> lock(mutex);
  if (maps.size() >= capacity)
    maps.clear();
  maps.emplace(request, encoded);
  return CODA_RT_SUCCESS;
}

Status TensorMapCache::encodeOnDevice(coda_rt_device &device,
                                      const TensorMapRequest &request,
                                      Address &address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = mapsOnDevice.find(request);
  if (found != mapsOnDevice.end()) {
    address = found->second;
    return CODA_RT_SUCCESS;
  }
  EncodedTensorMap encoded;
  if (Status status = encodeAnew(device, request, encoded))
    return status;
  if (Status status =
          device.driver.allocate(device.ordinal, sizeof(encoded), address))
    return status;
  CopyRequest copy = {address, reinterpret_cast<uintptr_t>(encoded.bytes),
                      sizeof(encoded), CopyKind::ToDevice};
  Status status = device.driver.copy(device.ordinal, copy, nullptr);
  // `encoded` must outlive the copy, and a launch on another stream must find
  // it done.
  if (status == CODA_RT_SUCCESS)
    status = device.driver.synchronizeStream(device.ordinal, nullptr);
  if (status != CODA_RT_SUCCESS) {
    device.driver.free(device.ordinal, address);
    return status;
  }
  mapsOnDevice.emplace(request, address);
  return CODA_RT_SUCCESS;
}

void TensorMapCache::purge() {
  std::unique_lock<std::shared_mutex> lock(mutex);
  maps.clear();
}

void TensorMapCache::getStatistics(uint64_t &maps, uint64_t &hits) {
  std::shared_lock<std::shared_mutex> lock(mutex);
  maps = this->maps.size();
  hits = this->hits.load(std::memory_order_relaxed);
}
