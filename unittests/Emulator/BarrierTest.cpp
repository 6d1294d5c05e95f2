//===- BarrierTest.cpp - Named barriers and mbarriers of the emulator -----===//
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

/// Runs under every schedule, and expects silence.
static std::vector<Outcome> runSchedules(SmallKernel kernel) {
  std::vector<Outcome> outcomes;
  for (unsigned number = 0; number < 10; ++number) {
    kernel.options.setSchedule(3, number);
    outcomes.push_back(kernel.run());
    EXPECT_EQ(outcomes.back().describe(), "") << "schedule " << number;
  }
  return outcomes;
}

// Every thread reads what a thread of another warp has written.
TEST(Barrier, WholeBlock) {
  SmallKernel kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 512;
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n"
                "st.shared.b32 [%r1], %r0;\nbar.sync 0;\n"
                "xor.b32 %r2, %r1, 0x180;\nld.shared.b32 %r3, [%r2];\n"
                "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd2, %out, %rd1;\n"
                "st.global.b32 [%rd2], %r3;";
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned thread = 0; thread < 128; ++thread)
      EXPECT_EQ(outcome.get<uint32_t>(thread), thread ^ 96);
}

// Two pairs of warps meet at barriers of their own, twice.
TEST(Barrier, Subsets) {
  SmallKernel kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 512;
  kernel.body = "mov.u32 %r0, %tid.x;\nshr.u32 %r4, %r0, 6;\n"
                "add.s32 %r4, %r4, 1;\nshl.b32 %r1, %r0, 2;\n"
                "st.shared.b32 [%r1], %r0;\nbar.sync %r4, 64;\n"
                "xor.b32 %r2, %r1, 0x80;\nld.shared.b32 %r3, [%r2];\n"
                "barrier.sync %r4, 64;\nadd.s32 %r3, %r3, 1000;\n"
                "st.shared.b32 [%r2], %r3;\nbar.sync %r4, 64;\n"
                "ld.shared.b32 %r5, [%r1];\n"
                "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd2, %out, %rd1;\n"
                "st.global.b32 [%rd2], %r5;";
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned thread = 0; thread < 128; ++thread)
      EXPECT_EQ(outcome.get<uint32_t>(thread), 1000 + thread);
}

// A producer arrives and goes on; the consumer waits.
TEST(Barrier, ArriveAndSync) {
  SmallKernel kernel;
  kernel.threads = 64;
  kernel.sharedBytes = 128;
  kernel.body = "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;\n"
                "shl.b32 %r1, %r1, 2;\nsetp.lt.s32 %p1, %r0, 32;\n"
                "@%p1 bra $producer;\nbar.sync 3, 64;\n"
                "ld.shared.b32 %r3, [%r1];\ncvt.u64.u32 %rd1, %r1;\n"
                "add.s64 %rd2, %out, %rd1;\nst.global.b32 [%rd2], %r3;\nret;\n"
                "$producer:\nadd.s32 %r2, %r0, 5;\nst.shared.b32 [%r1], %r2;\n"
                "bar.arrive 3, 64;";
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned thread = 0; thread < 32; ++thread)
      EXPECT_EQ(outcome.get<uint32_t>(thread), thread + 5);
}

TEST(Barrier, Warp) {
  SmallKernel kernel;
  kernel.sharedBytes = 128;
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n"
                "st.shared.b32 [%r1], %r0;\nbar.warp.sync -1;\n"
                "xor.b32 %r2, %r1, 4;\nld.shared.b32 %r3, [%r2];\n"
                "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd2, %out, %rd1;\n"
                "st.global.b32 [%rd2], %r3;";
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned thread = 0; thread < 32; ++thread)
      EXPECT_EQ(outcome.get<uint32_t>(thread), thread ^ 1);
}

/// An mbarrier at 0 of `count` arrivals, initialised by thread 0.
static std::string initialise(unsigned count) {
  return "mov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, %r0, 0;\n"
         "@%p0 mbarrier.init.shared.b64 [dynamic], " +
         std::to_string(count) +
         ";\n@%p0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
}

static std::string waitFor(const std::string &parity) {
  static unsigned number = 0;
  std::string label = "$wait" + std::to_string(number++);
  return label + ":\nmbarrier.try_wait.parity.shared.b64 %p9, [dynamic], " +
         parity + ";\n@!%p9 bra " + label + ";\n";
}

