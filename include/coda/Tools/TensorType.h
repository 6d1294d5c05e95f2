//===- TensorType.h - Type of a tensor in host memory -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_TENSORTYPE_H
#define CODA_TOOLS_TENSORTYPE_H

#include "coda/Execution/HostTensor.h"

namespace mlir::coda {

/// The static type that a tensor has, to print it.
inline HostType getTensorType(const HostTensor &tensor) {
  HostType type;
  type.element = tensor.getElement();
  type.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return type;
}

} // namespace mlir::coda

#endif // CODA_TOOLS_TENSORTYPE_H
