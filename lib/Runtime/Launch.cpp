//===- Launch.cpp - Checks and the way to the driver ----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Device.h"
#include "Error.h"

#include <cinttypes>

using namespace coda::runtime;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static constexpr uint64_t maxGrid[3] = {0x7fffffff, 65535, 65535};
/// What every device of an architecture with clusters can do.
static constexpr uint64_t maxClusterBlocks = 8;

static uint64_t getProduct(const uint32_t (&sizes)[3]) {
  uint64_t plane = uint64_t(sizes[0]) * sizes[1];
  // Saturates, as the product of three sizes may exceed 64 bits.
  return sizes[2] != 0 && plane > UINT64_MAX / sizes[2] ? UINT64_MAX
                                                        : plane * sizes[2];
}

static Status checkGrid(const coda_rt_launch_config &config) {
  for (int axis = 0; axis != 3; ++axis)
    if (config.grid[axis] < 1 || config.grid[axis] > maxGrid[axis])
      return fail(CODA_RT_INVALID_ARGUMENT,
                  "grid size %u along %c; expected 1 to %" PRIu64,
                  config.grid[axis], "xyz"[axis], maxGrid[axis]);
  return CODA_RT_SUCCESS;
}

static Status checkBlock(const coda_rt_kernel &kernel,
                         const coda_rt_launch_config &config) {
  uint64_t threads = getProduct(config.block);
  int limit = kernel.info.kernel.max_threads_per_block;
  if (threads >= 1 && threads <= static_cast<uint64_t>(limit))
    return CODA_RT_SUCCESS;
  return fail(CODA_RT_INVALID_ARGUMENT,
              "block of %u x %u x %u threads; expected 1 to %d threads",
              config.block[0], config.block[1], config.block[2], limit);
}

static Status checkCluster(const coda_rt_device &device,
                           const coda_rt_launch_config &config) {
  const uint32_t (&cluster)[3] = config.cluster;
  if (cluster[0] == 0 && cluster[1] == 0 && cluster[2] == 0)
    return CODA_RT_SUCCESS;
  if (device.info.sm < 90)
    return fail(CODA_RT_WRONG_ARCHITECTURE,
                "clusters need sm_90, found sm_%d (%s)", device.info.sm,
                device.info.name);
  uint64_t blocks = getProduct(cluster);
  if (blocks < 1 || blocks > maxClusterBlocks)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "cluster of %u x %u x %u blocks; expected 1 to %" PRIu64
                " blocks",
                cluster[0], cluster[1], cluster[2], maxClusterBlocks);
  for (int axis = 0; axis != 3; ++axis)
    if (config.grid[axis] % cluster[axis] != 0)
      return fail(CODA_RT_INVALID_ARGUMENT,
                  "grid size %u along %c; expected a multiple of the cluster's "
                  "%u",
                  config.grid[axis], "xyz"[axis], cluster[axis]);
  return CODA_RT_SUCCESS;
}

static Status checkSharedMemory(const coda_rt_device &device,
                                const coda_rt_kernel &kernel,
                                const coda_rt_launch_config &config) {
  uint64_t fixed = static_cast<uint64_t>(kernel.info.kernel.shared_memory);
  uint64_t limit = static_cast<uint64_t>(device.info.max_shared_memory);
  if (fixed + config.shared_memory <= limit)
    return CODA_RT_SUCCESS;
  return fail(CODA_RT_INVALID_ARGUMENT,
              "%u bytes of dynamic and %" PRIu64
              " of static shared memory; expected at most %" PRIu64
              " together on this device",
              config.shared_memory, fixed, limit);
}

Status coda::runtime::launchKernel(coda_rt_kernel &kernel,
                                   const coda_rt_launch_config &config,
                                   void **params, size_t numParams,
                                   Stream stream) {
  coda_rt_device &device = kernel.module.device;
  if (Status status = checkGrid(config))
    return status;
  if (Status status = checkBlock(kernel, config))
    return status;
  if (Status status = checkCluster(device, config))
    return status;
  if (Status status = checkSharedMemory(device, kernel, config))
    return status;
  if (Status status = kernel.grantSharedMemory(config.shared_memory))
    return status;
  return device.driver.launch(
      device.ordinal, {kernel.function, config, stream, params, numParams});
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {

/// Values of the parameters, on the stack of the call that launches.
class PackedArgs {
public:
  Status add(coda_rt_device &device, const coda_rt_arg &arg);
  void **getParams() { return params; }
  size_t getLastSize() const { return lastSize; }

private:
  Status addValue(const coda_rt_arg &arg);
  Status addPointer(const coda_rt_arg &arg);
  Status addTensorMap(coda_rt_device &device, const coda_rt_arg &arg);
  void push(const void *value, size_t size) {
    // The driver only reads, whatever its signature says.
    params[numParams++] = const_cast<void *>(value);
    lastSize = size;
  }

  EncodedTensorMap maps[CODA_RT_MAX_TENSOR_MAP_ARGS];
  // One more, so that no kernel without parameters gives an array of no size.
  void *params[CODA_RT_MAX_ARGS + 1];
  size_t numMaps = 0;
  size_t numParams = 0;
  size_t lastSize = 0;
};

} // namespace

Status PackedArgs::addValue(const coda_rt_arg &arg) {
  if (!arg.u.value.data || arg.u.value.size == 0)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "%s value of %zu bytes; expected at least one byte",
                arg.u.value.data ? "a" : "a null", arg.u.value.size);
  push(arg.u.value.data, arg.u.value.size);
  return CODA_RT_SUCCESS;
}

