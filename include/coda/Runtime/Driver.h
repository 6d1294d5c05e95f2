//===- Driver.h - What the runtime asks of a device driver ------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface behind which devices live: the CUDA driver, an emulator, or a
// test double. Implementations are called from any thread. They do not check
// arguments of a launch; the runtime has done so.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_RUNTIME_DRIVER_H
#define CODA_RUNTIME_DRIVER_H

#include "coda/Runtime/Runtime.h"

#include <string>
#include <vector>

namespace coda::runtime {

using Status = coda_rt_status;
using Address = coda_rt_address;
using Stream = coda_rt_stream;
using Event = coda_rt_event;
/// Modules and functions as the driver knows them.
using DriverModule = void *;
using DriverFunction = void *;

/// Keeps the text for coda_rt_last_error and returns `status`.
CODA_RT_EXPORT Status fail(Status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum class CopyKind { ToDevice, ToHost, OnDevice, Unknown };

struct CopyRequest {
  /// Device addresses, or host pointers as the kind says.
  Address to;
  Address from;
  size_t bytes;
  CopyKind kind;
};

struct FillRequest {
  Address to;
  /// The low bytes count.
  uint32_t value;
  /// Bytes of an element: 1, 2 or 4.
  unsigned width;
  size_t count;
};

/// All that the hardware's descriptor can say; the public struct leaves out
/// what kernels here have no use for.
struct TensorMapRequest {
  coda_rt_tensor_map map;
  /// As CUtensorMapInterleave: none, 16 bytes, 32 bytes.
  uint32_t interleave;
  uint32_t elementStrides[CODA_RT_TENSOR_MAP_MAX_RANK];
};

struct LaunchRequest {
  DriverFunction function;
  coda_rt_launch_config config;
  Stream stream;
  /// Addresses of the values of the parameters, in order.
  void **params;
  size_t numParams;
};

struct FunctionInfo {
  coda_rt_kernel_info kernel;
  /// Bytes of each parameter; meaningful if kernel.parameters is not -1.
  std::vector<size_t> parameterSizes;
};

/// Devices are given by ordinal. A failure is explained through fail().
class CODA_RT_EXPORT Driver {
public:
  virtual ~Driver();

  /// Called before anything else, again after it failed.
  virtual Status initialize() = 0;
  virtual Status getDeviceCount(int &count) = 0;
  virtual Status getDeviceInfo(int device, coda_rt_device_info &info) = 0;
  virtual Status synchronizeDevice(int device) = 0;

  virtual Status allocate(int device, size_t bytes, Address &address) = 0;
  /// Memory that host and device both reach.
  virtual Status allocateShared(int device, size_t bytes, Address &address) = 0;
  virtual Status free(int device, Address address) = 0;
  virtual Status copy(int device, const CopyRequest &request,
                      Stream stream) = 0;
  virtual Status fill(int device, const FillRequest &request,
                      Stream stream) = 0;
  /// Lets the device read and write host memory.
  virtual Status registerHostMemory(int device, void *memory, size_t bytes) = 0;
  virtual Status unregisterHostMemory(int device, void *memory) = 0;

  virtual Status createStream(int device, Stream &stream) = 0;
  virtual Status destroyStream(int device, Stream stream) = 0;
  virtual Status synchronizeStream(int device, Stream stream) = 0;
  virtual Status waitForEvent(int device, Stream stream, Event event) = 0;

  virtual Status createEvent(int device, bool timing, Event &event) = 0;
  virtual Status destroyEvent(int device, Event event) = 0;
  virtual Status recordEvent(int device, Event event, Stream stream) = 0;
  virtual Status synchronizeEvent(int device, Event event) = 0;
  virtual Status getElapsedTime(int device, Event start, Event end,
                                float &milliseconds) = 0;

  /// The image of PTX ends in a NUL that `size` does not count. A negative
  /// `optLevel` is the driver's choice.
  virtual Status loadModule(int device, const char *image, size_t size,
                            int optLevel, DriverModule &module) = 0;
  virtual Status unloadModule(int device, DriverModule module) = 0;
  virtual Status getFunction(int device, DriverModule module, const char *name,
                             DriverFunction &function) = 0;
  virtual Status getFunctionInfo(int device, DriverFunction function,
                                 FunctionInfo &info) = 0;
  virtual Status setDynamicSharedMemory(int device, DriverFunction function,
                                        uint32_t bytes) = 0;

  /// Must neither allocate nor synchronize.
  virtual Status launch(int device, const LaunchRequest &request) = 0;
  /// `encoded` is aligned to 64.
  virtual Status encodeTensorMap(int device, const TensorMapRequest &request,
                                 void *encoded) = 0;
};

/// Makes a driver known by name. It must live as long as the process. False if
/// the name is taken.
CODA_RT_EXPORT bool registerDriver(const char *name, Driver &driver);

} // namespace coda::runtime

#endif // CODA_RUNTIME_DRIVER_H
