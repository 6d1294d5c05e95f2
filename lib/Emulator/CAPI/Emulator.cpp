//===- Emulator.cpp - The emulated GPU from C -----------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda-c/Emulator.h"

#include "coda/Emulator/Driver.h"

using namespace coda::emulator;

static Device &getDevice() {
  static Device &device = registerEmulatorDriver(DeviceOptions());
  return device;
}

void coda_emulator_register(unsigned multiprocessors, int checks) {
  DeviceOptions &options = getDevice().getOptions();
  options.multiprocessors = multiprocessors ? multiprocessors : 1;
  options.checks = checks != 0;
}

void coda_emulator_set_schedule(uint64_t seed, unsigned number) {
  getDevice().getOptions().setSchedule(seed, number);
}
