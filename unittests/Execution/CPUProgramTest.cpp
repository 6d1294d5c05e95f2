//===- CPUProgramTest.cpp - Calling compiled programs -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/CPUProgram.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace mlir;
using namespace mlir::coda;

namespace {

class CPUProgramTest : public ::testing::Test {
protected:
  CPUProgramTest() {
    DialectRegistry registry;
    registerCPUExecution(registry);
    context.appendDialectRegistry(registry);
  }

  std::unique_ptr<CPUProgram> compile(StringRef text) {
    auto program =
        CPUProgram::compile(parseSourceString<ModuleOp>(text, &context));
    if (program)
      return std::move(*program);
    ADD_FAILURE() << llvm::toString(program.takeError());
    return nullptr;
  }

  static HostTensor makeFloats(ArrayRef<int64_t> shape, float first) {
    auto tensor = HostTensor::allocate(ElementKind::F32, shape);
    auto *data = static_cast<float *>(tensor->getData());
    std::iota(data, data + tensor->getNumElements(), first);
    return *tensor;
  }

  static std::string getError(const CPUProgram &program,
                              ArrayRef<HostTensor> arguments,
                              StringRef entry = "") {
    auto results = program.run(entry, arguments);
    return results ? "" : llvm::toString(results.takeError());
  }

  MLIRContext context;
};

constexpr const char *addRow = R"(
func.func @add(%x: tensor<?x3xf32>, %s: f32) -> (tensor<?x3xf32>, f32) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x3xf32>, f32) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<?x3xf32>
  return %y, %s : tensor<?x3xf32>, f32
}
)";

TEST_F(CPUProgramTest, TensorsAndScalars) {
  auto program = compile(addRow);
  HostTensor x = makeFloats({2, 3}, 1), s = makeFloats({}, 10);
  auto results = program->run("add", {x, s});
  ASSERT_TRUE(bool(results));
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].getShape(), ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ((*results)[0].getFloat(5), 16.0);
  EXPECT_EQ((*results)[1].getFloat(0), 10.0);
  EXPECT_EQ(x.getFloat(5), 6.0) << "arguments are not written to";
}

TEST_F(CPUProgramTest, NoRows) {
  auto program = compile(addRow);
  auto results = program->run("", {makeFloats({0, 3}, 0), makeFloats({}, 1)});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ((*results)[0].getShape(), ArrayRef<int64_t>({0, 3}));
}

TEST_F(CPUProgramTest, StridedArgument) {
  auto program = compile(addRow);
  HostTensor columns = makeFloats({3, 2}, 0);
  HostTensor rows =
      HostTensor::borrow(ElementKind::F32, {2, 3}, columns.getData(), {1, 2});
  auto results = program->run("", {rows, makeFloats({}, 0)});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ((*results)[0].getFloat(1), 2.0);
  EXPECT_EQ((*results)[0].getFloat(3), 1.0);
}

TEST_F(CPUProgramTest, WrongArguments) {
  auto program = compile(addRow);
  HostTensor x = makeFloats({2, 3}, 1), s = makeFloats({}, 10);
  EXPECT_EQ(getError(*program, {x}),
            "function 'add': found 1 arguments, expected 2");
  EXPECT_EQ(getError(*program, {makeFloats({2, 4}, 0), s}),
            "function 'add': argument 0 is tensor<2x4xf32>, expected "
            "tensor<?x3xf32>");
  EXPECT_EQ(getError(*program, {*x.copy(/*widen=*/true), s}),
            "function 'add': argument 0 is tensor<2x3xf64>, expected "
            "tensor<?x3xf32>");
  EXPECT_EQ(
      getError(*program,
               {HostTensor::borrow(ElementKind::F32, {2, 3}, nullptr), s}),
      "function 'add': argument 0 has no data");
  EXPECT_EQ(getError(*program, {x, s}, "sub"),
            "no public function 'sub', found 'add'");
}

// What a function returns belongs to its caller, also when it is an argument, a
// constant, or the same value twice.
TEST_F(CPUProgramTest, Ownership) {
  auto program = compile(R"(
func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  return %x, %x, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
)");
  HostTensor x = makeFloats({4}, 1);
  auto results = program->run("", {x});
  ASSERT_TRUE(bool(results));
  *static_cast<float *>(x.getData()) = 9;
  EXPECT_EQ((*results)[0].getFloat(0), 1.0);
  EXPECT_EQ((*results)[1].getFloat(0), 1.0);
  EXPECT_EQ((*results)[2].getFloat(3), 2.0);
}

TEST_F(CPUProgramTest, BuffersAreWritten) {
  auto program = compile(R"(
func.func @store(%x: memref<2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<2x2xf32>)
  return
}
)");
  HostTensor x = makeFloats({2, 2}, 1);
  auto results = program->run("", {x});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(x.getFloat(3), 0.0);
  HostTensor transposed =
      HostTensor::borrow(ElementKind::F32, {2, 2}, x.getData(), {1, 2});
  EXPECT_EQ(getError(*program, {transposed}),
            "function 'store': argument 0 has strides 1x2, expected a "
            "row-major buffer of shape 2x2");
}

// The others still run.
TEST_F(CPUProgramTest, FunctionsThatCannotBeCalled) {
  auto program = compile(R"(
func.func private @nowhere()
func.func @calls() {
  call @nowhere() : () -> ()
  return
}
func.func @takes(%x: memref<*xf32>) {
  return
}
func.func @fine(%x: i64) -> i64 {
  return %x : i64
}
)");
  EXPECT_EQ(getError(*program, {}, "calls"),
            "function 'calls': calls 'nowhere', which is not defined");
  EXPECT_NE(getError(*program, {}, "takes").find("memref<*xf32>"),
            std::string::npos);
  EXPECT_EQ(getError(*program, {}),
            "more than one function, choose one of 'calls', 'takes', 'fine'");
  auto argument = HostTensor::allocate(ElementKind::I64, {});
  *static_cast<int64_t *>(argument->getData()) = 5;
  auto results = program->run("fine", {*argument});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(*static_cast<int64_t *>((*results)[0].getData()), 5);
}

TEST_F(CPUProgramTest, FailedAssertion) {
  auto program = compile(R"(
func.func @check(%ok: i1) {
  cf.assert %ok, "as you said"
  return
}
)");
  auto argument = HostTensor::allocate(ElementKind::I1, {});
  EXPECT_EQ(getError(*program, {*argument}), "assertion failed: as you said");
  *static_cast<char *>(argument->getData()) = 1;
  EXPECT_EQ(getError(*program, {*argument}), "");
}

} // namespace
