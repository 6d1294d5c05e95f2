//===- MathLowering.cpp - Ops of a region on the GPU -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type mlir::coda::getKernelType(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

bool mlir::coda::isAccessibleElement(Type type) {
  if (type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
      type.isF64())
    return true;
  return type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

Type mlir::coda::withWidth(Type type, bool pair) {
  return pair ? VectorType::get(2, type) : type;
}

static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

static Type withElement(Type type, Type element) {
  return withWidth(element, isa<VectorType>(type));
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value mlir::coda::splat(ImplicitLocOpBuilder &b, Value scalar) {
  return vector::BroadcastOp::create(b, withWidth(scalar.getType(), true),
                                     scalar);
}

static Value constantLike(ImplicitLocOpBuilder &b, Value like, double value) {
  Type type = like.getType();
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vectorType = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vectorType, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

/// Applies a PTX instruction on f32 to each element.
static Value emitInstruction(ImplicitLocOpBuilder &b, StringRef name,
                             ValueRange operands) {
  Type f32 = b.getF32Type();
  std::string text = (name + " $0").str(), constraints = "=f";
  for (unsigned index = 0; index < operands.size(); ++index) {
    text += (", $" + Twine(index + 1)).str();
    constraints += ",f";
  }
  text += ";";
  auto dialect =
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto emitScalar = [&](ValueRange scalars) -> Value {
    return LLVM::InlineAsmOp::create(b, f32, scalars, text, constraints,
                                     /*has_side_effects=*/false,
                                     /*is_align_stack=*/false,
                                     LLVM::TailCallKind::None, dialect,
                                     /*operand_attrs=*/ArrayAttr())
        .getResult(0);
  };
  if (!isa<VectorType>(operands.front().getType()))
    return emitScalar(operands);
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < 2; ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, operand, lane));
    results.push_back(emitScalar(scalars));
  }
  return vector::FromElementsOp::create(
      b, cast<VectorType>(operands.front().getType()), results);
}

/// A pair of bf16 is one register: its halves are the upper halves of two f32.
static Value emitExtendBF16Pair(ImplicitLocOpBuilder &b, Value pair) {
  Type i32 = b.getI32Type();
  Value bits = LLVM::BitcastOp::create(b, i32, pair);
  Value sixteen = arith::ConstantIntOp::create(b, i32, 16);
  Value upperMask = arith::ConstantIntOp::create(b, i32, -65536);
  Value lower = arith::ShLIOp::create(b, bits, sixteen);
  Value upper = arith::AndIOp::create(b, bits, upperMask);
  auto toFloat = [&](Value value) -> Value {
    return arith::BitcastOp::create(b, b.getF32Type(), value);
  };
  return vector::FromElementsOp::create(
      b, VectorType::get(2, b.getF32Type()),
      ValueRange{toFloat(lower), toFloat(upper)});
}

static Value emitExtend(ImplicitLocOpBuilder &b, Value value, Type type) {
  bool isBF16Pair =
      isa<VectorType>(value.getType()) && getElementTypeOrSelf(value).isBF16();
  if (isBF16Pair && getElementTypeOrSelf(type).isF32())
    return emitExtendBF16Pair(b, value);
  return arith::ExtFOp::create(b, type, value);
}

/// Pairs are rounded by one instruction into one register; left to itself LLVM
/// takes them apart when the rounded value has other uses.
static Value emitTruncate(ImplicitLocOpBuilder &b, Value value, Type type) {
  bool isF32Pair =
      isa<VectorType>(value.getType()) && getElementTypeOrSelf(value).isF32();
  if (!isF32Pair)
    return arith::TruncFOp::create(b, type, value);
  Value lower = vector::ExtractOp::create(b, value, 0);
  Value upper = vector::ExtractOp::create(b, value, 1);
  if (getElementTypeOrSelf(type).isBF16())
    return NVVM::ConvertF32x2ToBF16x2Op::create(b, type, upper, lower,
                                                /*random_bits=*/Value(),
                                                NVVM::FPRoundingMode::RN);
  return NVVM::ConvertF32x2ToF16x2Op::create(b, type, upper, lower,
                                             /*random_bits=*/Value(),
                                             NVVM::FPRoundingMode::RN);
}

static std::optional<double> matchConstant(Value value) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return std::nullopt;
  return constant.convertToDouble();
}

/// A constant whose reciprocal is exact.
static bool isPowerOfTwo(double value) {
  int exponent;
  return std::abs(std::frexp(value, &exponent)) == 0.5 &&
         std::abs(exponent) < 120;
}

// The forms that flush subnormal numbers are one instruction each, where the
// others scale before and after.
static Value emitReciprocal(ImplicitLocOpBuilder &b, Value value) {
  return emitInstruction(b, "rcp.approx.ftz.f32", value);
}

static Value emitExp2(ImplicitLocOpBuilder &b, Value value) {
  return emitInstruction(b, "ex2.approx.ftz.f32", value);
}

static Value emitExp(ImplicitLocOpBuilder &b, Value value) {
  Value log2e = constantLike(b, value, 1.4426950408889634);
  return emitExp2(b, arith::MulFOp::create(b, value, log2e));
}

