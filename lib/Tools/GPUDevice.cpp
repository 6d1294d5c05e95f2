//===- GPUDevice.cpp - The GPU that programs run on -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/GPUDevice.h"
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

/// Device 0 of the default driver, which host code uses.
static llvm::Expected<coda_rt_device *> getDevice() {
  coda_rt_device *device = nullptr;
  if (coda_rt_device_get(nullptr, 0, &device) != CODA_RT_SUCCESS)
    return makeRuntimeError();
  return device;
}

static size_t getNumBytes(const HostTensor &tensor) {
  return tensor.getNumElements() * getElementSize(tensor.getElement());
}

/// Device addresses travel in the place of host pointers.
static void *toPointer(coda_rt_address address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

static coda_rt_address toAddress(const void *pointer) {
  return static_cast<coda_rt_address>(reinterpret_cast<uintptr_t>(pointer));
}

llvm::Expected<HostTensor> mlir::coda::uploadTensor(const HostTensor &tensor) {
  assert(tensor.isRowMajor() && "only whole buffers are copied");
  llvm::Expected<coda_rt_device *> device = getDevice();
  if (!device)
    return device.takeError();
  coda_rt_address address = 0;
  size_t bytes = getNumBytes(tensor);
  if (coda_rt_alloc(*device, bytes, &address) != CODA_RT_SUCCESS)
    return makeRuntimeError();
  std::shared_ptr<void> owner(toPointer(address), [device = *device](void *p) {
    (void)coda_rt_free(device, toAddress(p));
  });
  if (coda_rt_copy_to_device(*device, address, tensor.getData(), bytes,
                             nullptr) != CODA_RT_SUCCESS ||
      coda_rt_device_synchronize(*device) != CODA_RT_SUCCESS)
    return makeRuntimeError();
  return HostTensor::share(tensor.getElement(), tensor.getShape(),
                           tensor.getStrides(), owner.get(), owner);
}

llvm::Expected<HostTensor>
mlir::coda::downloadTensor(const HostTensor &tensor) {
  if (!tensor.isRowMajor())
    return llvm::createStringError(
        "a result on the GPU is not a row-major buffer");
  llvm::Expected<coda_rt_device *> device = getDevice();
  if (!device)
    return device.takeError();
  llvm::Expected<HostTensor> copy =
      HostTensor::allocate(tensor.getElement(), tensor.getShape());
  if (!copy)
    return copy.takeError();
  if (coda_rt_copy_to_host(*device, copy->getData(),
                           toAddress(tensor.getData()), getNumBytes(tensor),
                           nullptr) != CODA_RT_SUCCESS ||
      coda_rt_device_synchronize(*device) != CODA_RT_SUCCESS)
    return makeRuntimeError();
  return copy;
}

void mlir::coda::releaseDeviceBuffer(void *buffer) {
  llvm::Expected<coda_rt_device *> device = getDevice();
  if (!device)
    return llvm::consumeError(device.takeError());
  (void)coda_rt_free(*device, toAddress(buffer));
}

GPUErrorScope::GPUErrorScope() {
  auto keepFirst = [](coda_rt_status, const char *text, void *user) {
    std::string &message = static_cast<GPUErrorScope *>(user)->message;
    if (message.empty())
      message = text;
  };
  coda_rt_set_error_handler(keepFirst, this);
}

GPUErrorScope::~GPUErrorScope() { coda_rt_set_error_handler(nullptr, nullptr); }

llvm::Error GPUErrorScope::finish() {
  llvm::Expected<coda_rt_device *> device = getDevice();
  if (!device)
    return device.takeError();
  bool failed = coda_rt_device_synchronize(*device) != CODA_RT_SUCCESS;
  if (!message.empty())
    return llvm::createStringError(message);
  return failed ? makeRuntimeError() : llvm::Error::success();
}
