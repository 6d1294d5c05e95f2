//===- FakeCuda.cpp - A CUDA driver without a GPU -------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the functions of the CUDA driver that the runtime opens, under their
// real names and signatures, for tests on machines without one. Memory is the
// host's; kernels do nothing. Each call that matters leaves a line of text: for
// fakeCudaTakeTrace, and on stdout if FAKE_CUDA_TRACE is set.
//
// Parameters of a kernel are read from its PTX. The device is an H200.
// FAKE_CUDA_SM changes its architecture. PTX with the word "invalid" does not
// compile. FAKE_CUDA_FAIL names a function that fails with out of memory.
//
//===----------------------------------------------------------------------===//

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Result = int;
using DevicePointer = unsigned long long;

constexpr Result success = 0, invalidValue = 1, outOfMemory = 2,
                 invalidPTX = 218, notFound = 500;

std::mutex mutex;
std::string text;
thread_local int contextDepth = 0;

__attribute__((format(printf, 1, 2))) void trace(const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof(line), format, args);
  va_end(args);
  std::lock_guard<std::mutex> lock(mutex);
  // What runs outside of a context would fail on a real driver.
  text += contextDepth == 0 ? "NO CONTEXT: " : "";
  text += line;
  text += '\n';
  if (std::getenv("FAKE_CUDA_TRACE")) {
    std::printf("%s\n", line);
    std::fflush(stdout);
  }
}

bool mustFail(const char *name) {
  const char *failing = std::getenv("FAKE_CUDA_FAIL");
  return failing && std::strcmp(failing, name) == 0;
}

int getArchitecture() {
  const char *sm = std::getenv("FAKE_CUDA_SM");
  return sm ? std::atoi(sm) : 90;
}

// Handles that are easy to tell apart.
void *const context = reinterpret_cast<void *>(0xc0);
void *const module = reinterpret_cast<void *>(0x30);
void *const function = reinterpret_cast<void *>(0xf0);

/// The parameters of a kernel that PTX does not define: a tensor map, a
/// pointer, an i32.
const std::vector<size_t> defaultParameterSizes = {128, 8, 4};
/// Those of the kernel that was looked up last, and the PTX loaded last.
std::vector<size_t> parameterSizes = defaultParameterSizes;
std::string loadedPTX;

/// Bytes of a parameter by its declaration: "[...] .u64 name", ".b8 name[128]".
size_t getParameterBytes(const std::string &declaration) {
  size_t bracket = declaration.find('[');
  if (bracket != std::string::npos)
    return std::strtoul(declaration.c_str() + bracket + 1, nullptr, 10);
  for (const char *type : {"64", "32", "16", "8"})
    for (const char *kind : {" .u", " .b", " .f", " .s"})
      if (declaration.find(std::string(kind) + type) != std::string::npos)
        return std::strtoul(type, nullptr, 10) / 8;
  return 0;
}

void findParameters(const char *name) {
  parameterSizes = defaultParameterSizes;
  size_t entry = loadedPTX.find(".entry " + std::string(name) + "(");
  if (entry == std::string::npos)
    return;
  parameterSizes.clear();
  size_t end = loadedPTX.find("\n)", entry);
  size_t position = entry;
  while ((position = loadedPTX.find(".param", position)) < end) {
    size_t next = loadedPTX.find_first_of(",\n", position);
    parameterSizes.push_back(
        getParameterBytes(loadedPTX.substr(position, next - position)));
    position = next;
  }
}

} // namespace

EXPORT const char *fakeCudaTakeTrace() {
  static std::string taken;
  std::lock_guard<std::mutex> lock(mutex);
  taken.swap(text);
  text.clear();
  return taken.c_str();
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

EXPORT Result cuInit(unsigned flags) { return flags ? invalidValue : success; }

EXPORT Result cuDriverGetVersion(int *version) {
  *version = 12040;
  return success;
}

EXPORT Result cuGetErrorName(Result result, const char **name) {
  *name = result == outOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == invalidPTX ? "CUDA_ERROR_INVALID_PTX"
                                 : "CUDA_ERROR_INVALID_VALUE";
  return success;
}

EXPORT Result cuGetErrorString(Result result, const char **meaning) {
  *meaning = result == outOfMemory  ? "out of memory"
             : result == invalidPTX ? "a PTX JIT compilation failed"
                                    : "invalid argument";
  return success;
}

EXPORT Result cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}

EXPORT Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? success : invalidValue;
}

EXPORT Result cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "fake H200");
  return success;
}

