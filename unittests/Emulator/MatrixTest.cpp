//===- MatrixTest.cpp - Matrix loads, stores and wgmma of the emulator ----===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace coda::emulator;
using namespace coda::emulator::test;

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Element `half` of what a lane holds of a matrix: row and column.
static std::pair<unsigned, unsigned> getElement(unsigned lane, unsigned half,
                                                bool isTransposed) {
  unsigned row = lane / 4, column = lane % 4 * 2 + half;
  return isTransposed ? std::pair(column, row) : std::pair(row, column);
}

static std::string makeRegisters(unsigned count) {
  std::string text;
  for (unsigned at = 0; at < count; ++at)
    text += (at ? ", %r" : "%r") + std::to_string(10 + at);
  return "{" + text + "}";
}

// Lane l gives the address of row l: rows are 32 bytes apart, those of a matrix
// in reverse.
static const std::string rowAddress =
    "mov.u32 %r0, %tid.x;\nxor.b32 %r1, %r0, 7;\nshl.b32 %r1, %r1, 5;\n";
static unsigned getRowOffset(unsigned matrix, unsigned row) {
  return ((matrix * 8 + row) ^ 7) * 32;
}

static std::string getOpcode(const std::string &name, unsigned count,
                             bool isTransposed, const std::string &space) {
  return name + ".sync.aligned.m8n8.x" + std::to_string(count) +
         (isTransposed ? ".trans" : "") + space + ".b16 ";
}

TEST(Matrix, Loads) {
  for (unsigned count : {1, 2, 4})
    for (bool isTransposed : {false, true})
      for (bool isGeneric : {false, true}) {
        SmallKernel kernel;
        kernel.sharedBytes = 1024;
        kernel.body =
            rowAddress +
            "shl.b32 %r2, %r0, 5;\nmov.b32 %r3, 0;\n$fill:\n"
            // Every 4 bytes hold two numbers: their place in halves.
            "add.s32 %r4, %r2, %r3;\nshr.u32 %r5, %r4, 1;\n"
            "add.s32 %r6, %r5, 1;\nshl.b32 %r6, %r6, 16;\n"
            "or.b32 %r6, %r6, %r5;\nst.shared.b32 [%r4], %r6;\n"
            "add.s32 %r3, %r3, 4;\nsetp.lt.s32 %p1, %r3, 32;\n"
            "@%p1 bra $fill;\nbar.warp.sync -1;\n"
            "cvt.u64.u32 %rd1, %r1;\ncvta.shared.u64 %rd1, %rd1;\n" +
            getOpcode("ldmatrix", count, isTransposed,
                      isGeneric ? "" : ".shared") +
            makeRegisters(count) + (isGeneric ? ", [%rd1];\n" : ", [%r1];\n") +
            "mul.wide.u32 %rd2, %r0, 16;\nadd.s64 %rd2, %out, %rd2;\n";
        for (unsigned at = 0; at < count; ++at)
          kernel.body += "st.global.b32 [%rd2+" + std::to_string(4 * at) +
                         "], %r" + std::to_string(10 + at) + ";\n";
        Outcome outcome = kernel.run();
        ASSERT_EQ(outcome.describe(), "") << kernel.body;
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned matrix = 0; matrix < count; ++matrix)
            for (unsigned half = 0; half < 2; ++half) {
              auto [row, column] = getElement(lane, half, isTransposed);
              EXPECT_EQ(outcome.get<uint16_t>(lane * 8 + matrix * 2 + half),
                        getRowOffset(matrix, row) / 2 + column)
                  << lane << " " << matrix << " " << half;
            }
      }
}

