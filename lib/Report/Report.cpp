//===- Report.cpp - What a compilation fused and saved -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/Report.h"
#include "coda/IR/Coda.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::coda;

FunctionCounts mlir::coda::countFunction(FunctionOpInterface function) {
  PassCount count = countPasses(function);
  FunctionCounts result;
  result.products = count.count(OpClass::Product);
  result.passes = count.count(OpClass::Pass);
  result.perRow = count.count(OpClass::PerRow);
  result.tables = count.count(OpClass::Table);
  result.weights = count.count(OpClass::Weight);
  result.weightGradients = count.count(OpClass::WeightGradient);
  result.bytes = count.getBytes();
  result.activationBytes = count.getActivationBytes();
  return result;
}

template <typename Fn> static void forEachFunction(ModuleOp module, Fn fn) {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      fn(function);
}

ReportBuilder::ReportBuilder(ModuleOp module, StringRef input,
                             StringRef numerics)
    : remarks(*module.getContext(), module) {
  report.input = input.str();
  report.numerics = numerics.str();
  forEachFunction(module, [&](FunctionOpInterface function) {
    FunctionReport entry;
    entry.name = function.getName().str();
    entry.before = entry.after = countFunction(function);
    report.functions.push_back(std::move(entry));
  });
}

void ReportBuilder::addRewritten(ModuleOp module) {
  forEachFunction(module, [&](FunctionOpInterface function) {
    for (FunctionReport &entry : report.functions)
      if (entry.name == function.getName())
        entry.after = countFunction(function);
  });
}

static std::string describeSchedule(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tile ";
  llvm::interleave(schedule.getTile(), os, "x");
  os << ", " << schedule.getStages() << " stages, cluster of "
     << schedule.getCluster() << ", "
     << stringifyScheduleMode(schedule.getMode());
  return text;
}

/// What a kernel says of itself: its attributes `coda.*`.
static void appendFacts(Operation *kernel, KernelReport &report) {
  if (auto schedule = kernel->getAttrOfType<ScheduleAttr>("coda.schedule"))
    report.facts.emplace_back("schedule", describeSchedule(schedule));
  // A producer and consumers that share a kernel have registers of their own.
  if (auto registers =
          kernel->getAttrOfType<DenseI64ArrayAttr>("coda.registers"))
    report.facts.emplace_back(
        "registers", std::to_string(registers[0]) + " of a producer thread, " +
                         std::to_string(registers[1]) + " of a consumer");
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>("coda.shared_memory"))
    report.facts.emplace_back("shared memory",
                              std::to_string(bytes.getInt()) + " bytes");
  if (auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid"))
    report.facts.emplace_back("threads", std::to_string(threads[0]));
}

// Kernels are found by the attribute that marks them: the headers of the GPU
// dialects cost more build time than all the rest of this library.
void ReportBuilder::addKernels(ModuleOp module) {
  module.walk([&](Operation *op) {
    auto symbol = op->getAttrOfType<StringAttr>("sym_name");
    if (!symbol || !(op->hasAttr("nvvm.kernel") || op->hasAttr("gpu.kernel")))
      return;
    KernelReport kernel{symbol.str(), {}};
    appendFacts(op, kernel);
    report.kernels.push_back(std::move(kernel));
  });
}

Report ReportBuilder::take() {
  for (CollectedRemark &remark : remarks.take()) {
    for (FunctionReport &entry : report.functions) {
      if (entry.name != remark.function)
        continue;
      auto &list = remark.outcome == RemarkOutcome::Fused     ? entry.fused
                   : remark.outcome == RemarkOutcome::Refused ? entry.refused
                                                              : entry.notes;
      list.push_back(std::move(remark));
      break;
    }
  }
  return std::move(report);
}
