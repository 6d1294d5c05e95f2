//===- ParserTest.cpp - PTX that the emulator refuses ---------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "gtest/gtest.h"

using namespace coda::emulator;
using namespace coda::emulator::test;

/// The error of a whole text, empty if there is none.
static std::string parse(const std::string &text) {
  auto module = parseModule(text);
  return module ? "" : llvm::toString(module.takeError());
}

/// Each is an error that names line 2.
TEST(Parser, BrokenModules) {
  const char *texts[] = {
      "garbage",
      ".entry",
      ".entry k",
      ".entry k(",
      ".entry k(.param",
      ".entry k(.param .b32",
      ".entry k(.param .b32 a",
      ".entry k(.param .b13 a) {}",
      ".entry k(.param .b32 a[-1]) {}",
      ".entry k(.param .b8 a[5000]) {}",
      ".entry k(.param .align 3 .b8 a[4]) {}",
      ".entry k(.param .align 2147483648 .b8 a[4]) {}",
      ".entry k(.param .align 4294967297 .b8 a[4]) {}",
      ".entry k(.param .b64 a[4000], .param .b64 b[4000]) {}",
      ".entry k() .reqntid",
      ".entry k() .reqntid 1, ",
      ".entry k() .explicitcluster {}",
      ".entry k() {",
      ".entry k() { {",
      ".entry k() { ret",
      ".entry k() { .reg",
      ".entry k() { .reg .b32",
      ".entry k() { .reg .b32 %r<; }",
      ".entry k() { .reg .b32 %r<99999999>; }",
      ".entry k() { .reg .b32 %r<-1>; }",
      ".entry k() { .reg .b32 %r<65536>, %s<65536>; }",
      ".entry k() { .local .b32 x; }",
      ".entry k() { bra nowhere; }",
      ".entry k() { { a: } bra a; }",
      ".entry k() { a: a: ret; }",
      ".entry k() { @%p1 ret; }",
      ".entry k() { .reg .b32 %r; @%r ret; }",
      ".entry k() { .reg .b32 %r; mov.b32 %r, 99999999999999999999; }",
      ".entry k() { .reg .b32 %r; mov.b32 %r, {1, 2; }",
      ".entry k() { .reg .b32 %r; ld.b32 %r, [; }",
      ".entry k() { .reg .b32 %r; ld.b32 %r, [_]; }",
      ".entry k() { .reg .b32 %r; ld.b32 %r, [%r+]; }",
      ".entry k() {} .entry k() {}",
      ".shared .align 3 .b8 a[4];",
      ".shared .b8 a[-1];",
      ".shared .b64 a[16777217];",
      ".shared .b64 a[16777216]; .entry k() {}",
      ".address_size 32",
      ".file 1 \"name\"",
      "\"",
  };
  for (const char *text : texts) {
    std::string error = parse(std::string(".version 8.4\n") + text);
    EXPECT_EQ(error.substr(0, 8), "line 2: ") << text << " gives " << error;
  }
}

TEST(Parser, DeepNesting) {
  std::string text = ".entry k() ";
  for (unsigned depth = 0; depth < 100000; ++depth)
    text += "{";
  EXPECT_NE(parse(text), "");
}

TEST(Parser, LongVectors) {
  std::string text = ".entry k() { .reg .b32 %r; mov.b32 {%r";
  for (unsigned at = 0; at < 100000; ++at)
    text += ", %r";
  EXPECT_NE(parse(text + "}, 0; }"), "");
}

