//===- KernelArguments.h - Buffers and arguments of a kernel ----*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_KERNELARGUMENTS_H
#define CODA_TOOLS_KERNELARGUMENTS_H

#include "coda/Emulator/PTX.h"
#include "coda/Execution/HostTensor.h"

#include <map>

namespace mlir::coda {

/// Memory of a device that flags describe. Without contents it is not
/// initialised.
struct KernelBuffer {
  ElementKind element;
  llvm::SmallVector<int64_t> shape;
  std::optional<HostTensor> contents;

  size_t getNumBytes() const;
};

using KernelBuffers = std::map<std::string, KernelBuffer>;

/// Reads `NAME=TYPE:FILE.npy` or `NAME=TYPE[2x3]` into `buffers`.
llvm::Error parseKernelBuffer(llvm::StringRef text, KernelBuffers &buffers);

/// The bytes of a kernel parameter, from one of
///   `u32:7`, `s64:-1`, `f32:0.5`: a number;
///   `NAME`, `NAME+16`: an address in a buffer;
///   `map:NAME,box=64x128,...`: a tensor map of a buffer, innermost dimension
///   first, with `dims=`, `strides=` (bytes, from the second dimension),
///   `swizzle=`, `offset=` (bytes) and `fill=nan`.
/// `addresses` says where buffers are. The size must be that of the parameter.
llvm::Expected<std::vector<uint8_t>>
parseKernelArgument(llvm::StringRef text,
                    const ::coda::emulator::Parameter &parameter,
                    const KernelBuffers &buffers,
                    const std::map<std::string, uint64_t> &addresses);

} // namespace mlir::coda

#endif // CODA_TOOLS_KERNELARGUMENTS_H
