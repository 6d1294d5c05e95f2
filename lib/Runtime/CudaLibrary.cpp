//===- CudaLibrary.cpp - The CUDA driver's library, opened at run time ----===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace coda::runtime;
using namespace coda::runtime::cuda;

template <typename FunctionPtr>
static bool findSymbol(void *library, const char *symbol,
                       FunctionPtr &function) {
  function = reinterpret_cast<FunctionPtr>(dlsym(library, symbol));
  return function != nullptr;
}

Status Library::open() {
  const char *named = std::getenv("CODA_CUDA_LIBRARY");
  const char *path = named && *named ? named : "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(CODA_RT_MISSING_DRIVER,
                "cannot open the CUDA driver '%s' (%s); expected an NVIDIA "
                "driver of CUDA 12.0 or later",
                path, dlerror());
#define CODA_CUDA_FIND(NAME, SYMBOL, PARAMETERS)                               \
  if (!findSymbol(library, SYMBOL, NAME))                                      \
    return fail(CODA_RT_MISSING_DRIVER,                                        \
                "the CUDA driver '%s' has no function %s; expected an NVIDIA " \
                "driver of CUDA 12.0 or later",                                \
                path, SYMBOL);
  CODA_CUDA_FUNCTIONS(CODA_CUDA_FIND)
#undef CODA_CUDA_FIND
  findSymbol(library, "cuFuncGetParamInfo", functionGetParamInfo);
  return CODA_RT_SUCCESS;
}

static Status classify(Result result) {
  switch (result) {
  case outOfMemory:
    return CODA_RT_OUT_OF_MEMORY;
  case noDevice:
  case invalidDevice:
    return CODA_RT_NO_DEVICE;
  case noBinaryForDevice:
    return CODA_RT_WRONG_ARCHITECTURE;
  case invalidImage:
  case invalidPTX:
  case compilerNotFound:
  case unsupportedPTXVersion:
  case compilationDisabled:
  case invalidSource:
    return CODA_RT_MODULE_LOAD;
  case illegalAddress:
  case launchOutOfResources:
  case launchTimeout:
  case hardwareStackError:
  case illegalInstruction:
  case misalignedAddress:
  case invalidAddressSpace:
  case invalidProgramCounter:
  case launchFailed:
    return CODA_RT_LAUNCH_FAILURE;
  default:
    return CODA_RT_DRIVER_ERROR;
  }
}

Status Library::explain(Result result, const char *call) const {
  const char *name = nullptr;
  const char *meaning = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &meaning);
  return fail(classify(result), "%s failed with %s (%d): %s", call,
              name ? name : "an unknown error", result,
              meaning ? meaning : "no description");
}
