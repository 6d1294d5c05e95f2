//===- LinalgMatchers.cpp - Questions about linalg ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgMatchers.h"

#include "coda/IR/LinalgBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::coda;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Uniform tensors
//===----------------------------------------------------------------------===//

/// The operand that a block argument of a linalg op stands for, or the value
/// itself when it is captured from above.
static Value getOutsideValue(LinalgOp op, Value inside) {
  auto arg = dyn_cast<BlockArgument>(inside);
  if (!arg || arg.getOwner() != op.getBlock())
    return inside;
  return op.getMatchingOpOperand(arg)->get();
}

/// Looks through ops that move elements without changing them.
static Value skipReshapes(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(def)) {
    tensor = def->getOperand(0);
    def = tensor.getDefiningOp();
  }
  return tensor;
}

std::optional<Attribute> coda::getUniformValue(Value reshaped) {
  Value tensor = skipReshapes(reshaped);
  Attribute constant;
  if (matchPattern(tensor, m_Constant(&constant))) {
    auto splat = dyn_cast<SplatElementsAttr>(constant);
    return splat ? std::optional(splat.getSplatValue<Attribute>())
                 : std::nullopt;
  }
  auto op = tensor.getDefiningOp<LinalgOp>();
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  Value yielded =
      getOutsideValue(op, op.getBlock()->getTerminator()->getOperand(0));
  if (isa<ShapedType>(yielded.getType()) ||
      !matchPattern(yielded, m_Constant(&constant)))
    return std::nullopt;
  return constant;
}

bool coda::isUniformZero(Value tensor) {
  std::optional<Attribute> value = getUniformValue(tensor);
  auto number = dyn_cast_or_null<FloatAttr>(value.value_or(Attribute()));
  // -0 is the identity of addition too.
  return number && number.getValue().isZero();
}

bool coda::isUniformNegativeInfinity(Value tensor) {
  std::optional<Attribute> value = getUniformValue(tensor);
  auto number = dyn_cast_or_null<FloatAttr>(value.value_or(Attribute()));
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Looks through casts to a wider float, which change no value.
static Value skipExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// If `value` is a copy of another tensor under a permutation of its dims, and
/// into elements of the type `elementType`, follows it.
static bool followCopy(Value &value, AffineMap &map, bool mayWiden) {
  auto op = value.getDefiningOp<LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics())
    return false;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  Value copied = mayWiden ? skipExtensions(yielded) : yielded;
  if (copied != op.getBlock()->getArgument(0))
    return false;
  Value source = op.getDpsInputs()[0];
  AffineMap from = op.getIndexingMapsArray()[0];
  AffineMap to = op.getIndexingMapsArray()[1];
  if (!isa<RankedTensorType>(source.getType()) || !to.isPermutation() ||
      !from.isPermutation())
    return false;
  value = source;
  map = from.compose(inversePermutation(to)).compose(map);
  return true;
}

static void followCopies(Contraction &match) {
  while (followCopy(match.lhs, match.lhsMap, /*mayWiden=*/false))
    ;
  while (followCopy(match.rhs, match.rhsMap, /*mayWiden=*/false))
    ;
  // Widened copies are followed together: a product has one operand type.
  Contraction widened = match;
  bool followed = false;
  while (followCopy(widened.lhs, widened.lhsMap, /*mayWiden=*/true))
    followed = true;
  while (followCopy(widened.rhs, widened.rhsMap, /*mayWiden=*/true))
    followed = true;
  if (followed && getElementTypeOrSelf(widened.lhs.getType()) ==
                      getElementTypeOrSelf(widened.rhs.getType()))
    match = widened;
}

/// Why a contraction of linalg is none that coda has.
static std::string explainOtherContraction(LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on memrefs, and products are raised on tensors";
  std::string reason;
  llvm::raw_string_ostream os(reason);
  os << "its operands have elements of type "
     << getElementTypeOrSelf(op.getDpsInputs()[0].getType())
     << " and its body is no sum of products in floating point";
  return reason;
}

FailureOr<Contraction> coda::matchContraction(LinalgOp op,
                                              std::string &reason) {
  if (!op.hasPureTensorSemantics() || !isMultiplyAccumulate(op)) {
    if (linalg::isaContractionOpInterface(op))
      reason = explainOtherContraction(op);
    return failure();
  }
  Contraction match;
  match.lhs = op.getDpsInputs()[0];
  match.rhs = op.getDpsInputs()[1];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation()) {
      reason = "an operand is not indexed by distinct loops";
      return failure();
    }
  match.lhsMap = maps[0];
  match.rhsMap = maps[1];
  match.outMap = maps[2];
  followCopies(match);

  Type lhsType = getElementTypeOrSelf(match.lhs.getType());
  Type rhsType = getElementTypeOrSelf(match.rhs.getType());
  llvm::raw_string_ostream os(reason);
  if (lhsType != rhsType) {
    os << "its operands have elements of different types, " << lhsType
       << " and " << rhsType << ", and none is narrowed silently";
    return failure();
  }
  if (!lhsType.isBF16() && !lhsType.isF16() && !lhsType.isF32()) {
    os << "its operands have elements of type " << lhsType
       << ", expected bf16, f16 or f32";
    return failure();
  }
  Type outType = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (!outType.isBF16() && !outType.isF16() && !outType.isF32()) {
    os << "its result has elements of type " << outType
       << ", and sums are taken in f32";
    return failure();
  }
  return match;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static bool dependsOn(Value value, BlockArgument arg) {
  if (value == arg)
    return true;
  Operation *def = value.getDefiningOp();
  return def && def->getBlock() == arg.getOwner() &&
         llvm::any_of(def->getOperands(),
                      [&](Value operand) { return dependsOn(operand, arg); });
}

std::optional<Accumulation> coda::matchAccumulation(LinalgOp op,
                                                    unsigned init) {
  BlockArgument out = op.getRegionOutputArgs()[init];
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(init).getDefiningOp();
  // Nobody else may see what was accumulated so far.
  if (!combiner || combiner->getNumOperands() != 2 || !out.hasOneUse() ||
      !combiner->hasOneUse())
    return std::nullopt;
  Value a = combiner->getOperand(0), b = combiner->getOperand(1);
  if (a != out && b != out)
    return std::nullopt;
  Value value = a == out ? b : a;
  if (dependsOn(value, out))
    return std::nullopt;
  return Accumulation{combiner, value};
}
