//===- ExpandFloat8.cpp - Conversions of 8-bit floats as integer arithmetic -*-
// C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUEXPANDFLOAT8PASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;

namespace {
/// How one of the formats is encoded.
struct Format {
  unsigned mantissaBits;
  int bias;
  /// Encoding of the first magnitude that is no finite number, and of a NaN.
  int overflow, nan;

  static std::optional<Format> get(Type type) {
    if (isa<Float8E4M3FNType>(type))
      return Format{3, 7, 0x7f, 0x7f};
    if (isa<Float8E5M2Type>(type))
      return Format{2, 15, 0x7c, 0x7e};
    return std::nullopt;
  }
  /// Mantissa bits of f32 that this format lacks.
  unsigned getShift() const { return 23 - mantissaBits; }
};

/// Builds elementwise ops on scalars or on vectors of one shape.
class Builder8 {
public:
  Builder8(OpBuilder &b, Location loc, Type like)
      : b(b), loc(loc), like(like) {}

  Type get(Type element) {
    if (auto shaped = dyn_cast<ShapedType>(like))
      return shaped.clone(element);
    return element;
  }
  Value integer(int64_t value) {
    return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value real(double value) { return constant(b.getF32FloatAttr(value)); }
  template <typename Op> Value make(Value lhs, Value rhs) {
    return Op::create(b, loc, lhs, rhs);
  }
  template <typename Op> Value cast(Type element, Value value) {
    return Op::create(b, loc, get(element), value);
  }
  Value isAtLeast(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

private:
  Value constant(TypedAttr attr) {
    if (auto shaped = dyn_cast<ShapedType>(get(attr.getType())))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(shaped, attr));
    return arith::ConstantOp::create(b, loc, attr);
  }

  OpBuilder &b;
  Location loc;
  Type like;
};

/// The bits move into an f32 whose exponent is too small by the difference of
/// the biases; a product with a power of two puts that right, exactly, also for
/// denormals.
struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto format = Format::get(getElementTypeOrSelf(op.getIn()));
    if (!format)
      return failure();
    Builder8 b(rewriter, op.getLoc(), op.getType());
    Type i32 = rewriter.getI32Type(), f32 = rewriter.getF32Type();
    Value bits = b.cast<arith::BitcastOp>(rewriter.getI8Type(), op.getIn());
    bits = b.cast<arith::ExtUIOp>(i32, bits);
    Value magnitude = b.make<arith::AndIOp>(bits, b.integer(0x7f));
    Value value = b.cast<arith::BitcastOp>(
        f32, b.make<arith::ShLIOp>(magnitude, b.integer(format->getShift())));
    value = b.make<arith::MulFOp>(value,
                                  b.real(std::ldexp(1.0, 127 - format->bias)));
    Value wide = b.cast<arith::BitcastOp>(i32, value);
    if (format->overflow != format->nan)
      wide = b.select(b.isAtLeast(magnitude, b.integer(format->overflow)),
                      b.integer(0x7f800000), wide);
    wide = b.select(
        b.isAtLeast(magnitude, b.integer(format->overflow == format->nan
                                             ? format->nan
                                             : format->overflow + 1)),
        b.integer(0x7fc00000), wide);
    Value sign = b.make<arith::AndIOp>(bits, b.integer(0x80));
    sign = b.make<arith::ShLIOp>(sign, b.integer(24));
    value = b.cast<arith::BitcastOp>(f32, b.make<arith::OrIOp>(wide, sign));
    Type element = getElementTypeOrSelf(op.getType());
    if (element.getIntOrFloatBitWidth() < 32)
      value = b.cast<arith::TruncFOp>(element, value); // Exact.
    else if (element != f32)
      value = b.cast<arith::ExtFOp>(element, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Rounds to nearest even. A normal result is rounded in the integer; for a
/// denormal one the addition of a number whose last place is that of the format
/// does it.
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    auto format = Format::get(element);
    Type from = getElementTypeOrSelf(op.getIn());
    // A detour from f64 over f32 would round twice.
    if (!format || from.isF64())
      return failure();
    Builder8 b(rewriter, op.getLoc(), op.getType());
    Type i32 = rewriter.getI32Type(), f32 = rewriter.getF32Type();
    Value wide = op.getIn();
    if (!from.isF32())
      wide = b.cast<arith::ExtFOp>(f32, wide);
    Value bits = b.cast<arith::BitcastOp>(i32, wide);
    Value magnitude = b.make<arith::AndIOp>(bits, b.integer(0x7fffffff));

    unsigned shift = format->getShift();
    Value amount = b.integer(shift), one = b.integer(1);
    Value odd =
        b.make<arith::AndIOp>(b.make<arith::ShRUIOp>(magnitude, amount), one);
    int64_t rebias = int64_t(127 - format->bias) << 23;
    Value normal = b.make<arith::AddIOp>(
        magnitude, b.integer((int64_t(1) << (shift - 1)) - 1 - rebias));
    normal = b.make<arith::ShRUIOp>(b.make<arith::AddIOp>(normal, odd), amount);

    int lastPlace = 1 - format->bias - int(format->mantissaBits);
    double large = std::ldexp(1.0, lastPlace + 23);
    Value sum = b.make<arith::AddFOp>(b.cast<arith::BitcastOp>(f32, magnitude),
                                      b.real(large));
    int64_t largeBits = int64_t(127 + lastPlace + 23) << 23;
    Value denormal = b.make<arith::SubIOp>(b.cast<arith::BitcastOp>(i32, sum),
                                           b.integer(largeBits));

    int64_t leastNormal = int64_t(127 + 1 - format->bias) << 23;
    Value isNormal = b.isAtLeast(magnitude, b.integer(leastNormal));
    Value result = b.select(isNormal, normal, denormal);
    result = b.make<arith::MinUIOp>(result, b.integer(format->overflow));
    Value isNaN = b.isAtLeast(magnitude, b.integer(0x7f800001));
    result = b.select(isNaN, b.integer(format->nan), result);
    Value sign = b.make<arith::AndIOp>(
        b.make<arith::ShRUIOp>(bits, b.integer(24)), b.integer(0x80));
    result = b.make<arith::OrIOp>(result, sign);
    result = b.cast<arith::TruncIOp>(rewriter.getI8Type(), result);
    rewriter.replaceOp(op, b.cast<arith::BitcastOp>(element, result));
    return success();
  }
};

struct CPUExpandFloat8 : coda::impl::CPUExpandFloat8PassBase<CPUExpandFloat8> {
  using CPUExpandFloat8PassBase::CPUExpandFloat8PassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtF, ExpandTruncF>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
