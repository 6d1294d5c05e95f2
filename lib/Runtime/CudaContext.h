//===- CudaContext.h - Makes a device current for a while -------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_CUDACONTEXT_H
#define CODA_LIB_RUNTIME_CUDACONTEXT_H

#include "CudaDriver.h"
#include "Error.h"

namespace coda::runtime::cuda {

/// Makes the device's primary context current, and on its end whatever was
/// current before.
class CudaDriver::ContextScope {
public:
  ContextScope(CudaDriver &driver, int device) : driver(driver) {
    Context context = nullptr;
    status = driver.getContext(device, context);
    if (status == CODA_RT_SUCCESS)
      status =
          driver.check(driver.library.contextPush(context), "cuCtxPushCurrent");
  }
  ~ContextScope() {
    Context context = nullptr;
    if (status == CODA_RT_SUCCESS)
      driver.library.contextPop(&context);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  Status getStatus() const { return status; }

private:
  CudaDriver &driver;
  Status status;
};

template <typename Function>
Status CudaDriver::call(int device, const char *name, Function &&function) {
  ContextScope scope(*this, device);
  if (Status status = scope.getStatus())
    return status;
  return check(function(), name);
}

} // namespace coda::runtime::cuda

#endif // CODA_LIB_RUNTIME_CUDACONTEXT_H
