//===- Dialect.cpp - The coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "Bufferization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::coda;

#include "coda/IR/CodaDialect.cpp.inc"
#include "coda/IR/CodaEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "coda/IR/CodaAttrs.cpp.inc"

namespace {
/// Functions that contain coda ops may be inlined; nothing is ever inlined into
/// a region, where no call can stand.
struct CodaInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void CodaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coda/IR/CodaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coda/IR/CodaOps.cpp.inc"
      >();
  addInterfaces<CodaInlinerInterface>();
  attachBufferizationModels(getContext());
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> tile, int64_t stages,
                                   int64_t cluster, ScheduleMode) {
  if (tile.size() != 3)
    return emitError() << "expected a tile of rows, columns and contracts, "
                          "found "
                       << tile.size() << " sizes";
  for (int64_t size : tile)
    if (size <= 0)
      return emitError() << "expected positive tile sizes, found " << size;
  if (stages <= 0)
    return emitError() << "expected at least 1 stage, found " << stages;
  if (cluster <= 0)
    return emitError() << "expected a cluster of at least 1 block, found "
                       << cluster;
  return success();
}