EXPORT Result cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 16:
    *value = 132;
    return success;
  case 38:
    *value = 50 << 20;
    return success;
  case 75:
    *value = getArchitecture() / 10;
    return success;
  case 76:
    *value = getArchitecture() % 10;
    return success;
  case 97:
    *value = 232448;
    return success;
  default:
    return invalidValue;
  }
}

EXPORT Result cuDevicePrimaryCtxRetain(void **result, int) {
  *result = context;
  return success;
}

EXPORT Result cuCtxPushCurrent_v2(void *pushed) {
  ++contextDepth;
  return pushed == context ? success : invalidValue;
}

EXPORT Result cuCtxPopCurrent_v2(void **popped) {
  --contextDepth;
  *popped = context;
  return success;
}

EXPORT Result cuCtxSynchronize() {
  trace("cuCtxSynchronize");
  return success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

EXPORT Result cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = size_t(100) << 30;
  *total = size_t(141) << 30;
  return success;
}

EXPORT Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  trace("cuMemAlloc %zu", bytes);
  if (mustFail("cuMemAlloc"))
    return outOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return success;
}

EXPORT Result cuMemAllocManaged(DevicePointer *pointer, size_t bytes,
                                unsigned flags) {
  trace("cuMemAllocManaged %zu flags %u", bytes, flags);
  *pointer = reinterpret_cast<DevicePointer>(std::malloc(bytes));
  return success;
}

EXPORT Result cuMemFree_v2(DevicePointer pointer) {
  trace("cuMemFree");
  std::free(reinterpret_cast<void *>(pointer));
  return success;
}

static Result copy(const char *name, DevicePointer to, DevicePointer from,
                   size_t bytes, void *stream) {
  trace("%s %zu stream %p", name, bytes, stream);
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return success;
}

EXPORT Result cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes,
                            void *stream) {
  return copy("cuMemcpy", to, from, bytes, stream);
}

EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                   size_t bytes, void *stream) {
  return copy("cuMemcpyHtoD", to, reinterpret_cast<DevicePointer>(from), bytes,
              stream);
}

EXPORT Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                                   void *stream) {
  return copy("cuMemcpyDtoH", reinterpret_cast<DevicePointer>(to), from, bytes,
              stream);
}

EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                   size_t bytes, void *stream) {
  return copy("cuMemcpyDtoD", to, from, bytes, stream);
}

template <typename Element>
static Result fill(DevicePointer to, Element value, size_t count) {
  trace("cuMemset %zu x %zu bytes of %#x", count, sizeof(Element),
        static_cast<unsigned>(value));
  for (size_t index = 0; index != count; ++index)
    std::memcpy(reinterpret_cast<Element *>(to) + index, &value, sizeof(value));
  return success;
}

EXPORT Result cuMemsetD8Async(DevicePointer to, unsigned char value,
                              size_t count, void *) {
  return fill(to, value, count);
}

EXPORT Result cuMemsetD16Async(DevicePointer to, unsigned short value,
                               size_t count, void *) {
  return fill(to, value, count);
}

EXPORT Result cuMemsetD32Async(DevicePointer to, unsigned value, size_t count,
                               void *) {
  return fill(to, value, count);
}

EXPORT Result cuMemHostRegister_v2(void *, size_t bytes, unsigned) {
  trace("cuMemHostRegister %zu", bytes);
  return success;
}

EXPORT Result cuMemHostUnregister(void *) {
  trace("cuMemHostUnregister");
  return success;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

EXPORT Result cuStreamCreate(void **stream, unsigned flags) {
  trace("cuStreamCreate flags %u", flags);
  *stream = reinterpret_cast<void *>(0x50);
  return success;
}

EXPORT Result cuStreamDestroy_v2(void *stream) {
  trace("cuStreamDestroy %p", stream);
  return success;
}

EXPORT Result cuStreamSynchronize(void *stream) {
  trace("cuStreamSynchronize %p", stream);
  return success;
}

EXPORT Result cuStreamWaitEvent(void *stream, void *event, unsigned) {
  trace("cuStreamWaitEvent %p %p", stream, event);
  return success;
}

EXPORT Result cuEventCreate(void **event, unsigned flags) {
  trace("cuEventCreate flags %u", flags);
  *event = reinterpret_cast<void *>(0xe0);
  return success;
}

EXPORT Result cuEventDestroy_v2(void *event) {
  trace("cuEventDestroy %p", event);
  return success;
}

EXPORT Result cuEventRecord(void *event, void *stream) {
  trace("cuEventRecord %p stream %p", event, stream);
  return success;
}

EXPORT Result cuEventSynchronize(void *event) {
  trace("cuEventSynchronize %p", event);
  return success;
}

EXPORT Result cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  trace("cuEventElapsedTime %p %p", start, end);
  *milliseconds = 0.25f;
  return success;
}

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

