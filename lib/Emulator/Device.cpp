//===- Device.cpp - An emulated GPU ---------------------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Emulator/Device.h"

#include "Block.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <thread>

using namespace coda::emulator;

void DeviceOptions::setSchedule(uint64_t firstSeed, unsigned number) {
  constexpr Schedule schedules[] = {
      Schedule::RoundRobin, Schedule::Random, Schedule::LateCompletions,
      Schedule::StarvedWarp, Schedule::FavouredWarpgroup};
  schedule = schedules[number % std::size(schedules)];
  seed = firstSeed + number / std::size(schedules);
}

Device::Device(DeviceOptions options)
    : options(options), memory(std::make_unique<GlobalMemory>()) {}

Device::~Device() = default;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<uint64_t> Device::allocate(size_t bytes) {
  return memory->allocate(bytes, options.checks);
}

llvm::Error Device::free(uint64_t address) { return memory->free(address); }

static llvm::Expected<Allocation *> find(GlobalMemory &memory, uint64_t address,
                                         size_t bytes) {
  if (Allocation *found = memory.find(address, bytes))
    return found;
  return llvm::createStringError("%zu bytes at 0x%llx: the range %s", bytes,
                                 static_cast<unsigned long long>(address),
                                 memory.describe(address).c_str());
}

llvm::Error Device::copyToDevice(uint64_t to, const void *from, size_t bytes) {
  llvm::Expected<Allocation *> target = find(*memory, to, bytes);
  if (!target)
    return target.takeError();
  std::memcpy((*target)->at(to), from, bytes);
  memory->markInitialized(**target, to, bytes);
  return llvm::Error::success();
}

llvm::Error Device::copyToHost(void *to, uint64_t from, size_t bytes) {
  llvm::Expected<Allocation *> source = find(*memory, from, bytes);
  if (!source)
    return source.takeError();
  std::memcpy(to, (*source)->at(from), bytes);
  return llvm::Error::success();
}

llvm::Error Device::copyOnDevice(uint64_t to, uint64_t from, size_t bytes) {
  llvm::Expected<Allocation *> source = find(*memory, from, bytes);
  if (!source)
    return source.takeError();
  llvm::Expected<Allocation *> target = find(*memory, to, bytes);
  if (!target)
    return target.takeError();
  std::memmove((*target)->at(to), (*source)->at(from), bytes);
  memory->markInitialized(**target, to, bytes);
  return llvm::Error::success();
}

llvm::Error Device::fill(uint64_t to, uint32_t value, unsigned width,
                         size_t count) {
  if (width > sizeof(value) || (width && count > SIZE_MAX / width))
    return llvm::createStringError("%zu elements of %u bytes", count, width);
  llvm::Expected<Allocation *> target = find(*memory, to, width * count);
  if (!target)
    return target.takeError();
  uint8_t *at = (*target)->at(to);
  for (size_t element = 0; element < count; ++element)
    std::memcpy(at + element * width, &value, width);
  memory->markInitialized(**target, to, width * count);
  return llvm::Error::success();
}

size_t Device::getAllocatedBytes() const { return memory->getAllocatedBytes(); }

bool Device::isDeviceAddress(uint64_t address) {
  return address >= GlobalMemory::firstAddress;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static llvm::Error checkConfig(const Kernel &kernel,
                               const LaunchConfig &config) {
  constexpr uint32_t maxSharedBytes = 232448;
  constexpr uint32_t maxThreads = 1024;
  const uint32_t maxGrid[3] = {0x7fffffff, 65535, 65535};
  const uint32_t maxBlock[3] = {1024, 1024, 64};
  uint64_t threads = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    uint32_t required = kernel.requiredThreads[dim];
    if (config.grid[dim] == 0 || config.grid[dim] > maxGrid[dim])
      return llvm::createStringError("grid dimension %u is %u, expected 1 to "
                                     "%u",
                                     dim, config.grid[dim], maxGrid[dim]);
    if (config.block[dim] == 0 || config.block[dim] > maxBlock[dim])
      return llvm::createStringError("block dimension %u is %u, expected 1 to "
                                     "%u",
                                     dim, config.block[dim], maxBlock[dim]);
    if (required != 0 && config.block[dim] != required)
      return llvm::createStringError("block dimension %u is %u, but the kernel "
                                     "requires %u",
                                     dim, config.block[dim], required);
    threads *= config.block[dim];
  }
  if (threads > maxThreads)
    return llvm::createStringError("%llu threads in a block, expected at most "
                                   "%u",
                                   static_cast<unsigned long long>(threads),
                                   maxThreads);
  uint64_t shared =
      uint64_t(kernel.fixedSharedBytes) + config.dynamicSharedBytes;
  if (shared > maxSharedBytes)
    return llvm::createStringError("%llu bytes of shared memory, expected at "
                                   "most %u",
                                   static_cast<unsigned long long>(shared),
                                   maxSharedBytes);
  return llvm::Error::success();
}

llvm::Expected<LaunchStatistics>
Device::launch(const Module &module, const Kernel &kernel,
               const LaunchConfig &config,
               llvm::ArrayRef<const void *> parameters) {
  if (llvm::Error error = checkConfig(kernel, config))
    return std::move(error);
  if (parameters.size() != kernel.parameters.size())
    return llvm::createStringError("%zu parameters, but kernel '%s' has %zu",
                                   parameters.size(), kernel.name.str().c_str(),
                                   kernel.parameters.size());
  auto program = decode(module, kernel);
  if (!program)
    return program.takeError();
  std::vector<uint8_t> bytes(kernel.parameterBytes);
  for (auto [parameter, value] : llvm::zip_equal(kernel.parameters, parameters))
    std::memcpy(bytes.data() + parameter.offset, value, parameter.size);

  uint64_t numBlocks =
      uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  if (numBlocks >= uint64_t(1) << 31)
    return llvm::createStringError("%llu blocks, expected less than 2^31",
                                   static_cast<unsigned long long>(numBlocks));
  Launch launch = {**program,
                   config,
                   options,
                   *memory,
                   findings,
                   bytes,
                   memory->reserveBlocks(numBlocks)};
  std::atomic<uint64_t> next = 0;
  auto work = [&] {
    while (!launch.stop) {
      uint64_t index = next++;
      if (index >= numBlocks)
        return;
      Block(launch, index).run();
    }
  };
  unsigned numThreads = options.hostThreads;
  if (numThreads == 0)
    numThreads = std::max(1u, std::thread::hardware_concurrency());
  numThreads = std::min<uint64_t>(numThreads, numBlocks);
  std::vector<std::thread> threads;
  for (unsigned thread = 1; thread < numThreads; ++thread)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return LaunchStatistics{launch.threadInstructions};
}
