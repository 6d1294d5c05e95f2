//===- HostCode.cpp - What compiled host code calls -----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/HostCode.h"

#include "Device.h"
#include "Error.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstring>

using namespace coda::runtime;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Status getHostDevice(coda_rt_device *&device) {
  return getDevice(nullptr, 0, device);
}

coda_rt_address coda_rt_host_alloc(uint64_t bytes) {
  coda_rt_device *device = nullptr;
  coda_rt_address address = 0;
  Status status = getHostDevice(device);
  if (status == CODA_RT_SUCCESS)
    status = coda_rt_alloc(device, bytes, &address);
  succeededOrReport(status, __func__);
  return address;
}

void coda_rt_host_free(coda_rt_address address) {
  coda_rt_device *device = nullptr;
  Status status = getHostDevice(device);
  if (status == CODA_RT_SUCCESS)
    status = coda_rt_free(device, address);
  succeededOrReport(status, __func__);
}

void coda_rt_host_copy(coda_rt_address to, coda_rt_address from,
                       uint64_t bytes) {
  coda_rt_device *device = nullptr;
  Status status = getHostDevice(device);
  if (status == CODA_RT_SUCCESS)
    status = coda_rt_copy_on_device(device, to, from, bytes, nullptr);
  succeededOrReport(status, __func__);
}

static Status upload(const void *data, uint64_t bytes,
                     coda_rt_address &address) {
  coda_rt_device *device = nullptr;
  if (Status status = getHostDevice(device))
    return status;
  if (Status status = coda_rt_alloc(device, bytes, &address))
    return status;
  return coda_rt_copy_to_device(device, address, data, bytes, nullptr);
}