TEST(Matrix, Stores) {
  for (unsigned count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      SmallKernel kernel;
      kernel.sharedBytes = 1024;
      kernel.body = rowAddress +
                    "shl.b32 %r2, %r0, 5;\nmov.b32 %r3, 0;\n$fill:\n"
                    "add.s32 %r4, %r2, %r3;\nst.shared.b32 [%r4], -1;\n"
                    "add.s32 %r3, %r3, 4;\nsetp.lt.s32 %p1, %r3, 32;\n"
                    "@%p1 bra $fill;\nbar.warp.sync -1;\n";
      // Halves hold lane, matrix and half.
      for (unsigned at = 0; at < count; ++at)
        kernel.body += "mad.lo.s32 %r" + std::to_string(10 + at) +
                       ", %r0, 0x80008, " +
                       std::to_string((2 * at + 1) << 16 | 2 * at) + ";\n";
      kernel.body += getOpcode("stmatrix", count, isTransposed, ".shared") +
                     "[%r1], " + makeRegisters(count) +
                     ";\nbar.warp.sync -1;\n"
                     "shl.b32 %r2, %r0, 5;\nmov.b32 %r3, 0;\n$copy:\n"
                     "add.s32 %r4, %r2, %r3;\nld.shared.b32 %r5, [%r4];\n"
                     "cvt.u64.u32 %rd1, %r4;\nadd.s64 %rd1, %out, %rd1;\n"
                     "st.global.b32 [%rd1], %r5;\n"
                     "add.s32 %r3, %r3, 4;\nsetp.lt.s32 %p1, %r3, 32;\n"
                     "@%p1 bra $copy;\n";
      Outcome outcome = kernel.run();
      ASSERT_EQ(outcome.describe(), "") << kernel.body;
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned matrix = 0; matrix < count; ++matrix)
          for (unsigned half = 0; half < 2; ++half) {
            auto [row, column] = getElement(lane, half, isTransposed);
            unsigned at = getRowOffset(matrix, row) / 2 + column;
            EXPECT_EQ(outcome.get<uint16_t>(at), lane * 8 + 2 * matrix + half);
            // Beyond its 16 bytes a row stays as it was.
            EXPECT_EQ(outcome.get<uint16_t>(at + 8), 0xffff);
          }
    }
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

