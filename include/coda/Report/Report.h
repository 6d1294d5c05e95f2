//===- Report.h - What a compilation fused and saved -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_REPORT_H
#define CODA_REPORT_REPORT_H

#include "coda/Report/PassCount.h"
#include "coda/Report/Remarks.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace mlir::coda {

/// Counts of one function at one moment. Holds no pointer into the IR.
struct FunctionCounts {
  unsigned products = 0;
  unsigned passes = 0;
  unsigned perRow = 0;
  unsigned tables = 0;
  unsigned weights = 0;
  unsigned weightGradients = 0;
  /// Memory traffic, and the part of it that is not weights.
  SymbolicSize bytes, activationBytes;
};

/// A kernel for the GPU, as far as the compiler knows it.
struct KernelReport {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
};

struct FunctionReport {
  std::string name;
  FunctionCounts before, after;
  std::vector<CollectedRemark> fused, refused, notes;
};

struct Report {
  std::string input;
  std::string numerics;
  std::vector<FunctionReport> functions;
  std::vector<KernelReport> kernels;
};

/// Fills a report in the order of a compilation: the input, the rewritten
/// program, and the remarks between.
class ReportBuilder {
public:
  ReportBuilder(ModuleOp module, StringRef input, StringRef numerics);
  void addRewritten(ModuleOp module);
  /// Kernels of the `gpu.module`s of a lowered module.
  void addKernels(ModuleOp module);
  Report take();

private:
  Report report;
  RemarkCollector remarks;
};

FunctionCounts countFunction(FunctionOpInterface function);

/// The size that stands for every dynamic one when bytes are given as a number.
inline constexpr int64_t reportAssumedSize = 1024;

void printReport(const Report &report, llvm::raw_ostream &os);
llvm::json::Value reportToJSON(const Report &report);

} // namespace mlir::coda

#endif // CODA_REPORT_REPORT_H