coda_rt_address coda_rt_host_constant(void **handle, const void *data,
                                      uint64_t bytes) {
  // Threads that come here together may upload twice, to the same effect.
  auto &known = *reinterpret_cast<std::atomic<void *> *>(handle);
  coda_rt_address address = reinterpret_cast<uintptr_t>(known.load());
  if (address != 0)
    return address;
  if (succeededOrReport(upload(data, bytes, address), __func__))
    known.store(reinterpret_cast<void *>(static_cast<uintptr_t>(address)));
  return address;
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

namespace {

/// Device memory of one thread. Launches of a thread run one after another, so
/// that the next one may use it again.
class ScratchMemory {
public:
  Status reserve(coda_rt_device &newDevice, uint64_t bytes) {
    if (bytes <= capacity && device == &newDevice)
      return CODA_RT_SUCCESS;
    // Freeing waits for kernels that still use the memory.
    if (device)
      if (Status status = coda_rt_free(device, address))
        return status;
    device = &newDevice;
    address = capacity = 0;
    if (Status status = coda_rt_alloc(device, bytes, &address))
      return status;
    capacity = bytes;
    return CODA_RT_SUCCESS;
  }
  coda_rt_address getAddress() const { return address; }

private:
  coda_rt_device *device = nullptr;
  coda_rt_address address = 0;
  uint64_t capacity = 0;
};

struct ScratchRequest {
  size_t arg;
  uint64_t offset;
  uint64_t bytes;
  bool zeroed;
};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A launch that is being described. After a failure everything is ignored up
/// to the next begin.
class LaunchBuilder {
public:
  Status begin(void **handle, const char *image, const char *name);
  Status addValue(uint64_t bits, uint32_t bytes);
  Status addPointer(coda_rt_address address, uint32_t alignment);
  Status addTensorMap(coda_rt_address address, int32_t element,
                      int32_t swizzle);
  Status addTensorMapDim(uint64_t size, uint64_t stride, uint32_t box);
  Status addScratch(uint64_t bytes, bool zeroed);
  Status launch(uint64_t tiles, uint32_t blocksPerMultiprocessor,
                uint32_t threads, uint32_t sharedMemory);

  /// Runs a step unless one before it failed.
  template <typename Step> void run(const char *function, Step &&step) {
    if (failed)
      return;
    Status status = step(*this);
    failed = !succeededOrReport(status, function);
  }
  void reset() {
    numArgs = numMaps = numScratch = 0;
    scratchBytes = 0;
    kernel = nullptr;
    failed = false;
  }

private:
  static constexpr size_t maxScratch = 8;

  Status addArg(const coda_rt_arg &arg);
  Status placeScratch(coda_rt_device &device);

  bool failed = true;
  coda_rt_kernel *kernel = nullptr;
  size_t numArgs = 0, numMaps = 0, numScratch = 0;
  uint64_t scratchBytes = 0;
  coda_rt_arg args[CODA_RT_MAX_ARGS];
  uint64_t values[CODA_RT_MAX_ARGS];
  coda_rt_tensor_map maps[CODA_RT_MAX_TENSOR_MAP_ARGS];
  ScratchRequest scratch[maxScratch];
  ScratchMemory memory;
};

} // namespace

static LaunchBuilder &getBuilder() {
  static thread_local LaunchBuilder builder;
  return builder;
}

Status LaunchBuilder::begin(void **handle, const char *image,
                            const char *name) {
  // Threads that come here together find the same kernel.
  auto &known = *reinterpret_cast<std::atomic<void *> *>(handle);
  kernel = static_cast<coda_rt_kernel *>(known.load());
  if (kernel)
    return CODA_RT_SUCCESS;
  coda_rt_device *device = nullptr;
  coda_rt_module *module = nullptr;
  if (Status status = getHostDevice(device))
    return status;
  if (Status status =
          coda_rt_module_load(device, image, std::strlen(image), &module))
    return status;
  if (Status status = coda_rt_module_get_kernel(module, name, &kernel))
    return status;
  known.store(kernel);
  return CODA_RT_SUCCESS;
}

Status LaunchBuilder::addArg(const coda_rt_arg &arg) {
  if (numArgs == CODA_RT_MAX_ARGS)
    return fail(CODA_RT_INVALID_ARGUMENT, "expected at most %d arguments",
                CODA_RT_MAX_ARGS);
  args[numArgs++] = arg;
  return CODA_RT_SUCCESS;
}

Status LaunchBuilder::addValue(uint64_t bits, uint32_t bytes) {
  if (Status status = addArg(coda_rt_arg_value(&values[numArgs], bytes)))
    return status;
  values[numArgs - 1] = bits;
  return CODA_RT_SUCCESS;
}

Status LaunchBuilder::addPointer(coda_rt_address address, uint32_t alignment) {
  return addArg(coda_rt_arg_pointer(address, alignment));
}

Status LaunchBuilder::addTensorMap(coda_rt_address address, int32_t element,
                                   int32_t swizzle) {
  if (numMaps == CODA_RT_MAX_TENSOR_MAP_ARGS)
    return fail(CODA_RT_INVALID_ARGUMENT, "expected at most %d tensor maps",
                CODA_RT_MAX_TENSOR_MAP_ARGS);
  coda_rt_tensor_map &map = maps[numMaps++];
  map = {};
  map.address = address;
  map.element = static_cast<coda_rt_element_type>(element);
  map.swizzle = static_cast<coda_rt_swizzle>(swizzle);
  map.l2_promotion = CODA_RT_L2_256B;
  return addArg(coda_rt_arg_tensor_map(&map));
}

Status LaunchBuilder::addTensorMapDim(uint64_t size, uint64_t stride,
                                      uint32_t box) {
  if (numMaps == 0)
    return fail(CODA_RT_INVALID_ARGUMENT, "a dimension of no tensor map");
  coda_rt_tensor_map &map = maps[numMaps - 1];
  if (map.rank == CODA_RT_TENSOR_MAP_MAX_RANK)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "a tensor map of more than %d dimensions",
                CODA_RT_TENSOR_MAP_MAX_RANK);
  map.dims[map.rank] = size;
  map.box[map.rank] = box;
  if (map.rank > 0)
    map.strides[map.rank - 1] = stride;
  ++map.rank;
  return CODA_RT_SUCCESS;
}

