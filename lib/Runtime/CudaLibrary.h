//===- CudaLibrary.h - The CUDA driver's library, opened at run time -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_CUDALIBRARY_H
#define CODA_LIB_RUNTIME_CUDALIBRARY_H

#include "CudaTypes.h"
#include "coda/Runtime/Driver.h"

namespace coda::runtime::cuda {

/// Every function the runtime calls: the name of the member, the symbol in the
/// library (which carries the version of the signature), the parameters.
#define CODA_CUDA_FUNCTIONS(F)                                                 \
  F(init, "cuInit", (unsigned flags))                                          \
  F(driverGetVersion, "cuDriverGetVersion", (int *version))                    \
  F(getErrorName, "cuGetErrorName", (Result result, const char **text))        \
  F(getErrorString, "cuGetErrorString", (Result result, const char **text))    \
  F(deviceGetCount, "cuDeviceGetCount", (int *count))                          \
  F(deviceGet, "cuDeviceGet", (DeviceHandle * device, int ordinal))            \
  F(deviceGetName, "cuDeviceGetName",                                          \
    (char *name, int length, DeviceHandle device))                             \
  F(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *value, DeviceAttribute attribute, DeviceHandle device))              \
  F(primaryContextRetain, "cuDevicePrimaryCtxRetain",                          \
    (Context * context, DeviceHandle device))                                  \
  F(contextPush, "cuCtxPushCurrent_v2", (Context context))                     \
  F(contextPop, "cuCtxPopCurrent_v2", (Context * context))                     \
  F(contextSynchronize, "cuCtxSynchronize", ())                                \
  F(memGetInfo, "cuMemGetInfo_v2", (size_t *available, size_t *total))         \
  F(memAlloc, "cuMemAlloc_v2", (DevicePointer * pointer, size_t bytes))        \
  F(memAllocManaged, "cuMemAllocManaged",                                      \
    (DevicePointer * pointer, size_t bytes, unsigned flags))                   \
  F(memFree, "cuMemFree_v2", (DevicePointer pointer))                          \
  F(memcpyAsync, "cuMemcpyAsync",                                              \
    (DevicePointer to, DevicePointer from, size_t bytes, void *stream))        \
  F(memcpyToDeviceAsync, "cuMemcpyHtoDAsync_v2",                               \
    (DevicePointer to, const void *from, size_t bytes, void *stream))          \
  F(memcpyToHostAsync, "cuMemcpyDtoHAsync_v2",                                 \
    (void *to, DevicePointer from, size_t bytes, void *stream))                \
  F(memcpyOnDeviceAsync, "cuMemcpyDtoDAsync_v2",                               \
    (DevicePointer to, DevicePointer from, size_t bytes, void *stream))        \
  F(memset8Async, "cuMemsetD8Async",                                           \
    (DevicePointer to, unsigned char value, size_t count, void *stream))       \
  F(memset16Async, "cuMemsetD16Async",                                         \
    (DevicePointer to, unsigned short value, size_t count, void *stream))      \
  F(memset32Async, "cuMemsetD32Async",                                         \
    (DevicePointer to, unsigned value, size_t count, void *stream))            \
  F(hostRegister, "cuMemHostRegister_v2",                                      \
    (void *memory, size_t bytes, unsigned flags))                              \
  F(hostUnregister, "cuMemHostUnregister", (void *memory))                     \
  F(streamCreate, "cuStreamCreate", (void **stream, unsigned flags))           \
  F(streamDestroy, "cuStreamDestroy_v2", (void *stream))                       \
  F(streamSynchronize, "cuStreamSynchronize", (void *stream))                  \
  F(streamWaitEvent, "cuStreamWaitEvent",                                      \
    (void *stream, void *event, unsigned flags))                               \
  F(eventCreate, "cuEventCreate", (void **event, unsigned flags))              \
  F(eventDestroy, "cuEventDestroy_v2", (void *event))                          \
  F(eventRecord, "cuEventRecord", (void *event, void *stream))                 \
  F(eventSynchronize, "cuEventSynchronize", (void *event))                     \
  F(eventElapsedTime, "cuEventElapsedTime",                                    \
    (float *milliseconds, void *start, void *end))                             \
  F(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (void **module, const void *image, unsigned numOptions,                    \
     JITOption *options, void **values))                                       \
  F(moduleUnload, "cuModuleUnload", (void *module))                            \
  F(moduleGetFunction, "cuModuleGetFunction",                                  \
    (void **function, void *module, const char *name))                         \
  F(functionGetAttribute, "cuFuncGetAttribute",                                \
    (int *value, FunctionAttribute attribute, void *function))                 \
  F(functionSetAttribute, "cuFuncSetAttribute",                                \
    (void *function, FunctionAttribute attribute, int value))                  \
  F(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *config, void *function, void **params, void **extra)) \
  F(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                            \
    (void *encoded, int elementType, uint32_t rank, void *address,             \
     const uint64_t *dims, const uint64_t *strides, const uint32_t *box,       \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int oobFill))

/// The library and its functions. Opened once, never closed.
struct Library {
#define CODA_CUDA_MEMBER(NAME, SYMBOL, PARAMETERS) Result(*NAME) PARAMETERS;
  CODA_CUDA_FUNCTIONS(CODA_CUDA_MEMBER)
#undef CODA_CUDA_MEMBER

  /// Since CUDA 12.4; null in older drivers.
  Result (*functionGetParamInfo)(void *function, size_t index, size_t *offset,
                                 size_t *size);

  /// Opens libcuda.so.1, or the library that CODA_CUDA_LIBRARY names.
  Status open();
  /// Keeps name and meaning of a result that is not a success.
  Status explain(Result result, const char *call) const;
};

} // namespace coda::runtime::cuda

#endif // CODA_LIB_RUNTIME_CUDALIBRARY_H
