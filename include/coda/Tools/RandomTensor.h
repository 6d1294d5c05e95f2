//===- RandomTensor.h - Seeded random tensors -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_RANDOMTENSOR_H
#define CODA_TOOLS_RANDOMTENSOR_H

#include "coda/Execution/HostTensor.h"

namespace mlir::coda {

/// What a random tensor looks like. Floats are about normal with this mean and
/// deviation, integers uniform in [0, limit).
struct Distribution {
  double mean = 0;
  double deviation = 1;
  int64_t limit = 2;
};

/// Fills a row-major tensor. Element i depends on the seed and i only, never on
/// the machine or the number of threads.
void fillRandom(HostTensor &tensor, const Distribution &distribution,
                uint64_t seed);

} // namespace mlir::coda

#endif // CODA_TOOLS_RANDOMTENSOR_H