Status LaunchBuilder::addScratch(uint64_t bytes, bool zeroed) {
  constexpr uint64_t alignment = 256;
  if (numScratch == maxScratch)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "expected at most %zu scratch buffers", maxScratch);
  scratch[numScratch++] = {numArgs, scratchBytes, bytes, zeroed};
  scratchBytes += (bytes + alignment - 1) / alignment * alignment;
  return addArg(coda_rt_arg_pointer(0, 0));
}

Status LaunchBuilder::placeScratch(coda_rt_device &device) {
  if (numScratch == 0)
    return CODA_RT_SUCCESS;
  if (Status status = memory.reserve(device, scratchBytes))
    return status;
  for (size_t index = 0; index != numScratch; ++index) {
    const ScratchRequest &request = scratch[index];
    coda_rt_address address = memory.getAddress() + request.offset;
    args[request.arg].u.pointer.address = address;
    if (!request.zeroed)
      continue;
    if (Status status =
            coda_rt_fill(&device, address, 0, request.bytes, nullptr))
      return status;
  }
  return CODA_RT_SUCCESS;
}

Status LaunchBuilder::launch(uint64_t tiles, uint32_t blocksPerMultiprocessor,
                             uint32_t threads, uint32_t sharedMemory) {
  if (tiles == 0)
    return CODA_RT_SUCCESS;
  coda_rt_device &device = kernel->module.device;
  if (Status status = placeScratch(device))
    return status;
  uint64_t multiprocessors =
      static_cast<uint64_t>(std::max(device.info.multiprocessors, 1));
  uint64_t blocks =
      blocksPerMultiprocessor == 0
          ? tiles
          : std::min(tiles, blocksPerMultiprocessor * multiprocessors);
  if (blocks > INT32_MAX)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "%" PRIu64 " blocks; expected at most %d", blocks, INT32_MAX);
  coda_rt_launch_config config = {{static_cast<uint32_t>(blocks), 1, 1},
                                  {threads, 1, 1},
                                  {0, 0, 0},
                                  sharedMemory};
  return coda_rt_launch(kernel, &config, args, numArgs, nullptr);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

void coda_rt_args_begin(void **handle, const char *image, const char *kernel) {
  LaunchBuilder &builder = getBuilder();
  builder.reset();
  builder.run(__func__, [&](LaunchBuilder &launch) {
    return launch.begin(handle, image, kernel);
  });
}

void coda_rt_args_check_positive(int64_t size) {
  getBuilder().run(__func__, [&](LaunchBuilder &) {
    return size > 0 ? CODA_RT_SUCCESS
                    : fail(CODA_RT_INVALID_ARGUMENT,
                           "size %" PRId64 "; expected a positive one", size);
  });
}

void coda_rt_args_pointer(coda_rt_address address, uint32_t alignment) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.addPointer(address, alignment);
  });
}

void coda_rt_args_value(uint64_t bits, uint32_t bytes) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.addValue(bits, bytes);
  });
}

void coda_rt_args_i32(int64_t size) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    if (size < 0 || size > INT32_MAX)
      return fail(CODA_RT_INVALID_ARGUMENT,
                  "size %" PRId64 "; expected 0 to %d", size, INT32_MAX);
    return launch.addValue(static_cast<uint64_t>(size), sizeof(int32_t));
  });
}

void coda_rt_args_tensor_map(coda_rt_address address, int32_t element,
                             int32_t swizzle) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.addTensorMap(address, element, swizzle);
  });
}

void coda_rt_args_tensor_map_dim(uint64_t size, uint64_t stride_in_bytes,
                                 uint32_t box) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.addTensorMapDim(size, stride_in_bytes, box);
  });
}

void coda_rt_args_scratch(uint64_t bytes, int32_t zeroed) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.addScratch(bytes, zeroed != 0);
  });
}

void coda_rt_args_launch(uint64_t tiles, uint32_t blocks_per_multiprocessor,
                         uint32_t threads, uint32_t shared_memory) {
  getBuilder().run(__func__, [&](LaunchBuilder &launch) {
    return launch.launch(tiles, blocks_per_multiprocessor, threads,
                         shared_memory);
  });
}
