//===- FakeDriver.cpp - A driver that records what it is asked ------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace coda::runtime;

FakeDriver &FakeDriver::create() {
  static int count = 0;
  auto *driver = new FakeDriver;
  driver->name = "fake-" + std::to_string(count++);
  std::snprintf(driver->info.name, sizeof(driver->info.name), "fake GPU");
  driver->info.sm = 90;
  driver->info.multiprocessors = 132;
  driver->info.total_memory = driver->info.free_memory = size_t(1) << 30;
  driver->info.max_shared_memory = 232448;
  registerDriver(driver->name.c_str(), *driver);
  return *driver;
}

coda_rt_device *FakeDriver::getDevice(int ordinal) {
  coda_rt_device *device = nullptr;
  coda_rt_device_get(name.c_str(), ordinal, &device);
  return device;
}

std::string coda::runtime::makePTX(const char *target, const char *text) {
  return std::string("// made for a test\n.version 8.3\n.target ") + target +
         "\n.address_size 64\n" + text;
}

testing::AssertionResult coda::runtime::lastErrorHas(const char *part) {
  if (std::strstr(coda_rt_last_error(), part))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "the error is '" << coda_rt_last_error() << "'";
}

//===----------------------------------------------------------------------===//
// Devices, memory, streams and events
//===----------------------------------------------------------------------===//

Status FakeDriver::initialize() { return CODA_RT_SUCCESS; }

Status FakeDriver::getDeviceCount(int &count) {
  count = deviceCount;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::getDeviceInfo(int, coda_rt_device_info &info) {
  info = this->info;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::synchronizeDevice(int) {
  ++synchronizations;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::allocate(int device, size_t bytes, Address &address) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes > info.free_memory)
    return fail(CODA_RT_OUT_OF_MEMORY, "%zu bytes", bytes);
  address = reinterpret_cast<uintptr_t>(std::calloc(bytes, 1));
  allocations.insert(address);
  lastDevice = device;
  lastAllocationShared = false;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::allocateShared(int device, size_t bytes, Address &address) {
  Status status = allocate(device, bytes, address);
  lastAllocationShared = true;
  return status;
}

Status FakeDriver::free(int, Address address) {
  std::lock_guard<std::mutex> lock(mutex);
  if (allocations.erase(address) == 0)
    return fail(CODA_RT_DRIVER_ERROR, "not an allocation");
  std::free(reinterpret_cast<void *>(address));
  return CODA_RT_SUCCESS;
}

Status FakeDriver::copy(int, const CopyRequest &request, Stream) {
  std::lock_guard<std::mutex> lock(mutex);
  lastCopy = request;
  std::memcpy(reinterpret_cast<void *>(request.to),
              reinterpret_cast<void *>(request.from), request.bytes);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::fill(int, const FillRequest &request, Stream) {
  std::lock_guard<std::mutex> lock(mutex);
  lastFill = request;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::registerHostMemory(int, void *memory, size_t bytes) {
  registeredMemory[memory] = bytes;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::unregisterHostMemory(int, void *memory) {
  registeredMemory.erase(memory);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::createStream(int device, Stream &stream) {
  lastDevice = device;
  stream = reinterpret_cast<void *>(nextHandle += 16);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::destroyStream(int, Stream) { return CODA_RT_SUCCESS; }

Status FakeDriver::synchronizeStream(int, Stream) {
  ++synchronizations;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::waitForEvent(int, Stream, Event) { return CODA_RT_SUCCESS; }

Status FakeDriver::createEvent(int, bool timing, Event &event) {
  lastEventTiming = timing;
  event = reinterpret_cast<void *>(nextHandle += 16);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::destroyEvent(int, Event) { return CODA_RT_SUCCESS; }
Status FakeDriver::recordEvent(int, Event, Stream) { return CODA_RT_SUCCESS; }

Status FakeDriver::synchronizeEvent(int, Event) {
  ++synchronizations;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::getElapsedTime(int, Event, Event, float &milliseconds) {
  milliseconds = 1.5f;
  return CODA_RT_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

Status FakeDriver::loadModule(int device, const char *image, size_t size,
                              int optLevel, DriverModule &module) {
  std::lock_guard<std::mutex> lock(mutex);
  ++moduleLoads;
  lastDevice = device;
  lastOptLevel = optLevel;
  // Reads up to the NUL that the interface promises.
  lastImage = image;
  if (lastImage.size() != size)
    return fail(CODA_RT_MODULE_LOAD, "the image does not end in a NUL");
  if (!moduleLog.empty())
    return fail(CODA_RT_MODULE_LOAD, "%s", moduleLog.c_str());
  module = reinterpret_cast<void *>(nextHandle += 16);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::unloadModule(int, DriverModule) {
  ++moduleUnloads;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::getFunction(int, DriverModule, const char *name,
                               DriverFunction &function) {
  std::lock_guard<std::mutex> lock(mutex);
  ++functionLookups;
  if (std::strcmp(name, "missing") == 0)
    return fail(CODA_RT_INVALID_ARGUMENT, "the module has no kernel 'missing'");
  function = reinterpret_cast<void *>(nextHandle += 16);
  return CODA_RT_SUCCESS;
}

Status FakeDriver::getFunctionInfo(int, DriverFunction, FunctionInfo &info) {
  info = functionInfo;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::setDynamicSharedMemory(int, DriverFunction, uint32_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  ++sharedMemoryGrants;
  grantedSharedMemory = bytes;
  return CODA_RT_SUCCESS;
}

Status FakeDriver::launch(int device, const LaunchRequest &request) {
  std::lock_guard<std::mutex> lock(mutex);
  ++numLaunches;
  lastDevice = device;
  lastLaunch.config = request.config;
  lastLaunch.stream = request.stream;
  lastLaunch.numParams = request.numParams;
  size_t offset = 0;
  size_t numKnown =
      std::min(request.numParams, functionInfo.parameterSizes.size());
  for (size_t index = 0; index != numKnown; ++index) {
    size_t bytes = functionInfo.parameterSizes[index];
    std::memcpy(lastLaunch.values + offset, request.params[index], bytes);
    offset += bytes;
  }
  return CODA_RT_SUCCESS;
}

Status FakeDriver::encodeTensorMap(int, const TensorMapRequest &request,
                                   void *encoded) {
  std::lock_guard<std::mutex> lock(mutex);
  ++tensorMapEncodings;
  lastTensorMap = request;
  if (reinterpret_cast<uintptr_t>(encoded) % 64 != 0)
    return fail(CODA_RT_MISALIGNED, "the result is not aligned to 64");
  std::memcpy(encoded, &request, CODA_RT_TENSOR_MAP_BYTES);
  return CODA_RT_SUCCESS;
}
