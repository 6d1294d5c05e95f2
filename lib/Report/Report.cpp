//===- Report.cpp - What a compilation fused and saved -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/Report.h"
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

static std::string printAttribute(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os, /*elideType=*/true);
  return text;
}

// The ops of a gpu.module are looked at by name and attribute: the headers of
// the GPU dialects cost more build time than all the rest of this library.
void ReportBuilder::addKernels(ModuleOp module) {
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool isKernel = (name == "gpu.func" && op->hasAttr("gpu.kernel")) ||
                    (name == "llvm.func" && op->hasAttr("nvvm.kernel")) ||
                    (name == "gpu.func" && op->hasAttr("kernel"));
    auto symbol = op->getAttrOfType<StringAttr>("sym_name");
    if (!isKernel || !symbol)
      return;
    KernelReport kernel{symbol.str(), {}};
    for (NamedAttribute attribute : op->getAttrs()) {
      StringRef key = attribute.getName().strref();
      if (key.consume_front("coda."))
        kernel.facts.emplace_back(key.str(),
                                  printAttribute(attribute.getValue()));
    }
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
