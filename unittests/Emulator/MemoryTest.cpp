//===- MemoryTest.cpp - Loads, stores and atomics of the emulator ---------===//
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

/// Runs one thread and expects that nothing is found.
static Outcome runOne(const std::string &body,
                      const std::vector<uint8_t> &input = {},
                      uint32_t sharedBytes = 0) {
  SmallKernel kernel;
  kernel.body = body;
  kernel.input = input;
  kernel.threads = 1;
  kernel.sharedBytes = sharedBytes;
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "") << body;
  return outcome;
}

static const std::vector<uint8_t> bytes = {0x80, 0x81, 0x82, 0x83, 0x84, 0x85,
                                           0x86, 0x87, 0x08, 0x09, 0x0a, 0x0b,
                                           0x0c, 0x0d, 0x0e, 0x0f};

// A register is wider than what it is loaded with; signed types extend.
TEST(Memory, Widths) {
  auto load = [](const std::string &type, const std::string &reg,
                 const std::string &storeType) {
    return runOne("mov.b64 %rd1, 0;\nst.global.b64 [%out], %rd1;\n"
                  "ld.global." +
                      type + " " + reg + ", [%in];\nst.global." + storeType +
                      " [%out], " + reg + ";",
                  bytes)
        .get<uint64_t>(0);
  };
  EXPECT_EQ(load("u8", "%h1", "b16"), 0x80u);
  EXPECT_EQ(load("b8", "%r1", "b32"), 0x80u);
  EXPECT_EQ(load("s8", "%h1", "b16"), 0xff80u);
  EXPECT_EQ(load("s8", "%r1", "b32"), 0xffffff80u);
  EXPECT_EQ(load("s8", "%rd1", "b64"), 0xffffffffffffff80u);
  EXPECT_EQ(load("u16", "%r1", "b32"), 0x8180u);
  EXPECT_EQ(load("s16", "%r1", "b32"), 0xffff8180u);
  EXPECT_EQ(load("s16", "%rd1", "b64"), 0xffffffffffff8180u);
  EXPECT_EQ(load("u32", "%r1", "b32"), 0x83828180u);
  EXPECT_EQ(load("u32", "%rd1", "b64"), 0x83828180u);
  EXPECT_EQ(load("b64", "%rd1", "b64"), 0x8786858483828180u);
  EXPECT_EQ(load("f32", "%f1", "f32"), 0x83828180u);
  EXPECT_EQ(load("f64", "%d1", "f64"), 0x8786858483828180u);
}

// A store writes its bytes and no others.
TEST(Memory, NarrowStores) {
  Outcome outcome = runOne("mov.b64 %rd1, -1;\nst.global.b64 [%out], %rd1;\n"
                           "mov.b32 %r1, 0x12345678;\n"
                           "st.global.b8 [%out+1], %r1;\n"
                           "st.global.b16 [%out+4], %r1;");
  EXPECT_EQ(outcome.get<uint64_t>(0), 0xffff5678ffff78ffu);
}

