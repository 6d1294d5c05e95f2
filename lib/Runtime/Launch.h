//===- Launch.h - Checks and the way to the driver --------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_LAUNCH_H
#define CODA_LIB_RUNTIME_LAUNCH_H

#include "coda/Runtime/Driver.h"

namespace coda::runtime {

/// Checks sizes against the device and the kernel, and launches. `params` holds
/// the addresses of the values.
Status launchKernel(coda_rt_kernel &kernel, const coda_rt_launch_config &config,
                    void **params, size_t numParams, Stream stream);

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_LAUNCH_H
