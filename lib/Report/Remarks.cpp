//===- Remarks.cpp - Remarks of the rewrite as data -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/Remarks.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::coda;

/// The places in a file that a location is made of, innermost first.
static void collectFileLocations(Location location,
                                 SmallVectorImpl<FileLineColLoc> &found) {
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part))
      found.push_back(file);
    return WalkResult::advance();
  });
}

std::string mlir::coda::describeLocation(Location location) {
  SmallVector<FileLineColLoc> files;
  collectFileLocations(location, files);
  if (files.empty())
    return "unknown location";
  FileLineColLoc file = files.front();
  return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
         std::to_string(file.getColumn());
}

LocationIndex::LocationIndex(ModuleOp module) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Outer ops come first and win: the region of a linalg op has none of its
    // own.
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return;
    SmallVector<FileLineColLoc> files;
    collectFileLocations(op->getLoc(), files);
    for (FileLineColLoc file : files)
      entries.try_emplace(file, Entry{op->getName().getStringRef().str(),
                                      function.getName().str()});
  });
}

LocationIndex::Entry LocationIndex::lookup(Location location) const {
  SmallVector<FileLineColLoc> files;
  collectFileLocations(location, files);
  for (FileLineColLoc file : files) {
    auto found = entries.find(file);
    if (found != entries.end())
      return found->second;
  }
  return {};
}

struct RemarkCollector::Shared {
  explicit Shared(ModuleOp module) : index(module) {}
  // Passes on functions emit from several threads.
  std::mutex mutex;
  LocationIndex index;
  std::vector<CollectedRemark> remarks;
};

static RemarkOutcome getOutcome(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return RemarkOutcome::Fused;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return RemarkOutcome::Refused;
  default:
    return RemarkOutcome::Note;
  }
}

static CollectedRemark convert(const remark::detail::Remark &remark,
                               const LocationIndex &index) {
  CollectedRemark result;
  result.outcome = getOutcome(remark.getRemarkType());
  result.category = remark.getCategoryName().str();
  result.name = remark.getRemarkName().str();
  LocationIndex::Entry entry = index.lookup(remark.getLocation());
  result.op = entry.op;
  bool namesFunction = remark.getFunction() != "<unknown function>";
  result.function = namesFunction ? remark.getFunction().str() : entry.function;
  result.location = describeLocation(remark.getLocation());
  for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
    if (arg.key == "Remark")
      result.message += arg.val;
    else
      result.values.emplace_back(arg.key, arg.val);
  }
  return result;
}

namespace {
class CollectingStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  using Sink = std::function<void(const remark::detail::Remark &)>;
  explicit CollectingStreamer(Sink sink) : sink(std::move(sink)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    sink(remark);
  }

private:
  Sink sink;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context, ModuleOp module)
    : shared(std::make_shared<Shared>(module)) {
  auto sink = [shared = shared](const remark::detail::Remark &remark) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    shared->remarks.push_back(convert(remark, shared->index));
  };
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*coda-.*";
  // Fails only when the context has an engine already; then nothing is
  // collected and the report has no remarks.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<CollectingStreamer>(std::move(sink)),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

std::vector<CollectedRemark> RemarkCollector::take() {
  std::lock_guard<std::mutex> lock(shared->mutex);
  return std::exchange(shared->remarks, {});
}
