//===- PrintJSON.cpp - A report for programs -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/Report.h"

using namespace mlir;
using namespace mlir::coda;
namespace json = llvm::json;

static json::Value toJSON(const SymbolicSize &size) {
  json::Object object;
  object["bytes"] = size.evaluate(reportAssumedSize);
  object["exact"] = size.isConstant();
  object["formula"] = size.str();
  return object;
}

static json::Value toJSON(const FunctionCounts &counts) {
  return json::Object{{"passes", counts.passes},
                      {"products", counts.products},
                      {"per_row", counts.perRow},
                      {"weights", counts.weights},
                      {"tables", counts.tables},
                      {"weight_gradients", counts.weightGradients},
                      {"traffic", toJSON(counts.bytes)},
                      {"activation_traffic", toJSON(counts.activationBytes)}};
}

static json::Object toJSON(const CollectedRemark &remark) {
  json::Object values;
  for (const auto &[key, value] : remark.values)
    values[key] = value;
  return json::Object{
      {"op", remark.op},           {"location", remark.location},
      {"pass", remark.category},   {"name", remark.name},
      {"message", remark.message}, {"values", std::move(values)}};
}

static json::Array toJSON(ArrayRef<CollectedRemark> remarks) {
  json::Array array;
  for (const CollectedRemark &remark : remarks)
    array.push_back(toJSON(remark));
  return array;
}

static json::Value toJSON(const FunctionReport &function) {
  return json::Object{{"name", function.name},
                      {"before", toJSON(function.before)},
                      {"after", toJSON(function.after)},
                      {"fused", toJSON(function.fused)},
                      {"refused", toJSON(function.refused)},
                      {"notes", toJSON(function.notes)}};
}

static json::Value toJSON(const KernelReport &kernel) {
  json::Object facts;
  for (const auto &[key, value] : kernel.facts)
    facts[key] = value;
  return json::Object{{"name", kernel.name}, {"facts", std::move(facts)}};
}

json::Value mlir::coda::reportToJSON(const Report &report) {
  json::Array functions, kernels;
  for (const FunctionReport &function : report.functions)
    functions.push_back(toJSON(function));
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(toJSON(kernel));
  return json::Object{{"input", report.input},
                      {"numerics", report.numerics},
                      {"assumed_dynamic_size", reportAssumedSize},
                      {"functions", std::move(functions)},
                      {"kernels", std::move(kernels)}};
}
