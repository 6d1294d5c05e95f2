//===- FindingTest.cpp - What the emulator finds --------------------------===//
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

/// Runs a kernel with a defect and the same without. The line to blame is the
/// first that contains `culprit`.
static void check(SmallKernel kernel, FindingKind kind,
                  const std::string &culprit, int thread,
                  const std::string &twin) {
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.error, "");
  ASSERT_FALSE(outcome.findings.empty()) << outcome.text;
  const Finding &finding = outcome.findings.front();
  EXPECT_EQ(stringifyFindingKind(finding.kind), stringifyFindingKind(kind))
      << finding.format();
  EXPECT_EQ(finding.line, findLine(outcome.text, culprit)) << finding.format();
  EXPECT_EQ(finding.thread, thread) << finding.format();
  EXPECT_EQ(finding.kernel, "kernel");
  EXPECT_NE(finding.format().find("line " + std::to_string(finding.line)),
            std::string::npos);
  kernel.body = twin;
  for (unsigned number = 0; number < 10; ++number) {
    kernel.options.setSchedule(5, number);
    EXPECT_EQ(kernel.run().describe(), "") << twin;
  }
}

static SmallKernel makeKernel(const std::string &body, uint32_t threads = 32) {
  SmallKernel kernel;
  kernel.body = body;
  kernel.threads = threads;
  kernel.sharedBytes = 4096;
  return kernel;
}

static std::string drop(std::string text, const std::string &part) {
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.erase(at, part.size());
}

static std::string replace(std::string text, const std::string &from,
                           const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Finding, RaceOfWarps) {
  std::string right = "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;\n"
                      "shl.b32 %r1, %r1, 2;\nsetp.lt.s32 %p1, %r0, 32;\n"
                      "@%p1 st.shared.b32 [%r1], %r0;\nbar.sync 0;\n"
                      "@!%p1 ld.shared.b32 %r2, [%r1];";
  // The first warp writes when the others have read nothing yet.
  check(makeKernel(drop(right, "bar.sync 0;\n"), 64), FindingKind::Race,
        "ld.shared", 32, right);
}

// Lanes are told apart in pieces of 8 bytes.
TEST(Finding, RaceOfLanes) {
  std::string right = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 3;\n"
                      "st.shared.v2.b32 [%r1], {%r0, %r0};\n"
                      "bar.warp.sync -1;\nxor.b32 %r1, %r1, 64;\n"
                      "ld.shared.v2.b32 {%r2, %r3}, [%r1];";
  check(makeKernel(drop(right, "bar.warp.sync -1;\n")), FindingKind::Race,
        "ld.shared", 0, right);
}

TEST(Finding, RaceOfBlocks) {
  std::string right = "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
                      "add.s64 %rd1, %out, %rd1;\nst.global.b32 [%rd1], %r1;";
  SmallKernel kernel = makeKernel(replace(right, "%r1, 4", "%r1, 0"), 1);
  kernel.blocks = 2;
  check(kernel, FindingKind::Race, "st.global", 0, right);
}

static const std::string storeBox =
    "mov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, %r0, 0;\nshl.b32 %r1, %r0, 2;\n"
    "st.shared.b32 [%r1], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    "@!%p0 bra $end;\ncp.async.bulk.tensor.1d.global.shared::cta.bulk_group "
    "[%map, {0}], [dynamic];\ncp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group 0;\n$end:";

static SmallKernel makeStore(const std::string &body) {
  SmallKernel kernel = makeKernel(body);
  kernel.map = makeMap({32}, {32}, 4);
  kernel.mapsOutput = true;
  return kernel;
}

TEST(Finding, MissingProxyFence) {
  check(makeStore(drop(storeBox, "fence.proxy.async.shared::cta;\n")),
        FindingKind::MissingProxyFence, "cp.async.bulk.tensor", 0, storeBox);
}

TEST(Finding, StoreWithoutWait) {
  check(makeStore(drop(storeBox, "cp.async.bulk.wait_group 0;\n")),
        FindingKind::Race, "cp.async.bulk.tensor", -1, storeBox);
}

TEST(Finding, Uninitialized) {
  std::string right = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n"
                      "st.shared.b32 [%r1], %r0;\nld.shared.b32 %r2, [%r1];";
  check(makeKernel(replace(right, "%r2, [%r1]", "%r2, [%r1+128]")),
        FindingKind::Uninitialized, "ld.shared", 0, right);
  std::string global = "st.global.b32 [%out], 1;\nld.global.b32 %r2, [%out];";
  check(makeKernel(replace(global, "%r2, [%out]", "%r2, [%out+8]"), 1),
        FindingKind::Uninitialized, "ld.global", 0, global);
}

TEST(Finding, OutOfBounds) {
  std::string right = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 128;\n"
                      "add.s64 %rd1, %out, %rd1;\nst.global.b32 [%rd1], %r0;";
  // Thread 30 is the first beyond 4096 bytes.
  check(makeKernel(replace(right, "%r0, 128",
                           "%r0, 137"
                           "")),
        FindingKind::Misaligned, "st.global", 1, right);
  check(makeKernel(replace(right, "%r0, 128", "%r0, 140")),
        FindingKind::OutOfBounds, "st.global", 30, right);
  std::string shared = "mov.b32 %r1, 4092;\nst.shared.b32 [%r1], %r1;";
  check(makeKernel(replace(shared, "4092", "4096"), 1),
        FindingKind::OutOfBounds, "st.shared", 0, shared);
}

