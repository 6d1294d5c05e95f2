//===- Compare.h - Results against a reference -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_COMPARE_H
#define CODA_TOOLS_COMPARE_H

#include "coda/Execution/HostTensor.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mlir::coda {

/// Distance of a result from its reference.
struct Error {
  double max = 0;
  double rms = 0;
};

/// One result, compared over one block of columns. Errors are relative to the
/// root mean square of the whole reference.
struct BlockComparison {
  int64_t firstColumn, lastColumn;
  Error fused, unfused;
  bool passed;
};

struct ResultComparison {
  std::string name;
  std::string type;
  /// Every block of columns; integers have one.
  std::vector<BlockComparison> blocks;
  bool passed = true;
};

/// Compares a fused and an unfused result with the f64 reference, element by
/// element. A block passes when the fused error, maximum and root mean square,
/// is at most twice the unfused one or what a single rounding can do.
/// NaN and infinities agree only with themselves. Integers must be equal to
/// the reference.
ResultComparison compareResult(std::string name, const HostTensor &fused,
                               const HostTensor &unfused,
                               const HostTensor &reference);

/// Prints a table: one line for each result, and one for its worst block.
void printComparisons(llvm::ArrayRef<ResultComparison> comparisons,
                      llvm::raw_ostream &os);

} // namespace mlir::coda

#endif // CODA_TOOLS_COMPARE_H
