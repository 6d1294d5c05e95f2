//===- Device.h - An emulated GPU -------------------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EMULATOR_DEVICE_H
#define CODA_EMULATOR_DEVICE_H

#include "coda/Emulator/Finding.h"
#include "coda/Emulator/PTX.h"
#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <memory>

namespace coda::emulator {

class GlobalMemory;

enum class Schedule : uint8_t {
  /// Warps take turns; what is asynchronous is done as soon as it may.
  RoundRobin,
  /// Everything at random.
  Random,
  /// Asynchronous operations are done when nothing else can run.
  LateCompletions,
  /// One warp, chosen by the seed, runs only when no other can.
  StarvedWarp,
  /// One warpgroup, chosen by the seed, runs whenever it can.
  FavouredWarpgroup
};

struct DeviceOptions {
  unsigned multiprocessors = 4;
  Schedule schedule = Schedule::RoundRobin;
  uint64_t seed = 0;
  /// Without checks only what makes an execution impossible is found.
  bool checks = true;
  /// Threads of the host; 0 stands for one for each core.
  unsigned hostThreads = 0;
  /// Operations of a warp after which a launch is taken to run for ever.
  uint64_t maxOperations = uint64_t(1) << 32;

  /// Chooses schedule and seed by one number, for who tries several: 0 takes
  /// turns, then come the other schedules, and then all with the next seed.
  void setSchedule(uint64_t firstSeed, unsigned number);
};

struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
};

/// What one launch did.
struct LaunchStatistics {
  uint64_t threadInstructions = 0;
};

/// Memory, and launches that are over when they return. Addresses are those of
/// the emulated device. Launches do not overlap; everything else may be called
/// from any thread of the host.
class Device {
public:
  explicit Device(DeviceOptions options);
  ~Device();

  DeviceOptions &getOptions() { return options; }
  FindingLog &getFindings() { return findings; }

  llvm::Expected<uint64_t> allocate(size_t bytes);
  llvm::Error free(uint64_t address);
  llvm::Error copyToDevice(uint64_t to, const void *from, size_t bytes);
  llvm::Error copyToHost(void *to, uint64_t from, size_t bytes);
  llvm::Error copyOnDevice(uint64_t to, uint64_t from, size_t bytes);
  /// Repeats the low `width` bytes of `value`.
  llvm::Error fill(uint64_t to, uint32_t value, unsigned width, size_t count);
  size_t getAllocatedBytes() const;
  /// False for pointers of the host.
  static bool isDeviceAddress(uint64_t address);

  /// `parameters` are the addresses of the values, in order. An error is a
  /// launch that cannot begin; what goes wrong later is a finding.
  llvm::Expected<LaunchStatistics>
  launch(const Module &module, const Kernel &kernel, const LaunchConfig &config,
         llvm::ArrayRef<const void *> parameters);

private:
  DeviceOptions options;
  FindingLog findings;
  std::unique_ptr<GlobalMemory> memory;
};

} // namespace coda::emulator

#endif // CODA_EMULATOR_DEVICE_H
