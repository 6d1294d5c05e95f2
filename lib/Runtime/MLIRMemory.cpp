//===- MLIRMemory.cpp - Streams, events and memory for MLIR ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/MLIREntryPoints.h"

#include "Device.h"
#include "Error.h"
#include "MLIRDevice.h"
#include "MemRef.h"

using namespace coda::runtime;

/// Calls `function` with driver and ordinal of the default device, and reports
/// a failure in the name of `caller`.
template <typename Function>
static bool onDefaultDevice(const char *caller, Function &&function) {
  coda_rt_device *device = nullptr;
  Status status = getDefaultDevice(device);
  if (status == CODA_RT_SUCCESS)
    status = function(device->driver, device->ordinal);
  return succeededOrReport(status, caller);
}

static Address toAddress(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

void *mgpuStreamCreate(void) {
  Stream stream = nullptr;
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.createStream(device, stream);
  });
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.destroyStream(device, stream);
  });
}

void mgpuStreamSynchronize(void *stream) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.synchronizeStream(device, stream);
  });
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.waitForEvent(device, stream, event);
  });
}

void *mgpuEventCreate(void) {
  Event event = nullptr;
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.createEvent(device, /*timing=*/false, event);
  });
  return event;
}

void mgpuEventDestroy(void *event) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.destroyEvent(device, event);
  });
}

void mgpuEventSynchronize(void *event) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.synchronizeEvent(device, event);
  });
}

void mgpuEventRecord(void *event, void *stream) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.recordEvent(device, event, stream);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *mgpuMemAlloc(uint64_t bytes, void * /*stream*/, bool isHostShared) {
  // CUDA refuses empty allocations; memrefs may be empty.
  if (bytes == 0)
    return nullptr;
  Address address = 0;
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return isHostShared ? driver.allocateShared(device, bytes, address)
                        : driver.allocate(device, bytes, address);
  });
  return reinterpret_cast<void *>(address);
}

void mgpuMemFree(void *memory, void * /*stream*/) {
  if (!memory)
    return;
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.free(device, toAddress(memory));
  });
}

void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  if (bytes == 0)
    return;
  // Either side may be on the host; the lowering does not say which.
  CopyRequest request = {toAddress(to), toAddress(from), bytes,
                         CopyKind::Unknown};
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.copy(device, request, stream);
  });
}

static void fillMemory(const char *caller, const FillRequest &request,
                       void *stream) {
  if (request.count == 0)
    return;
  onDefaultDevice(caller, [&](Driver &driver, int device) {
    return driver.fill(device, request, stream);
  });
}

void mgpuMemset16(void *to, unsigned short value, size_t count, void *stream) {
  fillMemory(__func__, {toAddress(to), value, /*width=*/2, count}, stream);
}

void mgpuMemset32(void *to, unsigned value, size_t count, void *stream) {
  fillMemory(__func__, {toAddress(to), value, /*width=*/4, count}, stream);
}

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

void mgpuMemHostRegister(void *memory, uint64_t bytes) {
  if (bytes == 0)
    return;
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.registerHostMemory(device, memory, bytes);
  });
}

void mgpuMemHostUnregister(void *memory) {
  onDefaultDevice(__func__, [&](Driver &driver, int device) {
    return driver.unregisterHostMemory(device, memory);
  });
}

void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t elementBytes) {
  MemRef memref(rank, descriptor);
  if (!memref.isDense()) {
    succeededOrReport(
        fail(CODA_RT_INVALID_ARGUMENT,
             "the memref has gaps between its elements; expected none"),
        __func__);
    return;
  }
  mgpuMemHostRegister(memref.getFirstElement(elementBytes),
                      static_cast<uint64_t>(memref.getNumElements()) *
                          static_cast<uint64_t>(elementBytes));
}

void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t elementBytes) {
  MemRef memref(rank, descriptor);
  if (memref.getNumElements() == 0)
    return;
  mgpuMemHostUnregister(memref.getFirstElement(elementBytes));
}