static Value emitDivide(ImplicitLocOpBuilder &b, Operation *op,
                        ValueRange operands) {
  std::optional<double> numerator = matchConstant(op->getOperand(0));
  std::optional<double> denominator = matchConstant(op->getOperand(1));
  if (denominator && isPowerOfTwo(*denominator))
    return arith::MulFOp::create(
        b, operands[0], constantLike(b, operands[0], 1.0 / *denominator));
  if (numerator && *numerator == 1.0)
    return emitReciprocal(b, operands[1]);
  return emitInstruction(b, "div.full.f32", operands);
}

/// The power of a small exponent, by squaring.
static Value emitIntegerPower(ImplicitLocOpBuilder &b, Value base,
                              unsigned exponent) {
  Value power;
  for (Value square = base; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0)
      power = power ? Value(arith::MulFOp::create(b, power, square)) : square;
    if (exponent > 1)
      square = arith::MulFOp::create(b, square, square);
  }
  return power;
}

/// What |base|^exponent becomes where the base is negative: the sign of odd
/// exponents, and no number for those that are not whole.
static Value emitPowerOfNegative(ImplicitLocOpBuilder &b, Value magnitude,
                                 Value exponent) {
  auto isWhole = [&](Value value) -> Value {
    Value floor = emitInstruction(b, "cvt.rmi.f32.f32", value);
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, floor, value);
  };
  Value half =
      arith::MulFOp::create(b, exponent, constantLike(b, exponent, 0.5));
  Value negated = arith::NegFOp::create(b, magnitude);
  Value power = arith::SelectOp::create(b, isWhole(half), magnitude, negated);
  Value nan =
      constantLike(b, magnitude, std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(b, isWhole(exponent), power, nan);
}

static Value emitPower(ImplicitLocOpBuilder &b, Operation *op,
                       ValueRange operands) {
  Value base = operands[0], exponent = operands[1];
  std::optional<double> constant = matchConstant(op->getOperand(1));
  constexpr double maxMultiplied = 16;
  if (constant && *constant == std::floor(*constant) && *constant != 0 &&
      std::fabs(*constant) <= maxMultiplied) {
    Value power = emitIntegerPower(b, base, std::fabs(*constant));
    return *constant < 0 ? emitReciprocal(b, power) : power;
  }
  if (constant == 0.5)
    return emitInstruction(b, "sqrt.approx.f32", base);
  if (constant == -0.5)
    return emitInstruction(b, "rsqrt.approx.f32", base);
  Value absolute = math::AbsFOp::create(b, base);
  Value log = emitInstruction(b, "lg2.approx.f32", absolute);
  Value magnitude = emitExp2(b, arith::MulFOp::create(b, exponent, log));
  Value isNegative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, base,
                                           constantLike(b, base, 0.0));
  Value power = arith::SelectOp::create(
      b, isNegative, emitPowerOfNegative(b, magnitude, exponent), magnitude);
  // 0 times an infinite logarithm is no number, but anything to the 0 is 1.
  Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, exponent,
                                       constantLike(b, exponent, 0.0));
  return arith::SelectOp::create(b, isZero, constantLike(b, base, 1.0), power);
}

/// 1 - 2 / (1 + e^2|x|) with the sign of x; near 0, where that cancels, the
/// Taylor polynomial.
static Value emitTanh(ImplicitLocOpBuilder &b, Value x) {
  Value magnitude = math::AbsFOp::create(b, x);
  Value one = constantLike(b, x, 1.0);
  Value exp = emitExp(b, arith::AddFOp::create(b, magnitude, magnitude));
  Value reciprocal = emitReciprocal(b, arith::AddFOp::create(b, exp, one));
  Value large =
      math::FmaOp::create(b, constantLike(b, x, -2.0), reciprocal, one);
  large = math::CopySignOp::create(b, large, x);

  Value square = arith::MulFOp::create(b, x, x);
  Value series = constantLike(b, x, 62.0 / 2835);
  for (double coefficient : {-17.0 / 315, 2.0 / 15, -1.0 / 3, 1.0})
    series =
        math::FmaOp::create(b, series, square, constantLike(b, x, coefficient));
  Value small = arith::MulFOp::create(b, series, x);

  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude,
                                        constantLike(b, x, 0.25));
  return arith::SelectOp::create(b, isSmall, small, large);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The same op on values of the kernel.
static Value emitSame(ImplicitLocOpBuilder &b, Operation *op,
                      ValueRange operands, Type resultType) {
  OperationState state(b.getLoc(), op->getName(), operands, {resultType},
                       op->getAttrs());
  return b.create(state)->getResult(0);
}

