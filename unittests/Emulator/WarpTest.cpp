//===- WarpTest.cpp - Shuffles, votes and divergence of the emulator ------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "gtest/gtest.h"

#include <functional>

using namespace coda::emulator;
using namespace coda::emulator::test;

/// Every lane stores `%r1` after `body`; `%r0` is the lane.
static std::vector<uint32_t> runLanes(const std::string &body,
                                      DeviceOptions options = {}) {
  SmallKernel kernel;
  kernel.options = options;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 4;\n"
                "add.s64 %rd0, %out, %rd0;\n" +
                body + "\nst.global.b32 [%rd0], %r1;";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "") << body;
  std::vector<uint32_t> results;
  for (unsigned lane = 0; lane < 32 && !outcome.output.empty(); ++lane)
    results.push_back(outcome.get<uint32_t>(lane));
  return results;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The semantics of the PTX document: source lane, and whether it is in range.
static std::pair<int, bool> getSource(const std::string &mode, int lane, int b,
                                      int c) {
  int bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
  int maxLane = (lane & mask) | (cval & ~mask);
  int minLane = lane & mask;
  int j = 0;
  bool p = false;
  if (mode == "up") {
    j = lane - bval;
    p = j >= maxLane;
  } else if (mode == "down") {
    j = lane + bval;
    p = j <= maxLane;
  } else if (mode == "bfly") {
    j = lane ^ bval;
    p = j <= maxLane;
  } else {
    j = minLane | (bval & ~mask);
    p = j <= maxLane;
  }
  return {p ? j : lane, p};
}

TEST(Warp, Shuffles) {
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (int b : {0, 1, 2, 5, 16, 31, 33})
      // Segments of 32, 16 and 8 lanes, and clamps inside them.
      for (int c : {0, 31, 20, 0x1000, 0x101f, 0x1800, 0x181f, 0x1805}) {
        std::vector<uint32_t> results = runLanes(
            "add.s32 %r2, %r0, 100;\nshfl.sync." + mode +
            ".b32 %r3|%p1, %r2, " + std::to_string(b) + ", " +
            std::to_string(c) +
            ", -1;\nselp.b32 %r4, 1000, 0, %p1;\nadd.s32 %r1, %r3, %r4;");
        for (int lane = 0; lane < int(results.size()); ++lane) {
          auto [from, isInRange] = getSource(mode, lane, b, c);
          EXPECT_EQ(results[lane], 100u + from + (isInRange ? 1000 : 0))
              << mode << " " << b << " " << c << " lane " << lane;
        }
      }
}