namespace {

struct Product {
  unsigned columns;
  unsigned swizzle;
  bool isHalf = false;
  bool isLhsTransposed = false, isRhsTransposed = false;
  /// Which 16 contracts of a line are used.
  unsigned step = 0;
  bool accumulates = false;
};

constexpr unsigned rows = 64, contracts = 16;
constexpr uint32_t rhsOffset = 32768, sharedBytes = 32768 + 65536;

uint16_t toBits(int value, bool isHalf) {
  uint32_t bits = llvm::bit_cast<uint32_t>(float(value));
  if (!isHalf)
    return bits >> 16;
  if (value == 0)
    return 0;
  return (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 |
         (bits >> 13 & 0x3ff);
}

int getLhs(unsigned row, unsigned k) { return int(row * 5 + k * 3) % 11 - 5; }
int getRhs(unsigned column, unsigned k) {
  return int(column * 7 + k * 2) % 13 - 6;
}

/// How a matrix lies in shared memory.
struct Layout {
  const Product &product;
  unsigned numRows;
  bool isTransposed;
  uint32_t start;

  unsigned line() const { return product.swizzle ? product.swizzle : 16; }
  /// From 8 lines to the next.
  uint32_t stride() const { return product.swizzle ? 8 * line() : 256; }
  /// From a span of rows to the next, or of columns of 16 bytes.
  uint32_t leading() const { return isTransposed ? 2 * stride() : 128; }

  uint32_t place(unsigned row, unsigned k) const {
    if (!product.swizzle)
      return start + row / 8 * stride() + row % 8 * 16 + k / 8 * leading() +
             k % 8 * 2;
    unsigned span = line() / 2;
    uint32_t at = isTransposed ? row / span * leading() + k / 8 * stride() +
                                     k % 8 * line() + row % span * 2
                               : row / 8 * stride() + row % 8 * line() +
                                     product.step * 32 + k * 2;
    // The pattern repeats in 8 lines of 128 bytes.
    uint32_t mask = line() / 16 - 1;
    return (start + at) ^ ((start + at) / 128 & mask) << 4;
  }
  uint64_t descriptor() const {
    uint64_t mode = product.swizzle == 128  ? 1
                    : product.swizzle == 64 ? 2
                    : product.swizzle       ? 3
                                            : 0;
    uint64_t from = start + (isTransposed ? 0 : product.step * 32);
    return from >> 4 | uint64_t(leading() >> 4) << 16 |
           uint64_t(stride() >> 4) << 32 | mode << 62;
  }
};

SmallKernel makeKernel(const Product &product) {
  Layout lhs = {product, rows, product.isLhsTransposed, 0};
  Layout rhs = {product, product.columns, product.isRhsTransposed, rhsOffset};
  SmallKernel kernel;
  kernel.threads = 128;
  kernel.sharedBytes = sharedBytes;
  kernel.outputBytes = rows * product.columns * 4;
  std::vector<uint8_t> memory(sharedBytes);
  auto put = [&](uint32_t at, int value) {
    uint16_t bits = toBits(value, product.isHalf);
    std::memcpy(&memory[at], &bits, sizeof(bits));
  };
  for (unsigned k = 0; k < contracts; ++k) {
    for (unsigned row = 0; row < rows; ++row)
      put(lhs.place(row, k), getLhs(row, k));
    for (unsigned column = 0; column < product.columns; ++column)
      put(rhs.place(column, k), getRhs(column, k));
  }
  kernel.input = memory;
  unsigned count = product.columns / 2;
  std::string registers;
  kernel.body = ".reg .f32 %acc<128>;\nmov.u32 %r0, %tid.x;\n"
                "shl.b32 %r1, %r0, 4;\n$fill:\ncvt.u64.u32 %rd1, %r1;\n"
                "add.s64 %rd1, %in, %rd1;\n"
                "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd1];\n"
                "st.shared.v4.b32 [%r1], {%r2, %r3, %r4, %r5};\n"
                "add.s32 %r1, %r1, 2048;\nsetp.lt.s32 %p1, %r1, " +
                std::to_string(sharedBytes) +
                ";\n@%p1 bra $fill;\nfence.proxy.async.shared::cta;\n"
                "bar.sync 0;\n";
  for (unsigned at = 0; at < count; ++at) {
    // 2, or what must not be seen.
    kernel.body += "mov.f32 %acc" + std::to_string(at) + ", " +
                   (product.accumulates ? "0f40000000" : "0f7FC00000") + ";\n";
    registers += (at ? ", %acc" : "%acc") + std::to_string(at);
  }
  kernel.body +=
      "mov.b64 %rd2, " + std::to_string(lhs.descriptor()) +
      "U;\nmov.b64 %rd3, " + std::to_string(rhs.descriptor()) +
      "U;\nsetp.ne.b32 %p2, " + (product.accumulates ? "1" : "0") +
      ", 0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" +
      std::to_string(product.columns) + "k16.f32." +
      (product.isHalf ? "f16.f16" : "bf16.bf16") + " {" + registers +
      "}, %rd2, %rd3, %p2, 1, 1, " + (product.isLhsTransposed ? "1" : "0") +
      ", " + (product.isRhsTransposed ? "1" : "0") +
      ";\nwgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %rd4, %r0, " +
      std::to_string(4 * count) + ";\nadd.s64 %rd4, %out, %rd4;\n";
  for (unsigned at = 0; at < count; ++at)
    kernel.body += "st.global.f32 [%rd4+" + std::to_string(4 * at) + "], %acc" +
                   std::to_string(at) + ";\n";
  return kernel;
}

/// Small integers make every sum exact.
void check(const Product &product, unsigned schedule = 0) {
  SmallKernel kernel = makeKernel(product);
  kernel.options.setSchedule(1, schedule);
  Outcome outcome = kernel.run();
  std::string name = "n" + std::to_string(product.columns) + " swizzle " +
                     std::to_string(product.swizzle) + " step " +
                     std::to_string(product.step);
  ASSERT_EQ(outcome.describe(), "") << name;
  unsigned count = product.columns / 2;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned index = 0; index < count; ++index) {
      unsigned lane = thread % 32;
      unsigned row = thread / 32 * 16 + lane / 4 + 8 * (index / 2 % 2);
      unsigned column = index / 4 * 8 + lane % 4 * 2 + index % 2;
      int expected = product.accumulates ? 2 : 0;
      for (unsigned k = 0; k < contracts; ++k)
        expected += getLhs(row, k) * getRhs(column, k);
      ASSERT_EQ(outcome.get<float>(thread * count + index), float(expected))
          << name << " row " << row << " column " << column;
    }
}

} // namespace

TEST(Wgmma, EveryWidth) {
  for (unsigned columns = 8; columns <= 256; columns += 8)
    check({columns, 128});
}

TEST(Wgmma, EverySwizzle) {
  for (unsigned swizzle : {0, 32, 64, 128})
    for (unsigned columns : {8, 64, 256})
      for (bool isHalf : {false, true}) {
        Product product = {columns, swizzle};
        product.isHalf = isHalf;
        check(product);
      }
}

// A line holds the contracts of several wgmmas.
TEST(Wgmma, StepsInsideALine) {
  for (unsigned swizzle : {64, 128})
    for (unsigned step = 0; step < swizzle / 32; ++step) {
      Product product = {32, swizzle};
      product.step = step;
      check(product);
    }
}

TEST(Wgmma, Transposed) {
  for (unsigned swizzle : {32, 64, 128})
    for (unsigned order : {1, 2, 3}) {
      Product product = {64, swizzle};
      product.isLhsTransposed = order & 1;
      product.isRhsTransposed = order & 2;
      check(product);
    }
}

TEST(Wgmma, Accumulates) {
  for (unsigned schedule = 0; schedule < 5; ++schedule) {
    Product product = {16, 128};
    product.accumulates = true;
    check(product, schedule);
  }
}
