//===- CudaDriver.cpp - Devices, memory, streams and events of CUDA -------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

using namespace coda::runtime;
using namespace coda::runtime::cuda;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

Status CudaDriver::initialize() {
  std::lock_guard<std::mutex> lock(mutex);
  if (initialized)
    return CODA_RT_SUCCESS;
  if (Status status = library.open())
    return status;
  if (Status status = check(library.init(0), "cuInit"))
    return status;
  initialized = true;
  return CODA_RT_SUCCESS;
}

Status CudaDriver::getContext(int device, Context &context) {
  if (device < 0 || device >= maxDevices)
    return fail(CODA_RT_NO_DEVICE, "device %d; expected 0 to %d", device,
                maxDevices - 1);
  context = contexts[device].load(std::memory_order_acquire);
  if (context)
    return CODA_RT_SUCCESS;

  std::lock_guard<std::mutex> lock(mutex);
  context = contexts[device].load(std::memory_order_relaxed);
  if (context)
    return CODA_RT_SUCCESS;
  DeviceHandle handle;
  if (Status status = check(library.deviceGet(&handle, device), "cuDeviceGet"))
    return status;
  if (Status status = check(library.primaryContextRetain(&context, handle),
                            "cuDevicePrimaryCtxRetain"))
    return status;
  // Retained until the process ends, as streams and modules depend on it.
  contexts[device].store(context, std::memory_order_release);
  return CODA_RT_SUCCESS;
}

Status CudaDriver::getDeviceCount(int &count) {
  return check(library.deviceGetCount(&count), "cuDeviceGetCount");
}

Status CudaDriver::getAttribute(int device, DeviceAttribute attribute,
                                int &value) {
  DeviceHandle handle;
  if (Status status = check(library.deviceGet(&handle, device), "cuDeviceGet"))
    return status;
  return check(library.deviceGetAttribute(&value, attribute, handle),
               "cuDeviceGetAttribute");
}

Status CudaDriver::getDeviceInfo(int device, coda_rt_device_info &info) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  info = {};
  int major = 0, minor = 0, l2Bytes = 0;
  if (Status status = getAttribute(device, computeCapabilityMajor, major))
    return status;
  if (Status status = getAttribute(device, computeCapabilityMinor, minor))
    return status;
  if (Status status =
          getAttribute(device, multiprocessorCount, info.multiprocessors))
    return status;
  if (Status status = getAttribute(device, maxSharedMemoryPerBlockOptin,
                                   info.max_shared_memory))
    return status;
  if (Status status = getAttribute(device, l2CacheSize, l2Bytes))
    return status;
  info.sm = 10 * major + minor;
  info.l2_bytes = static_cast<size_t>(l2Bytes);

  DeviceHandle handle;
  if (Status status = check(library.deviceGet(&handle, device), "cuDeviceGet"))
    return status;
  if (Status status =
          check(library.deviceGetName(info.name, sizeof(info.name), handle),
                "cuDeviceGetName"))
    return status;
  if (Status status =
          check(library.memGetInfo(&info.free_memory, &info.total_memory),
                "cuMemGetInfo"))
    return status;
  return check(library.driverGetVersion(&info.driver_version),
               "cuDriverGetVersion");
}

