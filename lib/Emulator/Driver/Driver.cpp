//===- Driver.cpp - The emulated GPU as a driver of the runtime -----------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Emulator/Driver.h"

#include "../Program.h"
#include "coda/Emulator/TensorMap.h"

#include "coda/Runtime/Driver.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace coda::emulator;
namespace runtime = coda::runtime;
using runtime::Address;
using runtime::Event;
using runtime::Status;
using runtime::Stream;

namespace {

using Time = std::chrono::steady_clock::time_point;

/// A kernel and the module that it needs.
struct Function {
  const Module *module;
  const Kernel *kernel;
};

/// Streams are of no consequence: every call is over when it returns.
class EmulatorDriver final : public runtime::Driver {
public:
  explicit EmulatorDriver(const DeviceOptions &options) : device(options) {}

  Device device;

  Status initialize() override { return CODA_RT_SUCCESS; }
  Status getDeviceCount(int &count) override {
    count = 1;
    return CODA_RT_SUCCESS;
  }
  Status getDeviceInfo(int, coda_rt_device_info &info) override;
  Status synchronizeDevice(int) override { return CODA_RT_SUCCESS; }

  Status allocate(int, size_t bytes, Address &address) override;
  Status allocateShared(int, size_t, Address &) override {
    return runtime::fail(CODA_RT_DRIVER_ERROR,
                         "the emulator has no memory that host and device "
                         "both reach");
  }
  Status free(int, Address address) override;
  Status copy(int, const runtime::CopyRequest &request, Stream) override;
  Status fill(int, const runtime::FillRequest &request, Stream) override;
  Status registerHostMemory(int, void *, size_t) override {
    return runtime::fail(CODA_RT_DRIVER_ERROR,
                         "the emulated device cannot reach host memory");
  }
  Status unregisterHostMemory(int, void *) override { return CODA_RT_SUCCESS; }

  Status createStream(int, Stream &stream) override;
  Status destroyStream(int, Stream) override { return CODA_RT_SUCCESS; }
  Status synchronizeStream(int, Stream) override { return CODA_RT_SUCCESS; }
  Status waitForEvent(int, Stream, Event) override { return CODA_RT_SUCCESS; }

  Status createEvent(int, bool timing, Event &event) override;
  Status destroyEvent(int, Event event) override;
  Status recordEvent(int, Event event, Stream) override;
  Status synchronizeEvent(int, Event) override { return CODA_RT_SUCCESS; }
  Status getElapsedTime(int, Event start, Event end,
                        float &milliseconds) override;

  Status loadModule(int, const char *image, size_t size, int optLevel,
                    runtime::DriverModule &module) override;
  Status unloadModule(int, runtime::DriverModule module) override;
  Status getFunction(int, runtime::DriverModule module, const char *name,
                     runtime::DriverFunction &function) override;
  Status getFunctionInfo(int, runtime::DriverFunction function,
                         runtime::FunctionInfo &info) override;
  Status setDynamicSharedMemory(int, runtime::DriverFunction,
                                uint32_t) override {
    return CODA_RT_SUCCESS;
  }

  Status launch(int, const runtime::LaunchRequest &request) override;
  Status encodeTensorMap(int, const runtime::TensorMapRequest &request,
                         void *encoded) override;

private:
  /// Modules own their functions.
  struct LoadedModule {
    std::unique_ptr<Module> module;
    std::vector<std::unique_ptr<Function>> functions;
  };

  std::mutex mutex;
};

} // namespace

static Status toStatus(llvm::Error error, Status status) {
  if (!error)
    return CODA_RT_SUCCESS;
  return runtime::fail(status, "%s", llvm::toString(std::move(error)).c_str());
}

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

