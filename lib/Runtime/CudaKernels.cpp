//===- CudaKernels.cpp - Modules, launches and tensor maps of CUDA --------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include <memory>

using namespace coda::runtime;
using namespace coda::runtime::cuda;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Status CudaDriver::explainModuleLoad(int device, Result result,
                                     const char *log) {
  Status status = library.explain(result, "cuModuleLoadDataEx");
  int major = 0, minor = 0;
  if (status == CODA_RT_WRONG_ARCHITECTURE &&
      !getAttribute(device, computeCapabilityMajor, major) &&
      !getAttribute(device, computeCapabilityMinor, minor))
    return addContext(status, "the binary has no code for sm_%d%d", major,
                      minor);
  if (!*log)
    return status;
  std::string explanation = coda_rt_last_error();
  return fail(status, "%s\n%s", explanation.c_str(), log);
}

Status CudaDriver::loadModule(int device, const char *image, size_t /*size*/,
                              int optLevel, DriverModule &module) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  constexpr size_t logBytes = 16384;
  std::unique_ptr<char[]> log(new char[logBytes]());
  JITOption options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes,
                         jitOptimizationLevel};
  // The driver reads sizes and levels from the pointers themselves. The last
  // byte of the log stays zero whatever it writes.
  void *values[] = {log.get(), reinterpret_cast<void *>(logBytes - 1),
                    reinterpret_cast<void *>(static_cast<intptr_t>(optLevel))};
  unsigned numOptions = optLevel < 0 ? 2 : 3;
  Result result =
      library.moduleLoadDataEx(&module, image, numOptions, options, values);
  if (result == success)
    return CODA_RT_SUCCESS;
  return explainModuleLoad(device, result, log.get());
}

Status CudaDriver::unloadModule(int device, DriverModule module) {
  return call(device, "cuModuleUnload",
              [&] { return library.moduleUnload(module); });
}

Status CudaDriver::getFunction(int device, DriverModule module,
                               const char *name, DriverFunction &function) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  Result result = library.moduleGetFunction(&function, module, name);
  if (result == notFound)
    return fail(CODA_RT_INVALID_ARGUMENT, "the module has no kernel '%s'",
                name);
  return check(result, "cuModuleGetFunction");
}

Status CudaDriver::getAttribute(DriverFunction function,
                                FunctionAttribute attribute, int &value) {
  return check(library.functionGetAttribute(&value, attribute, function),
               "cuFuncGetAttribute");
}

Status CudaDriver::getFunctionInfo(int device, DriverFunction function,
                                   FunctionInfo &info) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  coda_rt_kernel_info &kernel = info.kernel;
  if (Status status = getAttribute(function, numRegisters, kernel.registers))
    return status;
  if (Status status =
          getAttribute(function, sharedSizeBytes, kernel.shared_memory))
    return status;
  if (Status status =
          getAttribute(function, localSizeBytes, kernel.local_memory))
    return status;
  if (Status status = getAttribute(function, maxThreadsPerBlock,
                                   kernel.max_threads_per_block))
    return status;

  info.parameterSizes.clear();
  kernel.parameters = -1;
  if (!library.functionGetParamInfo)
    return CODA_RT_SUCCESS;
  // The first index past the end is refused: that is how they are counted.
  size_t offset = 0, bytes = 0;
  for (size_t index = 0; library.functionGetParamInfo(function, index, &offset,
                                                      &bytes) == success;
       ++index)
    info.parameterSizes.push_back(bytes);
  kernel.parameters = static_cast<int>(info.parameterSizes.size());
  return CODA_RT_SUCCESS;
}

Status CudaDriver::setDynamicSharedMemory(int device, DriverFunction function,
                                          uint32_t bytes) {
  return call(device, "cuFuncSetAttribute", [&] {
    return library.functionSetAttribute(function, maxDynamicSharedSizeBytes,
                                        static_cast<int>(bytes));
  });
}

//===----------------------------------------------------------------------===//
// Launches and tensor maps
//===----------------------------------------------------------------------===//

Status CudaDriver::launch(int device, const LaunchRequest &request) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  const coda_rt_launch_config &from = request.config;
  LaunchConfig config = {};
  LaunchAttribute attribute = {};
  for (int axis = 0; axis != 3; ++axis) {
    config.gridDim[axis] = from.grid[axis];
    config.blockDim[axis] = from.block[axis];
  }
  config.sharedMemBytes = from.shared_memory;
  config.stream = request.stream;
  if (from.cluster[0] != 0) {
    attribute.id = launchAttributeClusterDimension;
    attribute.value.clusterDim = {from.cluster[0], from.cluster[1],
                                  from.cluster[2]};
    config.attributes = &attribute;
    config.numAttributes = 1;
  }
  Result result = library.launchKernelEx(&config, request.function,
                                         request.params, nullptr);
  if (result == success)
    return CODA_RT_SUCCESS;
  Status status = library.explain(result, "cuLaunchKernelEx");
  return status == CODA_RT_DRIVER_ERROR ? CODA_RT_LAUNCH_FAILURE : status;
}

Status CudaDriver::encodeTensorMap(int device, const TensorMapRequest &request,
                                   void *encoded) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  const coda_rt_tensor_map &map = request.map;
  return check(library.tensorMapEncodeTiled(
                   encoded, map.element, map.rank,
                   reinterpret_cast<void *>(map.address), map.dims, map.strides,
                   map.box, request.elementStrides,
                   static_cast<int>(request.interleave), map.swizzle,
                   map.l2_promotion, map.oob_fill),
               "cuTensorMapEncodeTiled");
}