/// Each is an error that names the line of the last instruction.
TEST(Parser, InstructionsThatAreRefused) {
  const char *bodies[] = {
      "nosuch.b32 %r1, %r2;",
      "add.s32 %r1, %r2;",
      "add.s32 %r1, %r2, %r3, %r4;",
      "add.s32 %r1, %r2, %rd3;",
      "add.s32 %r1, %r2, %p1;",
      "add.s32 %rd1, %r2, %r3;",
      "add.s32 _, %r2, %r3;",
      "add.s32 7, %r2, %r3;",
      "add.s32 {%r1, %r2}, %r2, %r3;",
      "add.s32 %r1, [%r2], %r3;",
      "add.s32 %r1, $label, %r3;\n$label:",
      "add.s32 %r1, !%r2, %r3;",
      "add.s32 %r1, !5, %r3;",
      "add.s64 %rd1, %tid.x, %rd2;",
      "add.s32 %r1, %nosuch, %r3;",
      "add.f32 %f1, %f1, 0d3FF0000000000000;",
      "add.f64 %d1, %d1, 0f3F800000;",
      "setp.eq.s32 _, %r1, %r2;",
      "setp.eq.s32 %p1|%p2, %r1, %r2;",
      "mov.b32 _, %r1;",
      "mov.pred _, %p1;",
      "mov.b64 _, {%r1, %r2};",
      "mov.b32 %r1, {%r1, %r2, %r3};",
      "mov.b64 %rd1, {%r1, %r2, %r3};",
      "mov.b64 %rd1, {%r1, _};",
      "mov.b64 {%r1, %rd2}, %rd1;",
      "mov.b32 %r1, $label;\n$label:",
      "mov.b128 %r1, %r2;",
      "bra %r1;",
      "bra;",
      "ret 1;",
      "ld.global.b32 %r1;",
      "ld.global.b32 %r1, %rd1;",
      "ld.global.b32 %r1, [%p1];",
      "ld.global.b32 %r1, [%rd1, {%r1}];",
      "ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];",
      "ld.global.v4.b32 {}, [%rd1];",
      "ld.global.b32 {%r1, %r2}, [%rd1];",
      "ld.global.v2.b32 {%r1, %rd2}, [%rd1];",
      "ld.global.b64 %r1, [%rd1];",
      "ld.local.b32 %r1, [%rd1];",
      "ld.global.b128 %r1, [%rd1];",
      "ld;",
      "st.global.b32 [%rd1], _;",
      "st.param.b32 [%rd1], %r1;",
      "atom;",
      "atom.global.add.u16 %r1, [%rd1], %r2;",
      "atom.global.add.u32 %r1, [%rd1];",
      "red.global.add.u32 %r1, [%rd1], %r2;",
      "shfl.sync.idx.b32 %r1, %r2, 0, 31;",
      "shfl.sync.idx.b32 {%r1, %p1, %p2}, %r2, 0, 31, -1;",
      "vote.sync.ballot.b32 _, %p1, -1;",
      "vote.sync.any.pred _, %p1, -1;",
      "activemask.b32 _;",
      "elect.sync %r1, -1;",
      "elect.sync %r1|_, -1;",
      "bar.sync;",
      "bar.sync 0, 32, 64;",
      "bar.red.sync 0;",
      "mbarrier;",
      "mbarrier.init.shared.b64 [%rd1];",
      "mbarrier.nosuch.shared.b64 [%rd1], 1;",
      "mbarrier.try_wait.parity.shared.b64 _, [%rd1], 0;",
      "mbarrier.test_wait.shared.b64 %p1, [%rd1], %rd2;",
      "mbarrier.arrive.shared.b64 _;",
      "mbarrier.arrive.expect_tx.shared.b64 _, [%rd1];",
      "fence;",
      "fence.proxy.tensormap;",
      "setmaxnreg.inc.sync.aligned.u32 250;",
      "setmaxnreg.inc.sync.aligned.u32 %r1;",
      "setmaxnreg.sync.aligned.u32 24;",
      "cp;",
      "cp.async.bulk;",
      "cp.async.bulk.wait_group -1;",
      "cp.async.bulk.tensor.6d.shared::cta.global [%r1], [%rd1, {}], [%r2];",
      "cp.async.bulk.tensor.1d;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [%r1], [%rd1, {%r1}], [%r2];",
      "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1], [%r2];",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2];",
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {_}, [%r2];",
      "ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r1}, [%r2];",
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {_};",
      "wgmma;",
      "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1}, %rd1, %rd2, "
      "%p1, 1, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, "
      "%p1, 1, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, _}, "
      "%rd1, %rd2, %p1, 1, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, "
      "%rd1, %rd2, %p1, 1, 2, 0, 0;",
      "wgmma.wait_group.sync.aligned -1;",
      "wgmma.wait_group.sync.aligned %r1;",
  };
  for (const char *body : bodies) {
    SmallKernel kernel;
    kernel.body = body;
    Outcome outcome = kernel.run();
    std::string line = "line " + std::to_string(findLine(outcome.text, body));
    EXPECT_EQ(outcome.error.substr(0, line.size() + 1), line + ":")
        << body << " gives '" << outcome.error << "'";
  }
}