EXPORT Result cuModuleLoadDataEx(void **result, const void *image,
                                 unsigned numOptions, int *options,
                                 void **values) {
  const char *ptx = static_cast<const char *>(image);
  trace("cuModuleLoadDataEx %zu bytes", std::strlen(ptx));
  char *log = nullptr;
  size_t logBytes = 0;
  for (unsigned index = 0; index != numOptions; ++index) {
    if (options[index] == 5)
      log = static_cast<char *>(values[index]);
    else if (options[index] == 6)
      logBytes = reinterpret_cast<uintptr_t>(values[index]);
    else if (options[index] == 7)
      trace("optimization level %zu",
            reinterpret_cast<uintptr_t>(values[index]));
  }
  if (std::strstr(ptx, "invalid")) {
    std::snprintf(log, logBytes, "ptxas application ptx input, line 4; fatal");
    return invalidPTX;
  }
  loadedPTX = ptx;
  *result = module;
  return success;
}

EXPORT Result cuModuleUnload(void *unloaded) {
  trace("cuModuleUnload %p", unloaded);
  return success;
}

EXPORT Result cuModuleGetFunction(void **result, void *, const char *name) {
  trace("cuModuleGetFunction %s", name);
  *result = function;
  findParameters(name);
  return std::strcmp(name, "missing") == 0 ? notFound : success;
}

EXPORT Result cuFuncGetAttribute(int *value, int attribute, void *) {
  switch (attribute) {
  case 0:
    *value = 384;
    return success;
  case 1:
    *value = 16;
    return success;
  case 3:
    *value = 8;
    return success;
  case 4:
    *value = 168;
    return success;
  default:
    return invalidValue;
  }
}

EXPORT Result cuFuncSetAttribute(void *set, int attribute, int value) {
  trace("cuFuncSetAttribute %p %d %d", set, attribute, value);
  return success;
}

EXPORT Result cuFuncGetParamInfo(void *, size_t index, size_t *offset,
                                 size_t *bytes) {
  if (index >= parameterSizes.size())
    return invalidValue;
  *offset = index == 0 ? 0 : 128 + 8 * (index - 1);
  *bytes = parameterSizes[index];
  return success;
}

//===----------------------------------------------------------------------===//
// Launches and tensor maps
//===----------------------------------------------------------------------===//

namespace {

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  int padding;
  unsigned value[16];
};

struct LaunchConfig {
  unsigned grid[3], block[3], sharedMemory;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

} // namespace

EXPORT Result cuLaunchKernelEx(const LaunchConfig *config, void *launched,
                               void **params, void **extra) {
  if (mustFail("cuLaunchKernelEx"))
    return outOfMemory;
  int number = 0;
  DevicePointer pointer = 0;
  if (parameterSizes == defaultParameterSizes) {
    std::memcpy(&pointer, params[1], sizeof(pointer));
    std::memcpy(&number, params[2], sizeof(number));
  }
  trace("cuLaunchKernelEx %p grid %u %u %u block %u %u %u shared %u stream %p "
        "pointer %#llx number %d%s",
        launched, config->grid[0], config->grid[1], config->grid[2],
        config->block[0], config->block[1], config->block[2],
        config->sharedMemory, config->stream, pointer, number,
        extra ? " extra" : "");
  for (unsigned index = 0; index != config->numAttributes; ++index) {
    const LaunchAttribute &attribute = config->attributes[index];
    trace("attribute %d: %u %u %u", attribute.id, attribute.value[0],
          attribute.value[1], attribute.value[2]);
  }
  return success;
}

EXPORT Result cuTensorMapEncodeTiled(
    void *encoded, int elementType, uint32_t rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, int interleave, int swizzle, int l2,
    int oobFill) {
  trace("cuTensorMapEncodeTiled type %d rank %u address %p dims %llu %llu "
        "stride %llu box %u %u steps %u %u interleave %d swizzle %d l2 %d oob "
        "%d",
        elementType, rank, address, static_cast<unsigned long long>(dims[0]),
        static_cast<unsigned long long>(dims[1]),
        static_cast<unsigned long long>(strides[0]), box[0], box[1],
        elementStrides[0], elementStrides[1], interleave, swizzle, l2, oobFill);
  std::memset(encoded, 0xab, 128);
  return reinterpret_cast<uintptr_t>(encoded) % 64 ? invalidValue : success;
}