// Lanes may each ask for another one.
TEST(Warp, ShuffleByLane) {
  std::vector<uint32_t> results =
      runLanes("sub.s32 %r2, 31, %r0;\nmul.lo.s32 %r3, %r0, 3;\n"
               "shfl.sync.idx.b32 %r1, %r3, %r2, 31, -1;");
  for (unsigned lane = 0; lane < results.size(); ++lane)
    EXPECT_EQ(results[lane], 3 * (31 - lane));
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

TEST(Warp, Votes) {
  std::vector<uint32_t> ballot =
      runLanes("and.b32 %r2, %r0, 3;\nsetp.eq.s32 %p1, %r2, 1;\n"
               "vote.sync.ballot.b32 %r1, %p1, -1;");
  for (uint32_t value : ballot)
    EXPECT_EQ(value, 0x22222222u);
  std::vector<uint32_t> negated =
      runLanes("setp.lt.s32 %p1, %r0, 4;\n"
               "vote.sync.ballot.b32 %r1, !%p1, -1;");
  for (uint32_t value : negated)
    EXPECT_EQ(value, 0xfffffff0u);
  // All and any, of predicates that hold below a lane.
  for (unsigned below : {0, 1, 31, 32}) {
    std::vector<uint32_t> results =
        runLanes("setp.lt.s32 %p1, %r0, " + std::to_string(below) +
                 ";\nvote.sync.all.pred %p2, %p1, -1;\n"
                 "vote.sync.any.pred %p3, %p1, -1;\nselp.b32 %r2, 2, 0, %p2;\n"
                 "selp.b32 %r3, 1, 0, %p3;\nadd.s32 %r1, %r2, %r3;");
    for (uint32_t value : results)
      EXPECT_EQ(value, (below == 32 ? 2u : 0u) + (below > 0 ? 1u : 0u));
  }
}

TEST(Warp, VotesOfSome) {
  std::vector<uint32_t> results =
      runLanes("mov.b32 %r1, 0;\nsetp.ge.s32 %p1, %r0, 8;\n"
               "@%p1 bra $end;\nsetp.ge.s32 %p2, %r0, 2;\n"
               "vote.sync.ballot.b32 %r2, %p2, 0xff;\nactivemask.b32 %r3;\n"
               "shl.b32 %r3, %r3, 8;\nor.b32 %r1, %r2, %r3;\n$end:");
  for (unsigned lane = 0; lane < results.size(); ++lane)
    EXPECT_EQ(results[lane], lane < 8 ? 0xfffcu : 0u);
}

TEST(Warp, Elect) {
  std::vector<uint32_t> whole =
      runLanes("elect.sync %r2|%p1, -1;\nselp.b32 %r1, 1, 0, %p1;\n"
               "shl.b32 %r2, %r2, 8;\nor.b32 %r1, %r1, %r2;");
  for (unsigned lane = 0; lane < whole.size(); ++lane)
    EXPECT_EQ(whole[lane], lane == 0 ? 1u : 0u);
  std::vector<uint32_t> some = runLanes(
      "mov.b32 %r1, 77;\nsetp.lt.s32 %p2, %r0, 5;\n@%p2 bra $end;\n"
      "elect.sync _|%p1, 0xffffffe0;\nselp.b32 %r1, 1, 0, %p1;\n$end:");
  for (unsigned lane = 0; lane < some.size(); ++lane)
    EXPECT_EQ(some[lane], lane < 5 ? 77u : lane == 5 ? 1u : 0u);
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

/// After a body, all lanes must be together again.
static void checkTogether(const std::string &body,
                          const std::function<uint32_t(unsigned)> &expected) {
  for (unsigned number = 0; number < 5; ++number) {
    DeviceOptions options;
    options.setSchedule(7, number);
    std::vector<uint32_t> results =
        runLanes(body + "\nactivemask.b32 %r9;\nsetp.ne.s32 %p9, %r9, -1;\n"
                        "@%p9 mov.b32 %r1, -1;\n"
                        "shfl.sync.idx.b32 %r10, %r0, 0, 31, -1;",
                 options);
    for (unsigned lane = 0; lane < results.size(); ++lane)
      EXPECT_EQ(results[lane], expected(lane)) << "lane " << lane;
  }
}

TEST(Warp, NestedIfs) {
  checkTogether("mov.b32 %r1, 0;\nsetp.lt.s32 %p1, %r0, 20;\n"
                "@!%p1 bra $else;\n"
                "and.b32 %r2, %r0, 1;\nsetp.eq.s32 %p2, %r2, 0;\n"
                "@%p2 bra $even;\nadd.s32 %r1, %r1, 10;\nbra.uni $inner;\n"
                "$even:\nadd.s32 %r1, %r1, 20;\n$inner:\n"
                "add.s32 %r1, %r1, 1;\nbra.uni $end;\n"
                "$else:\nadd.s32 %r1, %r1, 300;\n$end:\n"
                "add.s32 %r1, %r1, 1000;",
                [](unsigned lane) {
                  return lane < 20 ? 1001 + (lane % 2 ? 10 : 20) : 1300u;
                });
}

// Lane n goes round n % 7 + 1 times.
TEST(Warp, LoopsOfDifferentCounts) {
  checkTogether("mov.b32 %r1, 0;\nrem.u32 %r2, %r0, 7;\n$loop:\n"
                "add.s32 %r1, %r1, 1;\nsub.s32 %r2, %r2, 1;\n"
                "setp.ge.s32 %p1, %r2, 0;\n@%p1 bra $loop;",
                [](unsigned lane) { return lane % 7 + 1; });
}

TEST(Warp, NestedLoopsWithBreak) {
  checkTogether(
      "mov.b32 %r1, 0;\nmov.b32 %r2, 0;\n$outer:\nmov.b32 %r3, 0;\n"
      "$inner:\nadd.s32 %r1, %r1, 1;\nadd.s32 %r3, %r3, 1;\n"
      // Leaves both loops.
      "setp.gt.s32 %p3, %r1, 40;\n@%p3 bra $done;\n"
      "setp.le.u32 %p1, %r3, %r0;\n@%p1 bra $inner;\n"
      "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, 3;\n@%p2 bra $outer;\n"
      "$done:",
      [](unsigned lane) { return std::min(3 * (lane + 1), 41u); });
}

// Threads that have ended are not waited for.
TEST(Warp, EarlyExit) {
  SmallKernel kernel;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 4;\n"
                "add.s64 %rd0, %out, %rd0;\nst.global.b32 [%rd0], %r0;\n"
                "setp.lt.s32 %p1, %r0, 16;\n@%p1 bra $low;\n"
                "setp.lt.s32 %p2, %r0, 24;\n@%p2 exit;\n"
                "add.s32 %r1, %r0, 100;\nbra.uni $end;\n"
                "$low:\nsetp.lt.s32 %p3, %r0, 8;\n@%p3 ret;\n"
                "add.s32 %r1, %r0, 200;\n$end:\n"
                "vote.sync.ballot.b32 %r2, %p1, 0xff00ff00;\n"
                "add.s32 %r1, %r1, %r2;\nst.global.b32 [%rd0], %r1;";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    bool hasEnded = lane / 8 % 2 == 0;
    uint32_t expected =
        hasEnded ? lane : lane + (lane < 16 ? 200 : 100) + 0xff00;
    EXPECT_EQ(outcome.get<uint32_t>(lane), expected) << lane;
  }
}

TEST(Warp, Guards) {
  std::vector<uint32_t> results =
      runLanes("mov.b32 %r1, 1;\nsetp.lt.s32 %p1, %r0, 9;\n"
               "@%p1 add.s32 %r1, %r1, 4;\n@!%p1 add.s32 %r1, %r1, 8;");
  for (unsigned lane = 0; lane < results.size(); ++lane)
    EXPECT_EQ(results[lane], lane < 9 ? 5u : 9u);
}

// A block whose last warp is not full.
TEST(Warp, PartialWarp) {
  SmallKernel kernel;
  kernel.threads = 40;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 4;\n"
                "add.s64 %rd0, %out, %rd0;\nactivemask.b32 %r1;\nbar.sync 0;\n"
                "st.global.b32 [%rd0], %r1;";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  EXPECT_EQ(outcome.get<uint32_t>(31), 0xffffffffu);
  EXPECT_EQ(outcome.get<uint32_t>(39), 0xffu);
}
