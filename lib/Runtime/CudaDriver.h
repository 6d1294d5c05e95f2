//===- CudaDriver.h - Devices behind the CUDA driver ------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_CUDADRIVER_H
#define CODA_LIB_RUNTIME_CUDADRIVER_H

#include "CudaLibrary.h"

#include <array>
#include <atomic>
#include <mutex>

namespace coda::runtime::cuda {

/// Works in the primary context of each device, which CUDA's runtime, PyTorch
/// and others use too, so that memory, streams and events can be shared.
class CudaDriver final : public Driver {
public:
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

private:
  class ContextScope;
  static constexpr int maxDevices = 64;

  Status getContext(int device, Context &context);
  /// Success, or the failure with its explanation.
  Status check(Result result, const char *call) const {
    return result == success ? CODA_RT_SUCCESS : library.explain(result, call);
  }
  /// The same for a call that needs the device to be current.
  template <typename Function>
  Status call(int device, const char *name, Function &&function);
  Status getAttribute(int device, DeviceAttribute attribute, int &value);
  Status getAttribute(DriverFunction function, FunctionAttribute attribute,
                      int &value);
  Status explainModuleLoad(int device, Result result, const char *log);

  Library library = {};
  std::mutex mutex;
  bool initialized = false;
  std::array<std::atomic<Context>, maxDevices> contexts = {};
};

} // namespace coda::runtime::cuda

#endif // CODA_LIB_RUNTIME_CUDADRIVER_H