TEST(Finding, Misaligned) {
  std::string right = "mov.b32 %r1, 16;\nst.shared.v4.b32 [%r1], "
                      "{%r1, %r1, %r1, %r1};";
  check(makeKernel(replace(right, "16", "8"), 1), FindingKind::Misaligned,
        "st.shared", 0, right);
}

TEST(Finding, Barrier) {
  std::string right = "mbarrier.init.shared.b64 [dynamic], 2;\n"
                      "mbarrier.arrive.shared.b64 _, [dynamic], 2;";
  check(makeKernel(replace(right, "_, [dynamic], 2", "_, [dynamic], 3"), 1),
        FindingKind::Barrier, "mbarrier.arrive", 0, right);
  check(makeKernel(drop(right, "mbarrier.init.shared.b64 [dynamic], 2;\n"), 1),
        FindingKind::Barrier, "mbarrier.arrive", 0, right);
  std::string named = "bar.sync 1, 64;";
  check(makeKernel(replace(named, "64", "33"), 64), FindingKind::Barrier,
        "bar.sync", 0, named);
  check(makeKernel(replace(named, "1,", "16,"), 64), FindingKind::Barrier,
        "bar.sync", 0, named);
}

TEST(Finding, Divergence) {
  std::string right = "mov.u32 %r0, %tid.x;\nsetp.lt.s32 %p1, %r0, 8;\n"
                      "@%p1 shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xff;";
  check(makeKernel(replace(right, "0xff", "-1")), FindingKind::Divergence,
        "shfl.sync", 0, right);
  std::string barrier = "mov.u32 %r0, %tid.x;\nsetp.ge.s32 %p1, %r0, 4;\n"
                        "bar.sync 0;";
  check(makeKernel(replace(barrier, "bar.sync", "@%p1 bar.sync")),
        FindingKind::Divergence, "bar.sync", 4, barrier);
}

static const std::string product =
    "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\n"
    "st.shared.v4.b32 [%r1], {%r0, %r0, %r0, %r0};\n"
    "st.shared.v4.b32 [%r1+2048], {%r0, %r0, %r0, %r0};\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
    // No swizzle: 128 bytes to the next columns, 256 to the next rows.
    "mov.b64 %rd1, 0x1000080000;\nsetp.ne.b32 %p1, 0, 0;\n"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, "
    "%rd1, %rd1, %p1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
    "wgmma.wait_group.sync.aligned 0;\nadd.f32 %f5, %f1, %f1;";

TEST(Finding, Wgmma) {
  check(makeKernel(drop(product, "wgmma.fence.sync.aligned;\n"), 128),
        FindingKind::Wgmma, "wgmma.mma_async", 0, product);
  check(makeKernel(drop(product, "wgmma.wait_group.sync.aligned 0;\n"), 128),
        FindingKind::Wgmma, "add.f32", 0, product);
}

TEST(Finding, InvalidOperand) {
  check(makeKernel(replace(product, "0x1000080000", "0x400080000"), 128),
        FindingKind::InvalidOperand, "wgmma.mma_async", 0, product);
  check(makeKernel(replace(product, "wgmma.fence",
                           "setmaxnreg.dec.sync.aligned.u32 256;\nwgmma.fence"),
                   128),
        FindingKind::InvalidOperand, "setmaxnreg", 0, product);
  check(makeStore(replace(replace(storeBox, "1d", "2d"), "{0}", "{0, 0}")),
        FindingKind::InvalidOperand, "cp.async.bulk.tensor", 0, storeBox);
  check(makeKernel("trap;", 1), FindingKind::InvalidOperand, "trap", 0, "");
}

TEST(Finding, Deadlock) {
  std::string right = "bar.sync 1, 64;";
  check(makeKernel(replace(right, "64", "96"), 64), FindingKind::Deadlock,
        "bar.sync", -1, right);
  std::string wait = "mbarrier.init.shared.b64 [dynamic], 1;\n"
                     "mbarrier.arrive.shared.b64 _, [dynamic];\n$wait:\n"
                     "mbarrier.try_wait.parity.shared.b64 %p1, [dynamic], 0;\n"
                     "@!%p1 bra $wait;";
  check(makeKernel(drop(wait, "mbarrier.arrive.shared.b64 _, [dynamic];\n"), 1),
        FindingKind::Deadlock, "mbarrier.try_wait", -1, wait);
}

// A loop that never ends is found by its length.
TEST(Finding, EndlessLoop) {
  SmallKernel kernel = makeKernel("$loop:\nbra.uni $loop;", 1);
  kernel.options.maxOperations = 10000;
  Outcome outcome = kernel.run();
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].kind, FindingKind::Deadlock);
}

// The same kind at the same line is reported once.
TEST(Finding, OncePerLine) {
  Outcome outcome = makeKernel("ld.global.b32 %r1, [%in+64];", 32).run();
  EXPECT_EQ(outcome.findings.size(), 1u);
}

// Without checks only what keeps a kernel from going on is found.
TEST(Finding, WithoutChecks) {
  SmallKernel kernel = makeKernel("ld.shared.b32 %r1, [dynamic];", 1);
  kernel.options.checks = false;
  EXPECT_EQ(kernel.run().describe(), "");
}
