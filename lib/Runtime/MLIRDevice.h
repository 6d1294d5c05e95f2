//===- MLIRDevice.h - The device that MLIR's entry points use ---*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_MLIRDEVICE_H
#define CODA_LIB_RUNTIME_MLIRDEVICE_H

#include "coda/Runtime/Driver.h"

namespace coda::runtime {

/// The device that mgpuSetDefaultDevice chose for this thread.
Status getDefaultDevice(coda_rt_device *&device);

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_MLIRDEVICE_H