Status PackedArgs::addPointer(const coda_rt_arg &arg) {
  uint32_t alignment = arg.u.pointer.alignment ? arg.u.pointer.alignment : 16;
  if (arg.u.pointer.address % alignment != 0)
    return fail(CODA_RT_MISALIGNED,
                "address 0x%" PRIx64 "; expected a multiple of %u",
                arg.u.pointer.address, alignment);
  push(&arg.u.pointer.address, sizeof(coda_rt_address));
  return CODA_RT_SUCCESS;
}

Status PackedArgs::addTensorMap(coda_rt_device &device,
                                const coda_rt_arg &arg) {
  if (!arg.u.tensor_map)
    return fail(CODA_RT_INVALID_ARGUMENT, "the tensor map is null");
  if (numMaps == CODA_RT_MAX_TENSOR_MAP_ARGS)
    return fail(CODA_RT_INVALID_ARGUMENT, "expected at most %d tensor maps",
                CODA_RT_MAX_TENSOR_MAP_ARGS);
  TensorMapRequest request = makeTensorMapRequest(*arg.u.tensor_map);
  EncodedTensorMap &encoded = maps[numMaps];
  if (Status status = device.tensorMaps.encode(device, request, encoded))
    return addContext(status, "tensor map");
  ++numMaps;
  push(encoded.bytes, sizeof(encoded.bytes));
  return CODA_RT_SUCCESS;
}

Status PackedArgs::add(coda_rt_device &device, const coda_rt_arg &arg) {
  switch (arg.kind) {
  case CODA_RT_ARG_VALUE:
    return addValue(arg);
  case CODA_RT_ARG_POINTER:
    return addPointer(arg);
  case CODA_RT_ARG_TENSOR_MAP:
    return addTensorMap(device, arg);
  }
  return fail(CODA_RT_INVALID_ARGUMENT,
              "kind %d; expected one of coda_rt_arg_kind", arg.kind);
}

static Status checkArgCount(const coda_rt_kernel &kernel, size_t numArgs) {
  if (numArgs > CODA_RT_MAX_ARGS)
    return fail(CODA_RT_INVALID_ARGUMENT, "%zu arguments; expected at most %d",
                numArgs, CODA_RT_MAX_ARGS);
  int expected = kernel.info.kernel.parameters;
  if (expected >= 0 && numArgs != static_cast<size_t>(expected))
    return fail(CODA_RT_INVALID_ARGUMENT,
                "%zu arguments; expected the kernel's %d", numArgs, expected);
  return CODA_RT_SUCCESS;
}

static Status checkArgSize(const coda_rt_kernel &kernel, size_t index,
                           size_t bytes) {
  if (kernel.info.kernel.parameters < 0)
    return CODA_RT_SUCCESS;
  size_t expected = kernel.info.parameterSizes[index];
  if (bytes == expected)
    return CODA_RT_SUCCESS;
  return fail(CODA_RT_INVALID_ARGUMENT,
              "%zu bytes; expected the %zu of the kernel's parameter", bytes,
              expected);
}

static Status packAndLaunch(coda_rt_kernel &kernel,
                            const coda_rt_launch_config &config,
                            const coda_rt_arg *args, size_t numArgs,
                            Stream stream) {
  if (Status status = checkArgCount(kernel, numArgs))
    return status;
  PackedArgs packed;
  for (size_t index = 0; index != numArgs; ++index) {
    if (Status status = packed.add(kernel.module.device, args[index]))
      return addContext(status, "argument %zu", index);
    if (Status status = checkArgSize(kernel, index, packed.getLastSize()))
      return addContext(status, "argument %zu", index);
  }
  return launchKernel(kernel, config, packed.getParams(), numArgs, stream);
}

coda_rt_status coda_rt_launch(coda_rt_kernel *kernel,
                              const coda_rt_launch_config *config,
                              const coda_rt_arg *args, size_t num_args,
                              coda_rt_stream stream) {
  if (!kernel || !config || (!args && num_args != 0))
    return fail(CODA_RT_INVALID_ARGUMENT, "%s is null",
                !kernel   ? "kernel"
                : !config ? "config"
                          : "args");
  if (Status status = packAndLaunch(*kernel, *config, args, num_args, stream))
    return addContext(status, "kernel '%s'", kernel->name.c_str());
  return CODA_RT_SUCCESS;
}