Status EmulatorDriver::getDeviceInfo(int, coda_rt_device_info &info) {
  constexpr size_t totalBytes = size_t(1) << 40;
  std::snprintf(info.name, sizeof(info.name), "emulated sm_90a");
  info.sm = 90;
  info.multiprocessors = device.getOptions().multiprocessors;
  info.total_memory = totalBytes;
  info.free_memory = totalBytes - device.getAllocatedBytes();
  info.max_shared_memory = 232448;
  info.l2_bytes = 0;
  info.driver_version = 12080;
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::allocate(int, size_t bytes, Address &address) {
  llvm::Expected<uint64_t> allocated = device.allocate(bytes);
  if (!allocated)
    return toStatus(allocated.takeError(), CODA_RT_OUT_OF_MEMORY);
  address = *allocated;
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::free(int, Address address) {
  return toStatus(device.free(address), CODA_RT_INVALID_ARGUMENT);
}

Status EmulatorDriver::copy(int, const runtime::CopyRequest &request, Stream) {
  using runtime::CopyKind;
  CopyKind kind = request.kind;
  bool fromDevice = kind == CopyKind::ToHost || kind == CopyKind::OnDevice;
  bool toDevice = kind == CopyKind::ToDevice || kind == CopyKind::OnDevice;
  if (kind == CopyKind::Unknown) {
    fromDevice = Device::isDeviceAddress(request.from);
    toDevice = Device::isDeviceAddress(request.to);
  }
  auto pointer = [](Address address) {
    return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
  };
  if (fromDevice && toDevice)
    return toStatus(
        device.copyOnDevice(request.to, request.from, request.bytes),
        CODA_RT_INVALID_ARGUMENT);
  if (fromDevice)
    return toStatus(
        device.copyToHost(pointer(request.to), request.from, request.bytes),
        CODA_RT_INVALID_ARGUMENT);
  if (toDevice)
    return toStatus(
        device.copyToDevice(request.to, pointer(request.from), request.bytes),
        CODA_RT_INVALID_ARGUMENT);
  std::memcpy(pointer(request.to), pointer(request.from), request.bytes);
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::fill(int, const runtime::FillRequest &request, Stream) {
  return toStatus(
      device.fill(request.to, request.value, request.width, request.count),
      CODA_RT_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Status EmulatorDriver::createStream(int, Stream &stream) {
  static char onlyStream;
  stream = reinterpret_cast<Stream>(&onlyStream);
  return CODA_RT_SUCCESS;
}

static Time &getTime(Event event) { return *reinterpret_cast<Time *>(event); }

Status EmulatorDriver::createEvent(int, bool, Event &event) {
  event = reinterpret_cast<Event>(new Time);
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::destroyEvent(int, Event event) {
  delete &getTime(event);
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::recordEvent(int, Event event, Stream) {
  getTime(event) = std::chrono::steady_clock::now();
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::getElapsedTime(int, Event start, Event end,
                                      float &milliseconds) {
  std::chrono::duration<float, std::milli> elapsed =
      getTime(end) - getTime(start);
  milliseconds = elapsed.count();
  return CODA_RT_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

Status EmulatorDriver::loadModule(int, const char *image, size_t size, int,
                                  runtime::DriverModule &module) {
  auto parsed = parseModule(llvm::StringRef(image, size));
  if (!parsed)
    return toStatus(parsed.takeError(), CODA_RT_MODULE_LOAD);
  auto loaded = std::make_unique<LoadedModule>();
  loaded->module = std::move(*parsed);
  for (const Kernel &kernel : loaded->module->kernels) {
    // What is not emulated shall be known before anything runs.
    auto program = decode(*loaded->module, kernel);
    if (!program)
      return toStatus(program.takeError(), CODA_RT_MODULE_LOAD);
    loaded->functions.push_back(
        std::make_unique<Function>(Function{loaded->module.get(), &kernel}));
  }
  module = loaded.release();
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::unloadModule(int, runtime::DriverModule module) {
  delete static_cast<LoadedModule *>(module);
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::getFunction(int, runtime::DriverModule module,
                                   const char *name,
                                   runtime::DriverFunction &function) {
  for (auto &candidate : static_cast<LoadedModule *>(module)->functions)
    if (candidate->kernel->name == name) {
      function = candidate.get();
      return CODA_RT_SUCCESS;
    }
  return runtime::fail(CODA_RT_INVALID_ARGUMENT, "the module has no entry '%s'",
                       name);
}

Status EmulatorDriver::getFunctionInfo(int, runtime::DriverFunction function,
                                       runtime::FunctionInfo &info) {
  const Kernel &kernel = *static_cast<Function *>(function)->kernel;
  info.kernel = {};
  info.kernel.shared_memory = kernel.fixedSharedBytes;
  info.kernel.max_threads_per_block = 1024;
  if (kernel.requiredThreads[0])
    info.kernel.max_threads_per_block = kernel.requiredThreads[0] *
                                        kernel.requiredThreads[1] *
                                        kernel.requiredThreads[2];
  info.kernel.parameters = kernel.parameters.size();
  info.parameterSizes.clear();
  for (const Parameter &parameter : kernel.parameters)
    info.parameterSizes.push_back(parameter.size);
  return CODA_RT_SUCCESS;
}

Status EmulatorDriver::launch(int, const runtime::LaunchRequest &request) {
  std::lock_guard<std::mutex> lock(mutex);
  const Function &function = *static_cast<Function *>(request.function);
  const coda_rt_launch_config &asked = request.config;
  LaunchConfig config;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (asked.cluster[dim] > 1)
      return runtime::fail(CODA_RT_LAUNCH_FAILURE, "clusters are not emulated");
    config.grid[dim] = asked.grid[dim];
    config.block[dim] = asked.block[dim];
  }
  config.dynamicSharedBytes = asked.shared_memory;
  std::vector<const void *> parameters(request.params,
                                       request.params + request.numParams);
  auto statistics =
      device.launch(*function.module, *function.kernel, config, parameters);
  if (!statistics)
    return toStatus(statistics.takeError(), CODA_RT_LAUNCH_FAILURE);
  std::vector<Finding> findings = device.getFindings().take();
  if (findings.empty())
    return CODA_RT_SUCCESS;
  std::string text;
  for (const Finding &finding : findings)
    text += "\n" + finding.format();
  return runtime::fail(CODA_RT_LAUNCH_FAILURE,
                       "the emulator found %zu faults%s", findings.size(),
                       text.c_str());
}

static std::optional<unsigned> getElementBytes(coda_rt_element_type type) {
  switch (type) {
  case CODA_RT_U8:
    return 1;
  case CODA_RT_U16:
  case CODA_RT_F16:
  case CODA_RT_BF16:
    return 2;
  case CODA_RT_U32:
  case CODA_RT_S32:
  case CODA_RT_F32:
  case CODA_RT_F32_FTZ:
  case CODA_RT_TF32:
  case CODA_RT_TF32_FTZ:
    return 4;
  case CODA_RT_U64:
  case CODA_RT_S64:
  case CODA_RT_F64:
    return 8;
  }
  return std::nullopt;
}

Status EmulatorDriver::encodeTensorMap(int,
                                       const runtime::TensorMapRequest &request,
                                       void *encoded) {
  const coda_rt_tensor_map &asked = request.map;
  TensorMap map;
  std::optional<unsigned> bytes = getElementBytes(asked.element);
  if (!bytes)
    return runtime::fail(CODA_RT_INVALID_ARGUMENT,
                         "elements of type %d are not emulated", asked.element);
  if (request.interleave != 0)
    return runtime::fail(CODA_RT_INVALID_ARGUMENT,
                         "interleaved tensor maps are not emulated");
  map.address = asked.address;
  map.rank = asked.rank;
  map.elementBytes = *bytes;
  map.strides[0] = *bytes;
  map.fillsWithNaN = asked.oob_fill == CODA_RT_OOB_NAN;
  constexpr uint8_t swizzles[] = {0, 32, 64, 128};
  map.swizzleBytes = swizzles[asked.swizzle & 3];
  for (unsigned dim = 0; dim < asked.rank && dim < TensorMap::maxRank; ++dim) {
    if (request.elementStrides[dim] != 1)
      return runtime::fail(CODA_RT_INVALID_ARGUMENT,
                           "element strides are not emulated");
    if (asked.dims[dim] < 1 || asked.dims[dim] > uint64_t(1) << 32)
      return runtime::fail(CODA_RT_INVALID_ARGUMENT,
                           "dimension %u is %llu, expected 1 to 2^32", dim,
                           static_cast<unsigned long long>(asked.dims[dim]));
    map.lastIndices[dim] = asked.dims[dim] - 1;
    map.box[dim] = asked.box[dim];
    if (dim > 0)
      map.strides[dim] = asked.strides[dim - 1];
  }
  if (auto error = coda::emulator::encodeTensorMap(map, encoded))
    return runtime::fail(CODA_RT_INVALID_ARGUMENT, "tensor map: %s",
                         error->c_str());
  return CODA_RT_SUCCESS;
}

Device &coda::emulator::registerEmulatorDriver(const DeviceOptions &options) {
  static EmulatorDriver &driver = *new EmulatorDriver(options);
  runtime::registerDriver("emulator", driver);
  return driver.device;
}
