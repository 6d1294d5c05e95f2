//===- F64Reference.cpp - A program in double precision -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/F64Reference.h"

#include "coda/Conversion/CodaToLinalg.h"
#include "coda/IR/Coda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::coda;

static APFloat widen(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

static DenseElementsAttr widen(DenseElementsAttr attr) {
  auto floats = dyn_cast<DenseFPElementsAttr>(attr);
  if (!floats)
    return attr;
  return floats.mapValues(
      Float64Type::get(attr.getContext()),
      [](const APFloat &value) { return widen(value).bitcastToAPInt(); });
}

/// The bytes of a resource as ordinary elements, or nothing when its data is
/// not there.
static DenseElementsAttr readResource(DenseResourceElementsAttr attr) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  bool isSplat;
  if (!blob || !DenseElementsAttr::isValidRawBuffer(attr.getType(),
                                                    blob->getData(), isSplat))
    return nullptr;
  return DenseElementsAttr::getFromRawBuffer(attr.getType(), blob->getData());
}

/// Ops whose meaning depends on how a float is encoded.
static bool readsBits(Operation *op) {
  if (!isa<arith::BitcastOp, tensor::BitcastOp, vector::BitCastOp>(op))
    return false;
  auto isFloatValue = [](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value));
  };
  return llvm::any_of(op->getOperands(), isFloatValue) ||
         llvm::any_of(op->getResults(), isFloatValue);
}

static LogicalResult checkSupported(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (readsBits(op)) {
      op->emitError("looks at the bits of a float, so the program has no "
                    "meaning in f64");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Coda ops accumulate in f32 by definition; their definition in linalg can be
/// widened like everything else.
static LogicalResult lowerCodaOps(ModuleOp module) {
  SmallVector<EpilogueOpInterface> ops;
  module.walk([&](EpilogueOpInterface op) { ops.push_back(op); });
  IRRewriter rewriter(module.getContext());
  for (EpilogueOpInterface op : ops)
    if (failed(convertToLinalg(rewriter, op)))
      return failure();
  return success();
}

static void widenTypes(ModuleOp module) {
  Type f64 = Float64Type::get(module.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](FloatType) { return f64; });
  replacer.addReplacement(
      [=](FloatAttr attr) -> std::pair<Attribute, WalkResult> {
        return {FloatAttr::get(f64, widen(attr.getValue())),
                WalkResult::skip()};
      });
  replacer.addReplacement(
      [](DenseElementsAttr attr) -> std::pair<Attribute, WalkResult> {
        return {widen(attr), WalkResult::skip()};
      });
  replacer.addReplacement(
      [](DenseResourceElementsAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        DenseElementsAttr elements = readResource(attr);
        if (!elements)
          return std::nullopt;
        return std::pair<Attribute, WalkResult>(widen(elements),
                                                WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// A cast from f64 to f64 is no op.
static void dropCasts(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::coda::buildF64Reference(ModuleOp module) {
  OwningOpRef<ModuleOp> wide = module.clone();
  if (failed(checkSupported(*wide)) || failed(lowerCodaOps(*wide)))
    return failure();
  widenTypes(*wide);
  dropCasts(*wide);
  if (failed(verify(*wide)))
    return failure();
  return wide;
}
