//===- CudaDevice.cpp - The GPU of this machine -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/CudaDevice.h"
#include "coda/Runtime/Runtime.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir::coda;

static llvm::Error makeRuntimeError() {
  return llvm::createStringError(coda_rt_last_error());
}

llvm::Error mlir::coda::checkCudaDevice(llvm::StringRef target) {
  int count = 0;
  coda_rt_status status = coda_rt_device_count("cuda", &count);
  // The usual case on a machine without a GPU deserves fewer words than the
  // runtime has for it; a driver that is too old has its own text.
  if (status == CODA_RT_MISSING_DRIVER &&
      llvm::StringRef(coda_rt_last_error())
          .starts_with("cannot open the CUDA driver 'libcuda.so.1'"))
    return llvm::createStringError("no CUDA driver: libcuda.so.1 not found");
  if (status != CODA_RT_SUCCESS)
    return makeRuntimeError();
  if (count == 0)
    return llvm::createStringError("there is no CUDA device");
  coda_rt_device *device = nullptr;
  coda_rt_device_info info;
  if (coda_rt_device_get("cuda", 0, &device) != CODA_RT_SUCCESS ||
      coda_rt_device_get_info(device, &info) != CODA_RT_SUCCESS)
    return makeRuntimeError();
  // Code for sm_90a runs on sm_90 only: the letter promises no other device.
  int needed = 0;
  if (target.drop_front(3).rtrim('a').getAsInteger(10, needed) ||
      info.sm != needed)
    return llvm::createStringError(llvm::Twine("the GPU is an sm_") +
                                   llvm::Twine(info.sm) + " (" + info.name +
                                   "), but kernels are compiled for " + target);
  return llvm::Error::success();
}
