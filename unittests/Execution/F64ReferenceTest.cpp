//===- F64ReferenceTest.cpp - Programs in double precision -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/F64Reference.h"

#include "coda/Execution/CPUProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::coda;

namespace {

class F64ReferenceTest : public ::testing::Test {
protected:
  F64ReferenceTest() {
    DialectRegistry registry;
    registerCPUExecution(registry);
    context.appendDialectRegistry(registry);
  }
  MLIRContext context;
};

// 1 + 2^-20 survives a sum that bf16 would round away; a constant keeps the
// value it was written with.
TEST_F(F64ReferenceTest, NoRounding) {
  auto module = parseSourceString<ModuleOp>(R"(
func.func @f(%x: f32, %n: i64) -> (bf16, f32, i64) {
  %one = arith.constant 1.0 : f32
  %s = arith.addf %one, %x : f32
  %b = arith.truncf %s : f32 to bf16
  %tenth = arith.constant 0.1 : f32
  return %b, %tenth, %n : bf16, f32, i64
}
)",
                                            &context);
  auto reference = buildF64Reference(*module);
  ASSERT_TRUE(succeeded(reference));
  auto program = CPUProgram::compile(std::move(*reference));
  ASSERT_TRUE(bool(program));
  double x = 0x1p-20;
  int64_t n = 7;
  auto results =
      (*program)->run("f", {HostTensor::borrow(ElementKind::F64, {}, &x),
                            HostTensor::borrow(ElementKind::I64, {}, &n)});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ((*results)[0].getFloat(0), 1.0 + 0x1p-20);
  EXPECT_EQ((*results)[1].getFloat(0), double(0.1f));
  EXPECT_EQ(*static_cast<int64_t *>((*results)[2].getData()), 7);
}

TEST_F(F64ReferenceTest, CodaOps) {
  auto module = parseSourceString<ModuleOp>(R"(
func.func @f(%x: tensor<2x3xbf16>, %w: tensor<4x3xbf16>) -> tensor<2x4xbf16> {
  %e = tensor.empty() : tensor<2x4xbf16>
  %y = coda.gemm rows(m) columns(n) contracts(k) lhs(%x at (m, k) : tensor<2x3xbf16>) rhs(%w at (n, k) : tensor<4x3xbf16>)
      outs(%e at (m, n) : tensor<2x4xbf16>) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to bf16
    coda.yield %r : bf16
  }
  return %y : tensor<2x4xbf16>
}
)",
                                            &context);
  auto reference = buildF64Reference(*module);
  ASSERT_TRUE(succeeded(reference));
  auto signatures = getSignatures(**reference);
  ASSERT_TRUE(bool(signatures));
  EXPECT_EQ((*signatures)[0].arguments[0].str(), "tensor<2x3xf64>");
  EXPECT_EQ((*signatures)[0].results[0].str(), "tensor<2x4xf64>");
}

TEST_F(F64ReferenceTest, RefusesBitcasts) {
  auto module = parseSourceString<ModuleOp>(R"(
func.func @f(%x: f32) -> i32 {
  %b = arith.bitcast %x : f32 to i32
  return %b : i32
}
)",
                                            &context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(buildF64Reference(*module)));
  EXPECT_NE(message.find("bits of a float"), std::string::npos) << message;
}

} // namespace
