//===- Compare.cpp - Results against a reference -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Compare.h"
#include "coda/Tools/TensorType.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::coda;

/// Wide enough to average over, narrow enough that one wrong tile shows.
static constexpr int64_t blockColumns = 128;

/// The distance between neighbours from 1 to 2.
static double getSpacing(ElementKind element) {
  switch (element) {
  case ElementKind::BF16:
    return std::ldexp(1, -7);
  case ElementKind::F16:
    return std::ldexp(1, -10);
  case ElementKind::F64:
    return std::ldexp(1, -52);
  case ElementKind::F8E4M3FN:
    return std::ldexp(1, -3);
  case ElementKind::F8E5M2:
    return std::ldexp(1, -2);
  default:
    return std::ldexp(1, -23);
  }
}

static double getDistance(double value, double reference) {
  if (std::isnan(value) && std::isnan(reference))
    return 0;
  if (value == reference)
    return 0;
  double distance = std::abs(value - reference);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity()
                              : distance;
}

namespace {
struct Sum {
  double max = 0, squares = 0;
  int64_t count = 0;

  void add(double distance) {
    max = std::max(max, distance);
    squares += distance * distance;
    ++count;
  }
  Error get(double scale) const {
    return {max / scale, count ? std::sqrt(squares / count) / scale : 0};
  }
};
} // namespace

static double getRootMeanSquare(const HostTensor &tensor) {
  Sum sum;
  for (int64_t i = 0, end = tensor.getNumElements(); i < end; ++i) {
    double value = tensor.getFloat(i);
    if (std::isfinite(value))
      sum.add(value);
  }
  return sum.get(1).rms;
}

static ResultComparison compareIntegers(ResultComparison result,
                                        const HostTensor &fused,
                                        const HostTensor &unfused,
                                        const HostTensor &reference) {
  size_t size = getElementSize(fused.getElement());
  auto count = [&](const HostTensor &tensor) {
    int64_t different = 0;
    auto *a = static_cast<const char *>(tensor.getData());
    auto *b = static_cast<const char *>(reference.getData());
    for (int64_t i = 0, end = tensor.getNumElements(); i < end; ++i)
      different += std::memcmp(a + i * size, b + i * size, size) != 0;
    return static_cast<double>(different);
  };
  int64_t last = reference.getShape().empty() ? 1 : reference.getShape().back();
  BlockComparison block{0, last, {}, {}, true};
  block.fused.max = count(fused);
  block.unfused.max = count(unfused);
  block.passed = block.fused.max <= 2 * block.unfused.max;
  result.passed = block.passed;
  result.blocks.push_back(block);
  return result;
}

ResultComparison mlir::coda::compareResult(std::string name,
                                           const HostTensor &fused,
                                           const HostTensor &unfused,
                                           const HostTensor &reference) {
  ResultComparison result{
      std::move(name), getTensorType(fused).str(), {}, true};
  if (fused.getShape() != unfused.getShape() ||
      fused.getShape() != reference.getShape()) {
    result.passed = false;
    return result;
  }
  if (!isFloat(fused.getElement()))
    return compareIntegers(std::move(result), fused, unfused, reference);

  int64_t columns = reference.getShape().empty() ? 1 : fused.getShape().back();
  int64_t rows = columns == 0 ? 0 : reference.getNumElements() / columns;
  double scale = getRootMeanSquare(reference);
  if (scale == 0 || !std::isfinite(scale))
    scale = 1;
  double spacing = getSpacing(fused.getElement());
  for (int64_t first = 0; first < columns; first += blockColumns) {
    int64_t last = std::min(columns, first + blockColumns);
    Sum fusedSum, unfusedSum;
    double largest = 0;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = row * columns + first; i < row * columns + last; ++i) {
        double expected = reference.getFloat(i);
        if (std::isfinite(expected))
          largest = std::max(largest, std::abs(expected));
        fusedSum.add(getDistance(fused.getFloat(i), expected));
        unfusedSum.add(getDistance(unfused.getFloat(i), expected));
      }
    }
    BlockComparison block{first, last, fusedSum.get(scale),
                          unfusedSum.get(scale), true};
    // Not written as <, so that a NaN fails.
    block.passed = block.fused.max <= std::max(2 * block.unfused.max,
                                               spacing * largest / scale) &&
                   block.fused.rms <= std::max(2 * block.unfused.rms, spacing);
    result.passed &= block.passed;
    result.blocks.push_back(block);
  }
  return result;
}

/// The block to look at first: one that failed, else the least accurate one.
static const BlockComparison &getWorst(const ResultComparison &result) {
  return *std::max_element(
      result.blocks.begin(), result.blocks.end(),
      [](const BlockComparison &a, const BlockComparison &b) {
        return std::make_pair(!a.passed, a.fused.max) <
               std::make_pair(!b.passed, b.fused.max);
      });
}

static Error getOverall(const ResultComparison &result,
                        Error BlockComparison::*which) {
  Error overall;
  double columns = 0;
  for (const BlockComparison &block : result.blocks) {
    double width = static_cast<double>(block.lastColumn - block.firstColumn);
    overall.max = std::max(overall.max, (block.*which).max);
    overall.rms += (block.*which).rms * (block.*which).rms * width;
    columns += width;
  }
  overall.rms = columns > 0 ? std::sqrt(overall.rms / columns) : 0;
  return overall;
}

static void printLine(llvm::raw_ostream &os, llvm::StringRef name,
                      llvm::StringRef type, Error fused, Error unfused,
                      llvm::StringRef verdict) {
  os << llvm::left_justify(name, 12) << ' ' << llvm::left_justify(type, 28)
     << llvm::format(" %10.2e %10.2e %10.2e %10.2e  ", fused.max, fused.rms,
                     unfused.max, unfused.rms)
     << verdict << '\n';
}

void mlir::coda::printComparisons(llvm::ArrayRef<ResultComparison> comparisons,
                                  llvm::raw_ostream &os) {
  os << "error against the f64 reference, relative to its root mean square:\n"
     << llvm::left_justify("result", 12) << ' '
     << llvm::left_justify("type", 28)
     << "  fused max  fused rms   unf. max   unf. rms\n";
  for (const ResultComparison &result : comparisons) {
    printLine(os, result.name, result.type,
              getOverall(result, &BlockComparison::fused),
              getOverall(result, &BlockComparison::unfused),
              result.passed ? "ok" : "FAILED");
    if (result.blocks.empty()) {
      if (!result.passed)
        os << "  its shape is not that of the reference\n";
      continue;
    }
    const BlockComparison &worst = getWorst(result);
    std::string columns = "columns " + std::to_string(worst.firstColumn) +
                          " to " + std::to_string(worst.lastColumn - 1);
    printLine(os, "  worst", columns, worst.fused, worst.unfused,
              worst.passed ? "" : "more than twice the unfused error");
  }
}