TEST(Memory, Vectors) {
  Outcome outcome = runOne("ld.global.v4.b32 {%r1, %r2, %r3, _}, [%in];\n"
                           "st.global.v2.b32 [%out], {%r3, %r1};\n"
                           "ld.global.v2.b64 {%rd1, %rd2}, [%in];\n"
                           "st.global.v2.b64 [%out+16], {%rd2, %rd1};\n"
                           "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%in+4];\n"
                           "st.global.v4.b16 [%out+32], {%h4, %h3, %h2, %h1};",
                           bytes);
  EXPECT_EQ(outcome.get<uint32_t>(0), 0x0b0a0908u);
  EXPECT_EQ(outcome.get<uint32_t>(1), 0x83828180u);
  EXPECT_EQ(outcome.get<uint64_t>(2), 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(outcome.get<uint64_t>(3), 0x8786858483828180u);
  EXPECT_EQ(outcome.get<uint64_t>(4), 0x0084008500860087u);
}

// One variable by its name, by a shared address and by a generic one.
TEST(Memory, SharedAndGeneric) {
  SmallKernel kernel;
  kernel.threads = 1;
  kernel.globals = ".shared .align 8 .b8 first[24];\n"
                   ".shared .align 16 .b8 second[16];\n";
  kernel.body = "mov.b32 %r1, 17;\nst.shared.b32 [second+4], %r1;\n"
                "mov.u64 %rd1, second;\ncvta.shared.u64 %rd2, %rd1;\n"
                "ld.b32 %r2, [%rd2+4];\nst.global.b32 [%out], %r2;\n"
                "cvta.to.shared.u64 %rd3, %rd2;\ncvt.u32.u64 %r3, %rd3;\n"
                "st.global.b32 [%out+4], %r3;\n"
                "ld.shared.b32 %r4, [%r3+4];\nst.b32 [%out+8], %r4;\n"
                "mov.b32 %r5, -9;\nst.b32 [%rd2+8], %r5;\n"
                "ld.shared.s32 %r6, [second+8];\nst.global.b32 [%out+12], %r6;";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  EXPECT_EQ(outcome.get<uint32_t>(0), 17u);
  EXPECT_EQ(outcome.get<uint32_t>(1), 32u);
  EXPECT_EQ(outcome.get<uint32_t>(2), 17u);
  EXPECT_EQ(outcome.get<int32_t>(3), -9);
}

TEST(Memory, Parameters) {
  Outcome outcome = runOne("ld.param.b32 %r1, [in+4];\n"
                           "st.global.b32 [%out], %r1;\n"
                           "mov.b64 %rd1, in;\ncvta.param.u64 %rd2, %rd1;\n"
                           "ld.b64 %rd3, [%rd2];\nsub.s64 %rd3, %rd3, %in;\n"
                           "st.global.b64 [%out+8], %rd3;");
  EXPECT_EQ(outcome.get<uint32_t>(0), 1u << 16);
  EXPECT_EQ(outcome.get<uint64_t>(1), 0u);
}

TEST(Memory, Offsets) {
  Outcome outcome = runOne("add.s64 %rd1, %in, 12;\n"
                           "ld.global.u8 %h1, [%rd1+-4];\n"
                           "ld.global.u8 %h2, [%rd1-12];\n"
                           "st.global.v2.b16 [%out], {%h1, %h2};",
                           bytes);
  EXPECT_EQ(outcome.get<uint32_t>(0), 0x00800008u);
}

struct Atomic {
  const char *opcode;
  uint64_t operand, before, after;
};

/// Old and new value of each atomic operation in global and shared memory.
static void checkAtomics(const std::string &type, const std::string &reg,
                         const std::vector<Atomic> &cases) {
  for (const Atomic &one : cases)
    for (bool isShared : {false, true}) {
      std::string space = isShared ? "shared" : "global";
      std::string address = isShared ? "[dynamic]" : "[%out]";
      std::string opcode = one.opcode;
      Outcome outcome = runOne(
          "ld.global." + type + " " + reg + "1, [%in];\nld.global." + type +
              " " + reg + "2, [%in+8];\nst." + space + "." + type + " " +
              address + ", " + reg + "2;\natom." + space + "." + opcode + " " +
              reg + "3, " + address + ", " + reg + "1;\nld." + space + "." +
              type + " " + reg + "4, " + address + ";\nmov.b64 %rd9, 0;\n" +
              "st.global.b64 [%out+8], %rd9;\nst.global.b64 [%out+16], %rd9;\n"
              "st.global." +
              type + " [%out+8], " + reg + "3;\nst.global." + type +
              " [%out+16], " + reg + "4;",
          toBytes<uint64_t>({one.operand, one.before}), 64);
      EXPECT_EQ(outcome.get<uint64_t>(1), one.before) << opcode;
      EXPECT_EQ(outcome.get<uint64_t>(2), one.after) << opcode;
    }
}

TEST(Memory, Atomics) {
  checkAtomics("b32", "%r",
               {{"add.u32", 1, 0xffffffff, 0},
                {"add.s32", 0xffffffff, 5, 4},
                {"min.u32", 1, 0xffffffff, 1},
                {"min.s32", 1, 0xffffffff, 0xffffffff},
                {"max.u32", 1, 0xffffffff, 0xffffffff},
                {"max.s32", 1, 0xffffffff, 1},
                {"exch.b32", 7, 9, 7},
                {"and.b32", 0xff0, 0x0ff, 0x0f0},
                {"or.b32", 0xf00, 0x0f0, 0xff0},
                // "((r >= s) ? 0 : (r + 1))"
                {"inc.u32", 5, 4, 5},
                {"inc.u32", 5, 5, 0},
                {"inc.u32", 5, 9, 0}});
  checkAtomics("b64", "%rd",
               {{"add.u64", 1, 0xffffffff, 0x100000000},
                {"add.s64", ~uint64_t(0), 0, ~uint64_t(0)},
                {"exch.b64", 7, 9, 7}});
  checkAtomics("f32", "%f", {{"add.f32", 0x3f800000, 0x40000000, 0x40400000}});
  checkAtomics("f64", "%d",
               {{"add.f64", 0x3ff0000000000000, 0x4000000000000000,
                 0x4008000000000000}});
}

// All threads of all blocks add to one number.
TEST(Memory, AtomicSums) {
  SmallKernel kernel;
  kernel.threads = 96;
  kernel.blocks = 5;
  kernel.input = toBytes<uint64_t>({0, 0});
  kernel.body = "atom.global.add.u32 %r1, [%in], 1;\n"
                "red.relaxed.gpu.global.add.u32 [%in+4], 2;\n"
                "setp.eq.s32 %p1, %r1, 479;\n@!%p1 bra $end;\n"
                "st.global.b32 [%out], %r1;\n$end:";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  EXPECT_EQ(outcome.get<uint32_t>(0), 479u);
}

TEST(Memory, Moves) {
  Outcome outcome =
      runOne("mov.b64 %rd1, 0x1122334455667788;\n"
             "mov.b64 {%r1, %r2}, %rd1;\nmov.b64 {_, %r3}, %rd1;\n"
             "mov.b64 {%h1, %h2, %h3, %h4}, %rd1;\n"
             "mov.b64 %rd2, {%r2, %r1};\nst.global.b64 [%out], %rd2;\n"
             "mov.b64 %rd3, {%h4, %h3, %h2, %h1};\n"
             "st.global.b64 [%out+8], %rd3;\n"
             "mov.b32 %r4, {%h1, %h4};\nmov.b32 {%h5, %h6}, %r4;\n"
             "st.global.v4.b32 [%out+16], {%r4, %r3, %r1, %r2};\n"
             "st.global.v2.b16 [%out+32], {%h6, %h5};\n"
             "mov.f32 %f1, 0f3F800000;\nst.global.f32 [%out+36], %f1;\n"
             "mov.f64 %d1, 0d3FF0000000000000;\nst.global.f64 [%out+40], %d1;");
  EXPECT_EQ(outcome.get<uint64_t>(0), 0x5566778811223344u);
  EXPECT_EQ(outcome.get<uint64_t>(1), 0x7788556633441122u);
  EXPECT_EQ(outcome.get<uint32_t>(4), 0x11227788u);
  EXPECT_EQ(outcome.get<uint32_t>(5), 0x11223344u);
  EXPECT_EQ(outcome.get<uint32_t>(8), 0x77881122u);
  EXPECT_EQ(outcome.get<uint32_t>(9), 0x3f800000u);
  EXPECT_EQ(outcome.get<uint64_t>(5), 0x3ff0000000000000u);
}

TEST(Memory, SpecialRegisters) {
  SmallKernel kernel;
  kernel.threads = 64;
  kernel.blocks = 2;
  kernel.body = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\n"
                "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %nctaid.x;\n"
                "mad.lo.s32 %r5, %r2, %r3, %r1;\nmul.wide.u32 %rd1, %r5, 32;\n"
                "add.s64 %rd2, %out, %rd1;\n"
                "st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};\n"
                "mov.u32 %r6, %laneid;\nmov.u32 %r7, %warpid;\n"
                "mov.u32 %r8, %tid.y;\nmov.u32 %r9, %ntid.z;\n"
                "st.global.v4.b32 [%rd2+16], {%r6, %r7, %r8, %r9};";
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  uint32_t expected[] = {37, 64, 1, 2, 5, 1, 0, 1};
  for (unsigned at = 0; at < 8; ++at)
    EXPECT_EQ(outcome.get<uint32_t>((64 + 37) * 8 + at), expected[at]) << at;
}