// What LLVM and nvcc print around instructions.
TEST(Parser, Accepted) {
  const char *text = R"(//
// Comment
/* several
   lines */
.version 8.4
.target sm_90a, texmode_independent
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .u32 word;
.visible .entry first(
	.param .u64 .ptr .global .align 8 first_param_0,
	.param .align 64 .b8 first_param_1[128]
)
.maxntid 128, 1, 1
.minnctapersm 1
.reqntid 32
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>, single;
	.pragma "nounroll";
$L0:
	mov.b32 %r1, 0x10U;
	mov.b32 %r1, 017;
	mov.b32 %r1, -0b101;
	{ .reg .b32 %r1; mov.b32 %r1, word; }
	;
	@!%p1 bra.uni $L0;
}
.weak .entry second() { ret; }
)";
  auto module = parseModule(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  ASSERT_EQ((*module)->kernels.size(), 2u);
  const Kernel &first = *(*module)->findKernel("first");
  EXPECT_EQ((*module)->findKernel("third"), nullptr);
  EXPECT_EQ(first.requiredThreads[0], 32u);
  EXPECT_EQ(first.parameters[1].offset, 64u);
  EXPECT_EQ(first.parameterBytes, 192u);
  EXPECT_EQ(first.fixedSharedBytes, 4u);
  EXPECT_EQ(first.findShared("dynamic")->offset, 16u);
  EXPECT_EQ(first.line, 10u);
}

TEST(Launch, Refused) {
  SmallKernel kernel;
  kernel.threads = 1025;
  EXPECT_NE(kernel.run().error, "");
  kernel.threads = 0;
  EXPECT_NE(kernel.run().error, "");
  kernel.threads = 32;
  kernel.sharedBytes = 232449;
  EXPECT_NE(kernel.run().error, "");
  kernel.sharedBytes = 0;
  kernel.globals = ".shared .b8 large[232449];\n";
  EXPECT_NE(kernel.run().error, "");
}

TEST(Launch, Memory) {
  Device device{DeviceOptions()};
  uint64_t address = llvm::cantFail(device.allocate(100));
  auto fails = [](llvm::Error error) {
    bool isFailure = bool(error);
    llvm::consumeError(std::move(error));
    return isFailure;
  };
  char bytes[200] = {};
  EXPECT_FALSE(fails(device.copyToDevice(address, bytes, 100)));
  EXPECT_TRUE(fails(device.copyToDevice(address, bytes, 101)));
  EXPECT_TRUE(fails(device.copyToHost(bytes, address + 1, 100)));
  EXPECT_TRUE(fails(device.copyToHost(bytes, 64, 1)));
  EXPECT_FALSE(fails(device.fill(address, 0x01020304, 4, 25)));
  EXPECT_TRUE(fails(device.fill(address, 0, 4, 26)));
  EXPECT_TRUE(fails(device.fill(address, 0, 4, size_t(1) << 62)));
  EXPECT_TRUE(fails(device.fill(address, 0, 8, 1)));
  EXPECT_FALSE(fails(device.copyToHost(bytes, address, 100)));
  EXPECT_EQ(bytes[96], 4);
  EXPECT_TRUE(fails(device.allocate(size_t(1) << 60).takeError()));
  EXPECT_FALSE(fails(device.free(address)));
  EXPECT_TRUE(fails(device.free(address)));
}
