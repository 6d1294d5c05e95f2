//===- GPUDevice.h - The GPU of this machine -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_GPUDEVICE_H
#define CODA_TOOLS_GPUDEVICE_H

#include "coda/Execution/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::coda {

/// Whether there is a GPU that `target` (`sm_90a`) runs on; the error says what
/// is missing.
llvm::Error checkCudaDevice(llvm::StringRef target);

/// A copy in the memory of the GPU of a row-major tensor. It must only be given
/// to host code of a device: its data is no host address.
llvm::Expected<HostTensor> uploadTensor(const HostTensor &tensor);

/// A copy in host memory of a row-major tensor on the GPU.
llvm::Expected<HostTensor> downloadTensor(const HostTensor &tensor);

/// Frees a buffer that host code of a device has allocated.
void releaseDeviceBuffer(void *buffer);

/// Collects the failures of host code while it lives: the functions that it
/// calls have no status.
class GPUErrorScope {
public:
  GPUErrorScope();
  ~GPUErrorScope();
  GPUErrorScope(const GPUErrorScope &) = delete;
  GPUErrorScope &operator=(const GPUErrorScope &) = delete;

  /// Waits for the GPU; the first failure since the scope began.
  llvm::Error finish();

private:
  std::string message;
};

} // namespace mlir::coda

#endif // CODA_TOOLS_GPUDEVICE_H
