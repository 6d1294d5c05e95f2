//===- CudaDevice.h - The GPU of this machine -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_CUDADEVICE_H
#define CODA_TOOLS_CUDADEVICE_H

#include "llvm/Support/Error.h"

namespace mlir::coda {

/// Whether there is a GPU that `target` (`sm_90a`) runs on; the error says what
/// is missing.
llvm::Error checkCudaDevice(llvm::StringRef target);

} // namespace mlir::coda

#endif // CODA_TOOLS_CUDADEVICE_H
