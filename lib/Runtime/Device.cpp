//===- Device.cpp - Drivers by name and their devices ---------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "CudaDriver.h"
#include "Error.h"

using namespace coda::runtime;

namespace {

struct RegisteredDriver {
  Driver *driver;
  std::map<int, std::unique_ptr<coda_rt_device>> devices;
};

/// Lives as long as the process: kernels may be launched while static objects
/// are destroyed.
class Registry {
public:
  static Registry &get() {
    static Registry &registry = *new Registry;
    return registry;
  }

  bool add(const char *name, Driver &driver) {
    std::lock_guard<std::mutex> lock(mutex);
    return drivers.emplace(name, RegisteredDriver{&driver, {}}).second;
  }

  Status setDefault(const char *name) {
    std::lock_guard<std::mutex> lock(mutex);
    RegisteredDriver *found;
    if (Status status = find(name, found))
      return status;
    defaultName = name;
    return CODA_RT_SUCCESS;
  }

  Status getCount(const char *name, int &count) {
    std::lock_guard<std::mutex> lock(mutex);
    RegisteredDriver *found;
    if (Status status = find(name, found))
      return status;
    if (Status status = found->driver->initialize())
      return status;
    return found->driver->getDeviceCount(count);
  }

  Status getDevice(const char *name, int ordinal, coda_rt_device *&device) {
    std::lock_guard<std::mutex> lock(mutex);
    RegisteredDriver *registered;
    if (Status status = find(name, registered))
      return status;
    auto found = registered->devices.find(ordinal);
    if (found == registered->devices.end())
      return createDevice(*registered, ordinal, device);
    device = found->second.get();
    return CODA_RT_SUCCESS;
  }

private:
  Registry() : defaultName("cuda") {
    drivers.emplace("cuda", RegisteredDriver{new cuda::CudaDriver, {}});
  }

  Status find(const char *name, RegisteredDriver *&driver) {
    auto found = drivers.find(name ? name : defaultName.c_str());
    if (found != drivers.end()) {
      driver = &found->second;
      return CODA_RT_SUCCESS;
    }
    std::string known;
    for (const auto &entry : drivers)
      known += (known.empty() ? "" : ", ") + entry.first;
    return fail(CODA_RT_INVALID_ARGUMENT, "driver '%s'; expected one of: %s",
                name, known.c_str());
  }

  Status createDevice(RegisteredDriver &registered, int ordinal,
                      coda_rt_device *&device) {
    Driver &driver = *registered.driver;
    int count = 0;
    if (Status status = driver.initialize())
      return status;
    if (Status status = driver.getDeviceCount(count))
      return status;
    if (count == 0)
      return fail(CODA_RT_NO_DEVICE, "the driver finds no device");
    if (ordinal < 0 || ordinal >= count)
      return fail(CODA_RT_NO_DEVICE, "device %d; expected 0 to %d", ordinal,
                  count - 1);
    coda_rt_device_info info = {};
    if (Status status = driver.getDeviceInfo(ordinal, info))
      return status;
    auto created = std::make_unique<coda_rt_device>(driver, ordinal, info);
    device = created.get();
    registered.devices.emplace(ordinal, std::move(created));
    return CODA_RT_SUCCESS;
  }

  std::mutex mutex;
  std::map<std::string, RegisteredDriver, std::less<>> drivers;
  std::string defaultName;
};

} // namespace

Driver::~Driver() = default;

bool coda::runtime::registerDriver(const char *name, Driver &driver) {
  return Registry::get().add(name, driver);
}

Status coda::runtime::getDevice(const char *driver, int ordinal,
                                coda_rt_device *&device) {
  return Registry::get().getDevice(driver, ordinal, device);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

coda_rt_status coda_rt_set_default_driver(const char *driver) {
  if (!driver)
    return fail(CODA_RT_INVALID_ARGUMENT, "driver is null");
  return Registry::get().setDefault(driver);
}

coda_rt_status coda_rt_device_count(const char *driver, int *count) {
  if (!count)
    return fail(CODA_RT_INVALID_ARGUMENT, "count is null");
  return Registry::get().getCount(driver, *count);
}

coda_rt_status coda_rt_device_get(const char *driver, int ordinal,
                                  coda_rt_device **device) {
  if (!device)
    return fail(CODA_RT_INVALID_ARGUMENT, "device is null");
  return getDevice(driver, ordinal, *device);
}
