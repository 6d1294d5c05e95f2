//===- Device.h - A device and what is cached for it ------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_DEVICE_H
#define CODA_LIB_RUNTIME_DEVICE_H

#include "Modules.h"
#include "TensorMaps.h"

struct coda_rt_device {
  coda_rt_device(coda::runtime::Driver &driver, int ordinal,
                 const coda_rt_device_info &info)
      : driver(driver), ordinal(ordinal), info(info) {}

  coda::runtime::Driver &driver;
  const int ordinal;
  /// As of the first use; free memory is out of date.
  const coda_rt_device_info info;
  coda::runtime::ModuleCache modules;
  coda::runtime::TensorMapCache tensorMaps;
};

namespace coda::runtime {

/// The device of a driver by name, or of the default driver for null.
Status getDevice(const char *driver, int ordinal, coda_rt_device *&device);

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_DEVICE_H
