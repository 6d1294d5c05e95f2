//===- LaunchPlanJSON.cpp - Launch plans as text -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::coda;
namespace json = llvm::json;

static json::Value toJSON(const SizeProduct &product) {
  json::Array factors;
  for (OperandDim dim : product.factors)
    factors.push_back(json::Array{dim.operand, dim.dim});
  return factors;
}

static json::Value toJSON(const TensorMapParam &param) {
  json::Array dims, box;
  for (const TensorMapDim &dim : param.dims) {
    json::Array memrefDims;
    for (unsigned memrefDim : dim.memrefDims)
      memrefDims.push_back(memrefDim);
    dims.push_back(std::move(memrefDims));
  }
  for (int64_t size : param.box)
    box.push_back(size);
  return json::Object{{"tensorMap", param.operand},
                      {"dims", std::move(dims)},
                      {"box", std::move(box)},
                      {"swizzle", param.swizzle == TensorMapSwizzle::Bytes128}};
}

static json::Value toJSON(const PointerParam &param) {
  return json::Object{{"pointer", param.operand}, {"elements", param.elements}};
}

static json::Value toJSON(const ScalarParam &param) {
  return json::Object{{"scalar", param.operand}};
}

static json::Value toJSON(const SizeParam &param) {
  return json::Object{{"size", toJSON(param.size)}};
}

static json::Value toJSON(const StrideParam &param) {
  return json::Object{
      {"stride", json::Array{param.dim.operand, param.dim.dim}}};
}

static json::Value toJSON(const ScratchParam &param) {
  return json::Object{
      {"scratch", param.bytes},         {"rows", toJSON(param.rows)},
      {"rowUnit", param.rowUnit},       {"columns", toJSON(param.columns)},
      {"columnUnit", param.columnUnit}, {"zeroed", param.zeroed}};
}

std::string mlir::coda::toJSON(const KernelLaunchPlan &plan) {
  json::Array params;
  for (const KernelParam &param : plan.params)
    params.push_back(
        std::visit([](const auto &kind) { return ::toJSON(kind); }, param));
  json::Array positive;
  for (const SizeProduct &size : plan.positiveSizes)
    positive.push_back(::toJSON(size));
  json::Object grid{
      {"rows", ::toJSON(plan.grid.rows)},
      {"rowTile", plan.grid.rowTile},
      {"columns", ::toJSON(plan.grid.columns)},
      {"columnTile", plan.grid.columnTile},
      {"blocksPerMultiprocessor", plan.grid.blocksPerMultiprocessor}};
  json::Object whole{{"kernel", plan.kernelName},
                     {"threads", plan.threads},
                     {"sharedMemory", plan.sharedMemoryBytes},
                     {"grid", std::move(grid)},
                     {"positiveSizes", std::move(positive)},
                     {"params", std::move(params)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(whole));
  return text;
}
