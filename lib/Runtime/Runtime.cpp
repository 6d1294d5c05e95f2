//===- Runtime.cpp - The plain functions of the C interface ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/Runtime.h"

#include "Device.h"
#include "Error.h"

#include <cstring>

using namespace coda::runtime;

/// Refuses null handles and results, with the name of the parameter.
static Status checkNotNull(const void *pointer, const char *name) {
  return pointer ? CODA_RT_SUCCESS
                 : fail(CODA_RT_INVALID_ARGUMENT, "%s is null", name);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

coda_rt_status coda_rt_device_get_info(coda_rt_device *device,
                                       coda_rt_device_info *info) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(info, "info"))
    return status;
  return device->driver.getDeviceInfo(device->ordinal, *info);
}

coda_rt_status coda_rt_device_synchronize(coda_rt_device *device) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  return device->driver.synchronizeDevice(device->ordinal);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

coda_rt_status coda_rt_stream_create(coda_rt_device *device,
                                     coda_rt_stream *stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(stream, "stream"))
    return status;
  return device->driver.createStream(device->ordinal, *stream);
}

coda_rt_status coda_rt_stream_destroy(coda_rt_device *device,
                                      coda_rt_stream stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(stream, "stream"))
    return status;
  return device->driver.destroyStream(device->ordinal, stream);
}

coda_rt_status coda_rt_stream_synchronize(coda_rt_device *device,
                                          coda_rt_stream stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  return device->driver.synchronizeStream(device->ordinal, stream);
}

coda_rt_status coda_rt_stream_wait_event(coda_rt_device *device,
                                         coda_rt_stream stream,
                                         coda_rt_event event) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(event, "event"))
    return status;
  return device->driver.waitForEvent(device->ordinal, stream, event);
}

coda_rt_status coda_rt_event_create(coda_rt_device *device,
                                    coda_rt_event *event) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(event, "event"))
    return status;
  return device->driver.createEvent(device->ordinal, /*timing=*/true, *event);
}

coda_rt_status coda_rt_event_destroy(coda_rt_device *device,
                                     coda_rt_event event) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(event, "event"))
    return status;
  return device->driver.destroyEvent(device->ordinal, event);
}

coda_rt_status coda_rt_event_record(coda_rt_device *device, coda_rt_event event,
                                    coda_rt_stream stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(event, "event"))
    return status;
  return device->driver.recordEvent(device->ordinal, event, stream);
}

coda_rt_status coda_rt_event_synchronize(coda_rt_device *device,
                                         coda_rt_event event) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(event, "event"))
    return status;
  return device->driver.synchronizeEvent(device->ordinal, event);
}

coda_rt_status coda_rt_event_elapsed(coda_rt_device *device,
                                     coda_rt_event start, coda_rt_event end,
                                     float *milliseconds) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(start, "start"))
    return status;
  if (Status status = checkNotNull(end, "end"))
    return status;
  if (Status status = checkNotNull(milliseconds, "milliseconds"))
    return status;
  return device->driver.getElapsedTime(device->ordinal, start, end,
                                       *milliseconds);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

coda_rt_status coda_rt_alloc(coda_rt_device *device, size_t bytes,
                             coda_rt_address *address) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(address, "address"))
    return status;
  *address = 0;
  if (bytes == 0)
    return CODA_RT_SUCCESS;
  return device->driver.allocate(device->ordinal, bytes, *address);
}

coda_rt_status coda_rt_free(coda_rt_device *device, coda_rt_address address) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (address == 0)
    return CODA_RT_SUCCESS;
  return device->driver.free(device->ordinal, address);
}

/// An empty copy is done before anybody looks at its addresses.
static Status copy(coda_rt_device *device, const CopyRequest &request,
                   Stream stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (request.bytes == 0)
    return CODA_RT_SUCCESS;
  if (request.to == 0 || request.from == 0)
    return fail(CODA_RT_INVALID_ARGUMENT, "copying %zu bytes %s address 0",
                request.bytes, request.to == 0 ? "to" : "from");
  return device->driver.copy(device->ordinal, request, stream);
}

