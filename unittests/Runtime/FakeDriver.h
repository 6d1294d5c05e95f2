//===- FakeDriver.h - A driver that records what it is asked ----*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define CODA_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include "coda/Runtime/Driver.h"

#include "gtest/gtest.h"

#include <map>
#include <mutex>
#include <set>

namespace coda::runtime {

/// What reached the driver of one launch.
struct RecordedLaunch {
  coda_rt_launch_config config;
  Stream stream;
  size_t numParams;
  /// Values one after the other, of the sizes that the function has.
  unsigned char values[4096];
};

/// Two Hopper devices unless told otherwise. Memory is the host's. Functions
/// have the parameters that `parameterSizes` says, and any name but "missing".
/// Encoded tensor maps hold the request. Recording does not allocate.
class FakeDriver final : public Driver {
public:
  /// Registers a new driver under a new name, for the life of the process.
  static FakeDriver &create();

  /// The handle of device `ordinal`.
  coda_rt_device *getDevice(int ordinal = 0);

  Status initialize() override;
  Status getDeviceCount(int &count) override;
  Status getDeviceInfo(int device, coda_rt_device_info &info) override;
  Status synchronizeDevice(int device) override;
  Status allocate(int device, size_t bytes, Address &address) override;
  Status allocateShared(int device, size_t bytes, Address &address) override;
  Status free(int device, Address address) override;
  Status copy(int device, const CopyRequest &request, Stream stream) override;
  Status fill(int device, const FillRequest &request, Stream stream) override;
  Status registerHostMemory(int device, void *memory, size_t bytes) override;
  Status unregisterHostMemory(int device, void *memory) override;
  Status createStream(int device, Stream &stream) override;
  Status destroyStream(int device, Stream stream) override;
  Status synchronizeStream(int device, Stream stream) override;
  Status waitForEvent(int device, Stream stream, Event event) override;
  Status createEvent(int device, bool timing, Event &event) override;
  Status destroyEvent(int device, Event event) override;
  Status recordEvent(int device, Event event, Stream stream) override;
  Status synchronizeEvent(int device, Event event) override;
  Status getElapsedTime(int device, Event start, Event end,
                        float &milliseconds) override;
  Status loadModule(int device, const char *image, size_t size, int optLevel,
                    DriverModule &module) override;
  Status unloadModule(int device, DriverModule module) override;
  Status getFunction(int device, DriverModule module, const char *name,
                     DriverFunction &function) override;
  Status getFunctionInfo(int device, DriverFunction function,
                         FunctionInfo &info) override;
  Status setDynamicSharedMemory(int device, DriverFunction function,
                                uint32_t bytes) override;
  Status launch(int device, const LaunchRequest &request) override;
  Status encodeTensorMap(int device, const TensorMapRequest &request,
                         void *encoded) override;

  std::string name;
  std::mutex mutex;

  // What it pretends.
  int deviceCount = 2;
  coda_rt_device_info info = {};
  FunctionInfo functionInfo = {{168, 0, 0, 384, 0}, {}};
  /// The compiler's complaint about every module, if any.
  std::string moduleLog;

  // What it saw.
  size_t moduleLoads = 0, moduleUnloads = 0, functionLookups = 0;
  size_t tensorMapEncodings = 0, sharedMemoryGrants = 0, synchronizations = 0;
  uint32_t grantedSharedMemory = 0;
  int lastDevice = -1, lastOptLevel = 0;
  std::string lastImage;
  size_t numLaunches = 0;
  RecordedLaunch lastLaunch = {};
  TensorMapRequest lastTensorMap = {};
  CopyRequest lastCopy = {};
  FillRequest lastFill = {};
  std::map<void *, size_t> registeredMemory;
  std::set<Address> allocations;
  bool lastEventTiming = false;
  bool lastAllocationShared = false;

private:
  FakeDriver() = default;
  uintptr_t nextHandle = 0x1000;
};

/// PTX for an architecture, with some text to make it differ.
std::string makePTX(const char *target = "sm_90a", const char *text = "");

/// Whether the explanation of the last failure has this part.
testing::AssertionResult lastErrorHas(const char *part);

} // namespace coda::runtime

#endif // CODA_UNITTESTS_RUNTIME_FAKEDRIVER_H