static Value emitConstant(ImplicitLocOpBuilder &b, arith::ConstantOp op,
                          Type resultType) {
  TypedAttr value = op.getValue();
  Type element = getElementTypeOrSelf(resultType);
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = b.getIntegerAttr(element, integer.getValue().sextOrTrunc(
                                          element.getIntOrFloatBitWidth()));
  if (auto vectorType = dyn_cast<VectorType>(resultType))
    value = DenseElementsAttr::get(vectorType, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

/// Ops on f32 whose instruction or expansion differs from LLVM's.
static Value emitApproximation(ImplicitLocOpBuilder &b, Operation *op,
                               ValueRange operands) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivFOp) { return emitDivide(b, op, operands); })
      .Case([&](math::ExpOp) { return emitExp(b, operands[0]); })
      .Case([&](math::Exp2Op) { return emitExp2(b, operands[0]); })
      .Case([&](math::LogOp) -> Value {
        Value log2 = emitInstruction(b, "lg2.approx.f32", operands);
        return arith::MulFOp::create(b, log2,
                                     constantLike(b, log2, 0.6931471805599453));
      })
      .Case([&](math::Log2Op) {
        return emitInstruction(b, "lg2.approx.f32", operands);
      })
      .Case([&](math::SqrtOp) {
        return emitInstruction(b, "sqrt.approx.f32", operands);
      })
      .Case([&](math::RsqrtOp) {
        return emitInstruction(b, "rsqrt.approx.f32", operands);
      })
      .Case([&](math::PowFOp) { return emitPower(b, op, operands); })
      .Case([&](math::TanhOp) { return emitTanh(b, operands[0]); })
      .Default([](Operation *) { return Value(); });
}

/// Narrow values are computed in f32; what only moves bits is not.
static bool computesOnFloats(Operation *op) {
  return !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp,
              arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
      op);
}

Value mlir::coda::emitPointwise(ImplicitLocOpBuilder &b, Operation *op,
                                ValueRange operands, bool pair) {
  Type resultType = withWidth(getKernelType(op->getResult(0).getType()), pair);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(b, constant, resultType);
  // Between i64 and i64 nothing is left of a cast from or to index.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    unsigned from = getElementTypeOrSelf(operands[0]).getIntOrFloatBitWidth();
    unsigned to = getElementTypeOrSelf(resultType).getIntOrFloatBitWidth();
    if (from == to)
      return operands[0];
    if (from > to)
      return arith::TruncIOp::create(b, resultType, operands[0]);
    if (isa<arith::IndexCastUIOp>(op))
      return arith::ExtUIOp::create(b, resultType, operands[0]);
    return arith::ExtSIOp::create(b, resultType, operands[0]);
  }
  if (isa<arith::ExtFOp>(op))
    return emitExtend(b, operands[0], resultType);
  if (isa<arith::TruncFOp>(op))
    return emitTruncate(b, operands[0], resultType);
  if (!computesOnFloats(op))
    return emitSame(b, op, operands, resultType);

  SmallVector<Value> wide(operands);
  for (Value &operand : wide)
    if (isNarrowFloat(operand.getType()))
      operand = emitExtend(b, operand,
                           withElement(operand.getType(), b.getF32Type()));
  Type wideType = isNarrowFloat(resultType)
                      ? withElement(resultType, b.getF32Type())
                      : resultType;
  Value result;
  if (getElementTypeOrSelf(wideType).isF32())
    result = emitApproximation(b, op, wide);
  if (!result)
    result = emitSame(b, op, wide, wideType);
  if (isNarrowFloat(resultType))
    result = emitTruncate(b, result, resultType);
  return result;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Wider integers would need a library.
static bool isSupportedType(Type type) {
  constexpr unsigned maxIntegerBits = 64;
  return type.isF32() || type.isBF16() || type.isF16() || type.isF64() ||
         type.isIndex() ||
         (type.isSignlessInteger() &&
          type.getIntOrFloatBitWidth() <= maxIntegerBits);
}

/// Ops of the math dialect that have an instruction or an expansion above.
static bool isSupportedMath(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::ExpOp,
             math::Exp2Op, math::FloorOp, math::FmaOp, math::LogOp,
             math::Log2Op, math::PowFOp, math::RoundEvenOp, math::RsqrtOp,
             math::SqrtOp, math::TanhOp, math::TruncOp>(op);
}

std::optional<std::string> mlir::coda::findPointwiseError(Operation *op) {
  auto describe = [&](const Twine &reason) {
    return ("'" + op->getName().getStringRef() + "' " + reason).str();
  };
  if (op->getNumResults() != 1)
    return describe("has several results");
  bool isArith = isa<arith::ArithDialect>(op->getDialect());
  if (isArith ? isa<arith::RemFOp>(op) : !isSupportedMath(op))
    return describe("has no PTX approximation here");
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (truncate.getRoundingmodeAttr() &&
        truncate.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return describe("rounds otherwise than to nearest even");
  SmallVector<Type> types(op->getOperandTypes());
  types.append(op->result_type_begin(), op->result_type_end());
  for (Type type : types) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (!isSupportedType(type))
      return describe(
          "has type " + Twine(text) +
          ", but only f16, bf16, f32, f64 and integers of up to 64 bits are "
          "lowered");
    if (type.isF64() && !isArith)
      return describe("is lowered for f32 and narrower only");
  }
  return std::nullopt;
}
