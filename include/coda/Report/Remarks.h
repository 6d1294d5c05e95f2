//===- Remarks.h - Remarks of the rewrite as data -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the remarks that the passes emit, so that a report can list them.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_REMARKS_H
#define CODA_REPORT_REMARKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseMap.h"
#include <mutex>
#include <string>
#include <vector>

namespace mlir::coda {

enum class RemarkOutcome { Fused, Refused, Note };

struct CollectedRemark {
  RemarkOutcome outcome;
  /// The pass, for example `coda-fuse`.
  std::string category;
  std::string name;
  std::string function;
  /// Op of the input program that stood at the location.
  std::string op;
  /// `file:line:column`.
  std::string location;
  std::string message;
  /// Everything that was not free text: metrics, reasons, suggestions.
  std::vector<std::pair<std::string, std::string>> values;
};

/// Which op and function of the input program a location belongs to: remarks
/// about rewritten ops carry the location of the op that they came from.
class LocationIndex {
public:
  explicit LocationIndex(ModuleOp module);

  struct Entry {
    std::string op;
    std::string function;
  };
  /// Looks into fused locations; empty strings when nothing is known.
  Entry lookup(Location location) const;

private:
  llvm::DenseMap<Location, Entry> entries;
};

/// Prints a location as `file:line:column`.
std::string describeLocation(Location location);

/// Collects remarks of a context for as long as both live.
class RemarkCollector {
public:
  /// Turns on the remark engine of `context`. The module is the input program.
  RemarkCollector(MLIRContext &context, ModuleOp module);

  std::vector<CollectedRemark> take();

private:
  struct Shared;
  std::shared_ptr<Shared> shared;
};

} // namespace mlir::coda

#endif // CODA_REPORT_REMARKS_H