Status CudaDriver::synchronizeDevice(int device) {
  return call(device, "cuCtxSynchronize",
              [&] { return library.contextSynchronize(); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status CudaDriver::allocate(int device, size_t bytes, Address &address) {
  DevicePointer pointer = 0;
  if (Status status = call(device, "cuMemAlloc",
                           [&] { return library.memAlloc(&pointer, bytes); }))
    return addContext(status, "allocating %zu bytes", bytes);
  address = pointer;
  return CODA_RT_SUCCESS;
}

Status CudaDriver::allocateShared(int device, size_t bytes, Address &address) {
  DevicePointer pointer = 0;
  if (Status status = call(device, "cuMemAllocManaged", [&] {
        return library.memAllocManaged(&pointer, bytes, memoryAttachGlobal);
      }))
    return addContext(status, "allocating %zu bytes", bytes);
  address = pointer;
  return CODA_RT_SUCCESS;
}

Status CudaDriver::free(int device, Address address) {
  return call(device, "cuMemFree", [&] { return library.memFree(address); });
}

Status CudaDriver::copy(int device, const CopyRequest &request, Stream stream) {
  switch (request.kind) {
  case CopyKind::ToDevice:
    return call(device, "cuMemcpyHtoDAsync", [&] {
      return library.memcpyToDeviceAsync(
          request.to, reinterpret_cast<const void *>(request.from),
          request.bytes, stream);
    });
  case CopyKind::ToHost:
    return call(device, "cuMemcpyDtoHAsync", [&] {
      return library.memcpyToHostAsync(reinterpret_cast<void *>(request.to),
                                       request.from, request.bytes, stream);
    });
  case CopyKind::OnDevice:
    return call(device, "cuMemcpyDtoDAsync", [&] {
      return library.memcpyOnDeviceAsync(request.to, request.from,
                                         request.bytes, stream);
    });
  case CopyKind::Unknown:
    break;
  }
  return call(device, "cuMemcpyAsync", [&] {
    return library.memcpyAsync(request.to, request.from, request.bytes, stream);
  });
}

Status CudaDriver::fill(int device, const FillRequest &request, Stream stream) {
  switch (request.width) {
  case 1:
    return call(device, "cuMemsetD8Async", [&] {
      return library.memset8Async(request.to,
                                  static_cast<unsigned char>(request.value),
                                  request.count, stream);
    });
  case 2:
    return call(device, "cuMemsetD16Async", [&] {
      return library.memset16Async(request.to,
                                   static_cast<unsigned short>(request.value),
                                   request.count, stream);
    });
  default:
    return call(device, "cuMemsetD32Async", [&] {
      return library.memset32Async(request.to, request.value, request.count,
                                   stream);
    });
  }
}

Status CudaDriver::registerHostMemory(int device, void *memory, size_t bytes) {
  return call(device, "cuMemHostRegister",
              [&] { return library.hostRegister(memory, bytes, 0); });
}

Status CudaDriver::unregisterHostMemory(int device, void *memory) {
  return call(device, "cuMemHostUnregister",
              [&] { return library.hostUnregister(memory); });
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Status CudaDriver::createStream(int device, Stream &stream) {
  return call(device, "cuStreamCreate",
              [&] { return library.streamCreate(&stream, streamNonBlocking); });
}

Status CudaDriver::destroyStream(int device, Stream stream) {
  return call(device, "cuStreamDestroy",
              [&] { return library.streamDestroy(stream); });
}

Status CudaDriver::synchronizeStream(int device, Stream stream) {
  return call(device, "cuStreamSynchronize",
              [&] { return library.streamSynchronize(stream); });
}

Status CudaDriver::waitForEvent(int device, Stream stream, Event event) {
  return call(device, "cuStreamWaitEvent",
              [&] { return library.streamWaitEvent(stream, event, 0); });
}

Status CudaDriver::createEvent(int device, bool timing, Event &event) {
  return call(device, "cuEventCreate", [&] {
    return library.eventCreate(&event,
                               timing ? eventDefault : eventDisableTiming);
  });
}

Status CudaDriver::destroyEvent(int device, Event event) {
  return call(device, "cuEventDestroy",
              [&] { return library.eventDestroy(event); });
}

Status CudaDriver::recordEvent(int device, Event event, Stream stream) {
  return call(device, "cuEventRecord",
              [&] { return library.eventRecord(event, stream); });
}

Status CudaDriver::synchronizeEvent(int device, Event event) {
  return call(device, "cuEventSynchronize",
              [&] { return library.eventSynchronize(event); });
}

Status CudaDriver::getElapsedTime(int device, Event start, Event end,
                                  float &milliseconds) {
  return call(device, "cuEventElapsedTime", [&] {
    return library.eventElapsedTime(&milliseconds, start, end);
  });
}