// A phase is over when as many have arrived as the mbarrier counts; the next
// one has the other parity.
TEST(Barrier, Phases) {
  SmallKernel kernel;
  kernel.threads = 1;
  kernel.sharedBytes = 64;
  std::string test = "mbarrier.test_wait.parity.shared.b64 %p1, [dynamic], 0;\n"
                     "mbarrier.test_wait.parity.shared.b64 %p2, [dynamic], 1;\n"
                     "selp.b32 %r1, 1, 0, %p1;\nselp.b32 %r2, 2, 0, %p2;\n"
                     "or.b32 %r1, %r1, %r2;\nst.global.b32 [%out";
  std::string arrive = "mbarrier.arrive.shared.b64 _, [dynamic];\n";
  kernel.body = initialise(2) + test + "], %r1;\n" + arrive + test +
                "+4], %r1;\n" + arrive + test + "+8], %r1;\n" +
                "mbarrier.arrive.shared.b64 %rd1, [dynamic], 2;\n" + test +
                "+12], %r1;\nmbarrier.inval.shared.b64 [dynamic];";
  // Of parity 1 a phase before the first counts as over.
  for (const Outcome &outcome : runSchedules(kernel)) {
    EXPECT_EQ(outcome.get<uint32_t>(0), 2u);
    EXPECT_EQ(outcome.get<uint32_t>(1), 2u);
    EXPECT_EQ(outcome.get<uint32_t>(2), 1u);
    EXPECT_EQ(outcome.get<uint32_t>(3), 2u);
  }
}

// Expected bytes keep a phase open until they have arrived.
TEST(Barrier, ExpectedBytes) {
  SmallKernel kernel;
  kernel.sharedBytes = 2048;
  kernel.map = makeMap({32, 4}, {32, 2}, 4);
  std::vector<uint32_t> values(128);
  for (unsigned at = 0; at < values.size(); ++at)
    values[at] = 7 * at;
  kernel.input = toBytes(values);
  std::string load = "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global."
                     "mbarrier::complete_tx::bytes ";
  kernel.body = initialise(1) +
                "mov.b32 %r4, 0;\n"
                "@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [dynamic], 256;"
                "\n@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [dynamic], 256;"
                "\n" +
                load + "[dynamic+1024], [%map, {0, 0}], [dynamic];\n" + load +
                "[dynamic+1280], [%map, {0, 2}], [dynamic];\n" + waitFor("0") +
                "shl.b32 %r5, %r0, 4;\n"
                "ld.shared.v4.b32 {%r6, %r7, %r8, %r9}, [%r5+1024];\n"
                "cvt.u64.u32 %rd1, %r5;\nadd.s64 %rd1, %out, %rd1;\n"
                "st.global.v4.b32 [%rd1], {%r6, %r7, %r8, %r9};";
  kernel.body.replace(kernel.body.find(".relaxed.cta"), 12, "");
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned at = 0; at < values.size(); ++at)
      EXPECT_EQ(outcome.get<uint32_t>(at), values[at]);
}

// A ring of one stage between two warps, eight phases of each mbarrier.
TEST(Barrier, ProducerAndConsumer) {
  SmallKernel kernel;
  kernel.threads = 64;
  kernel.sharedBytes = 256;
  kernel.body =
      "mov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, %r0, 0;\n"
      "@%p0 mbarrier.init.shared.b64 [dynamic], 32;\n"
      "@%p0 mbarrier.init.shared.b64 [dynamic+8], 32;\nbar.sync 0;\n"
      "and.b32 %r1, %r0, 31;\nshl.b32 %r1, %r1, 2;\nmov.b32 %r2, 0;\n"
      "mov.b32 %r7, 0;\nsetp.lt.s32 %p1, %r0, 32;\n@!%p1 bra $consumer;\n"
      "$produce:\nand.b32 %r3, %r2, 1;\nxor.b32 %r3, %r3, 1;\n"
      "$free:\nmbarrier.try_wait.parity.shared.b64 %p2, [dynamic+8], %r3;\n"
      "@!%p2 bra $free;\nadd.s32 %r4, %r2, %r1;\n"
      "st.shared.b32 [%r1+64], %r4;\n"
      "mbarrier.arrive.shared.b64 _, [dynamic];\nadd.s32 %r2, %r2, 1;\n"
      "setp.lt.s32 %p3, %r2, 8;\n@%p3 bra $produce;\nret;\n"
      "$consumer:\nand.b32 %r3, %r2, 1;\n"
      "$full:\nmbarrier.try_wait.parity.shared.b64 %p2, [dynamic], %r3;\n"
      "@!%p2 bra $full;\nld.shared.b32 %r4, [%r1+64];\n"
      "add.s32 %r7, %r7, %r4;\nmbarrier.arrive.shared.b64 _, [dynamic+8];\n"
      "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p3, %r2, 8;\n@%p3 bra $consumer;\n"
      "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd1, %out, %rd1;\n"
      "st.global.b32 [%rd1], %r7;";
  for (const Outcome &outcome : runSchedules(kernel))
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(outcome.get<uint32_t>(lane), 8 * 4 * lane + 28);
}
