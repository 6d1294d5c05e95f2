//===- Driver.h - The emulated GPU as a driver of the runtime ---*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EMULATOR_DRIVER_H
#define CODA_EMULATOR_DRIVER_H

#include "coda/Emulator/Device.h"

namespace coda::emulator {

/// Makes the driver "emulator" known to the runtime, with one device, and gives
/// that device, which lives as long as the process. A launch fails when the
/// emulator finds something; the text of the error has all findings.
Device &registerEmulatorDriver(const DeviceOptions &options);

} // namespace coda::emulator

#endif // CODA_EMULATOR_DRIVER_H
