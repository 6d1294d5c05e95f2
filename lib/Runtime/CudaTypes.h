//===- CudaTypes.h - What is used of the CUDA driver ABI --------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime uses of the driver's binary interface, under names of our
// own, from NVIDIA's public documentation of the driver API. No toolkit header
// is needed, and none may be included beside this one.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_CUDATYPES_H
#define CODA_LIB_RUNTIME_CUDATYPES_H

#include <cstddef>
#include <cstdint>

namespace coda::runtime::cuda {

using Result = int;
using DeviceHandle = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;

enum ResultCode : Result {
  success = 0,
  outOfMemory = 2,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  noBinaryForDevice = 209,
  invalidPTX = 218,
  compilerNotFound = 221,
  unsupportedPTXVersion = 222,
  compilationDisabled = 223,
  invalidSource = 300,
  notFound = 500,
  illegalAddress = 700,
  launchOutOfResources = 701,
  launchTimeout = 702,
  hardwareStackError = 714,
  illegalInstruction = 715,
  misalignedAddress = 716,
  invalidAddressSpace = 717,
  invalidProgramCounter = 718,
  launchFailed = 719,
};

enum DeviceAttribute : int {
  multiprocessorCount = 16,
  l2CacheSize = 38,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97,
};

enum FunctionAttribute : int {
  maxThreadsPerBlock = 0,
  sharedSizeBytes = 1,
  localSizeBytes = 3,
  numRegisters = 4,
  maxDynamicSharedSizeBytes = 8,
};

enum JITOption : int {
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSizeBytes = 6,
  jitOptimizationLevel = 7,
};

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventDefault = 0;
constexpr unsigned eventDisableTiming = 2;
constexpr unsigned memoryAttachGlobal = 1;
constexpr int launchAttributeClusterDimension = 4;

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
    // The size of the union is part of the interface.
    char bytes[64];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "layout of CUlaunchAttribute");

struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedMemBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(offsetof(LaunchConfig, stream) == 32, "layout of CUlaunchConfig");
static_assert(sizeof(LaunchConfig) == 56, "layout of CUlaunchConfig");

} // namespace coda::runtime::cuda

#endif // CODA_LIB_RUNTIME_CUDATYPES_H