coda_rt_status coda_rt_copy_to_device(coda_rt_device *device,
                                      coda_rt_address to, const void *from,
                                      size_t bytes, coda_rt_stream stream) {
  return copy(
      device,
      {to, reinterpret_cast<uintptr_t>(from), bytes, CopyKind::ToDevice},
      stream);
}

coda_rt_status coda_rt_copy_to_host(coda_rt_device *device, void *to,
                                    coda_rt_address from, size_t bytes,
                                    coda_rt_stream stream) {
  return copy(device,
              {reinterpret_cast<uintptr_t>(to), from, bytes, CopyKind::ToHost},
              stream);
}

coda_rt_status coda_rt_copy_on_device(coda_rt_device *device,
                                      coda_rt_address to, coda_rt_address from,
                                      size_t bytes, coda_rt_stream stream) {
  return copy(device, {to, from, bytes, CopyKind::OnDevice}, stream);
}

coda_rt_status coda_rt_fill(coda_rt_device *device, coda_rt_address to,
                            uint8_t value, size_t bytes,
                            coda_rt_stream stream) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (bytes == 0)
    return CODA_RT_SUCCESS;
  return device->driver.fill(device->ordinal, {to, value, /*width=*/1, bytes},
                             stream);
}

//===----------------------------------------------------------------------===//
// Modules, kernels and tensor maps
//===----------------------------------------------------------------------===//

coda_rt_status coda_rt_module_load(coda_rt_device *device, const void *image,
                                   size_t size, coda_rt_module **module) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(image, "image"))
    return status;
  if (Status status = checkNotNull(module, "module"))
    return status;
  if (size == 0)
    return fail(CODA_RT_INVALID_ARGUMENT, "the image has no bytes");
  std::string_view bytes(static_cast<const char *>(image), size);
  return device->modules.load(*device, bytes, /*optLevel=*/-1, *module);
}

coda_rt_status coda_rt_module_release(coda_rt_module *module) {
  if (Status status = checkNotNull(module, "module"))
    return status;
  return module->device.modules.release(*module);
}

coda_rt_status coda_rt_module_get_kernel(coda_rt_module *module,
                                         const char *name,
                                         coda_rt_kernel **kernel) {
  if (Status status = checkNotNull(module, "module"))
    return status;
  if (Status status = checkNotNull(name, "name"))
    return status;
  if (Status status = checkNotNull(kernel, "kernel"))
    return status;
  return module->getKernel(name, *kernel);
}

coda_rt_status coda_rt_kernel_get_info(coda_rt_kernel *kernel,
                                       coda_rt_kernel_info *info) {
  if (Status status = checkNotNull(kernel, "kernel"))
    return status;
  if (Status status = checkNotNull(info, "info"))
    return status;
  *info = kernel->info.kernel;
  return CODA_RT_SUCCESS;
}

coda_rt_status coda_rt_tensor_map_encode(coda_rt_device *device,
                                         const coda_rt_tensor_map *map,
                                         void *encoded) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(map, "map"))
    return status;
  if (Status status = checkNotNull(encoded, "encoded"))
    return status;
  EncodedTensorMap result;
  if (Status status = device->tensorMaps.encode(
          *device, makeTensorMapRequest(*map), result))
    return status;
  std::memcpy(encoded, result.bytes, sizeof(result.bytes));
  return CODA_RT_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

coda_rt_status
coda_rt_get_cache_statistics(coda_rt_device *device,
                             coda_rt_cache_statistics *statistics) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  if (Status status = checkNotNull(statistics, "statistics"))
    return status;
  device->modules.getStatistics(statistics->modules, statistics->module_hits);
  device->tensorMaps.getStatistics(statistics->tensor_maps,
                                   statistics->tensor_map_hits);
  return CODA_RT_SUCCESS;
}

coda_rt_status coda_rt_purge(coda_rt_device *device) {
  if (Status status = checkNotNull(device, "device"))
    return status;
  device->tensorMaps.purge();
  return device->modules.purge(*device);
}
