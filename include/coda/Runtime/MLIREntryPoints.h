//===- MLIREntryPoints.h - What MLIR's gpu-to-llvm calls --------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that host code lowered by MLIR 22 (gpu-to-llvm, nvgpu-to-nvvm
// and the translation of gpu.binary) expects its runtime to have, with the
// names and signatures of upstream's CUDA wrappers. They use the default driver
// and the default device of the thread. None returns a status: a failure goes
// to the handler of coda_rt_set_error_handler.
//
// Differences from upstream's: modules are loaded when a kernel is first looked
// up, on the device that is the default one then; tensor maps respect the
// offset of a memref, and are made once for each distinct descriptor.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_RUNTIME_MLIRENTRYPOINTS_H
#define CODA_RUNTIME_MLIRENTRYPOINTS_H

#include "coda/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/// Device ordinal of the calling thread, 0 at first.
CODA_RT_EXPORT void mgpuSetDefaultDevice(int32_t device);

/// `data` must outlive the module.
CODA_RT_EXPORT void *mgpuModuleLoad(void *data, size_t size);
/// PTX that ends in a NUL.
CODA_RT_EXPORT void *mgpuModuleLoadJIT(void *data, int optLevel);
CODA_RT_EXPORT void mgpuModuleUnload(void *module);
CODA_RT_EXPORT void *mgpuModuleGetFunction(void *module, const char *name);

CODA_RT_EXPORT void mgpuLaunchKernel(void *function, intptr_t gridX,
                                     intptr_t gridY, intptr_t gridZ,
                                     intptr_t blockX, intptr_t blockY,
                                     intptr_t blockZ, int32_t sharedMemory,
                                     void *stream, void **params, void **extra,
                                     size_t numParams);
CODA_RT_EXPORT void
mgpuLaunchClusterKernel(void *function, intptr_t clusterX, intptr_t clusterY,
                        intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                        intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                        intptr_t blockZ, int32_t sharedMemory, void *stream,
                        void **params, void **extra);

CODA_RT_EXPORT void *mgpuStreamCreate(void);
CODA_RT_EXPORT void mgpuStreamDestroy(void *stream);
CODA_RT_EXPORT void mgpuStreamSynchronize(void *stream);
CODA_RT_EXPORT void mgpuStreamWaitEvent(void *stream, void *event);
CODA_RT_EXPORT void *mgpuEventCreate(void);
CODA_RT_EXPORT void mgpuEventDestroy(void *event);
CODA_RT_EXPORT void mgpuEventSynchronize(void *event);
CODA_RT_EXPORT void mgpuEventRecord(void *event, void *stream);

CODA_RT_EXPORT void *mgpuMemAlloc(uint64_t bytes, void *stream,
                                  bool isHostShared);
CODA_RT_EXPORT void mgpuMemFree(void *memory, void *stream);
CODA_RT_EXPORT void mgpuMemcpy(void *to, void *from, size_t bytes,
                               void *stream);
CODA_RT_EXPORT void mgpuMemset16(void *to, unsigned short value, size_t count,
                                 void *stream);
CODA_RT_EXPORT void mgpuMemset32(void *to, unsigned value, size_t count,
                                 void *stream);
CODA_RT_EXPORT void mgpuMemHostRegister(void *memory, uint64_t bytes);
CODA_RT_EXPORT void mgpuMemHostUnregister(void *memory);
/// `descriptor` is a ranked memref descriptor, which must be dense.
CODA_RT_EXPORT void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                                              int64_t elementBytes);
CODA_RT_EXPORT void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                                int64_t elementBytes);

/// Enumerations have the numbers of the CUDA driver.
CODA_RT_EXPORT void
mgpuTensorMapEncodeTiled(void *tensorMap, int elementType, uint32_t rank,
                         void *address, const uint64_t *dims,
                         const uint64_t *strides, const uint32_t *box,
                         const uint32_t *elementStrides, int interleave,
                         int swizzle, int l2Promotion, int oobFill);
/// The address of a tensor map in device memory. `box` has the order of the
/// memref, outermost first.
CODA_RT_EXPORT void *
mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor, int elementType,
                               int interleave, int swizzle, int l2Promotion,
                               int oobFill, int64_t *box);

#ifdef __cplusplus
}
#endif

#endif // CODA_RUNTIME_MLIRENTRYPOINTS_H
