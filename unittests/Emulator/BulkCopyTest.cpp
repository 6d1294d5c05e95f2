//===- BulkCopyTest.cpp - Bulk tensor copies of the emulator --------------===//
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

namespace {

/// A box of a tensor of 32-bit elements.
struct Box {
  std::vector<uint32_t> sizes;
  std::vector<uint16_t> box;
  std::vector<int32_t> coordinates;
  unsigned swizzle = 0;

  unsigned count() const {
    unsigned elements = 1;
    for (uint16_t size : box)
      elements *= size;
    return elements;
  }
  unsigned tensorCount() const {
    unsigned elements = 1;
    for (uint32_t size : sizes)
      elements *= size;
    return elements;
  }
  std::string list() const {
    std::string text;
    for (int32_t at : coordinates)
      text += (text.empty() ? "" : ", ") + std::to_string(at);
    return "{" + text + "}";
  }
  std::string rank() const { return std::to_string(sizes.size()) + "d"; }
  /// The index in the tensor of an element of the box, if it is inside.
  std::optional<unsigned> find(unsigned element) const {
    unsigned index = 0, stride = 1;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      int64_t at = coordinates[dim] + int64_t(element % box[dim]);
      element /= box[dim];
      if (at < 0 || at >= sizes[dim])
        return std::nullopt;
      index += at * stride;
      stride *= sizes[dim];
    }
    return index;
  }
  /// Where an element of the box is in shared memory, in elements: the 16-byte
  /// column is combined with the number of the 128-byte line.
  unsigned place(unsigned element) const {
    unsigned byte = element * 4;
    unsigned line = byte / 128;
    unsigned mask = swizzle == 128 ? 7 : swizzle == 64 ? 3 : swizzle ? 1 : 0;
    return (byte ^ (line & mask) << 4) / 4;
  }
};

const Box boxes[] = {
    {{64}, {32}, {16}},
    {{64}, {32}, {-8}},
    {{64}, {32}, {40}},
    {{64}, {32}, {100}},
    {{32, 16}, {32, 8}, {0, 4}, 128},
    {{32, 16}, {16, 8}, {16, 0}, 64},
    {{32, 16}, {8, 16}, {8, 0}, 32},
    {{32, 16}, {8, 16}, {8, 0}},
    // Clipped at each side and at two corners.
    {{32, 16}, {32, 8}, {-4, 0}, 128},
    {{32, 16}, {32, 8}, {12, 0}, 128},
    {{32, 16}, {32, 8}, {0, -3}, 128},
    {{32, 16}, {32, 8}, {0, 13}, 128},
    {{32, 16}, {32, 8}, {-5, -3}, 128},
    {{32, 16}, {16, 8}, {30, 15}, 64},
    {{32, 16}, {32, 8}, {0, -8}, 128},
    {{8, 6, 5}, {8, 4, 3}, {0, 2, 1}, 32},
    {{8, 6, 5}, {4, 4, 3}, {-1, 4, 3}},
    {{8, 4, 3, 5}, {4, 2, 2, 3}, {4, 1, 1, 1}},
    {{8, 4, 3, 5}, {4, 2, 2, 3}, {6, -1, 2, 3}},
    {{4, 3, 4, 3, 2}, {4, 2, 3, 2, 2}, {0, 1, 0, 1, 0}},
    {{4, 3, 4, 3, 2}, {4, 2, 3, 2, 2}, {1, 2, 2, -1, 1}},
};

constexpr uint32_t boxOffset = 1024;

SmallKernel makeLoad(const Box &box) {
  SmallKernel kernel;
  kernel.sharedBytes = boxOffset + 2048;
  kernel.map = makeMap(box.sizes, box.box, 4, box.swizzle);
  std::vector<uint32_t> values(box.tensorCount());
  for (unsigned at = 0; at < values.size(); ++at)
    values[at] = 1000 + at;
  kernel.input = toBytes(values);
  std::string bytes = std::to_string(box.count() * 4);
  kernel.body =
      "mov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, %r0, 0;\n"
      "@%p0 mbarrier.init.shared.b64 [dynamic], 1;\n"
      "@%p0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [dynamic], " +
      bytes + ";\n@%p0 cp.async.bulk.tensor." + box.rank() +
      ".shared::cluster.global.mbarrier::complete_tx::bytes [dynamic+1024], "
      "[%map, " +
      box.list() +
      "], [dynamic];\n"
      "$wait:\nmbarrier.try_wait.parity.shared.b64 %p1, [dynamic], 0;\n"
      "@!%p1 bra $wait;\nshl.b32 %r1, %r0, 2;\n"
      "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd1, %out, %rd1;\n$copy:\n"
      "setp.ge.s32 %p2, %r1, " +
      bytes +
      ";\n@%p2 bra $end;\n"
      "ld.shared.b32 %r2, [%r1+1024];\nst.global.b32 [%rd1], %r2;\n"
      "add.s32 %r1, %r1, 128;\nadd.s64 %rd1, %rd1, 128;\nbra.uni $copy;\n"
      "$end:";
  return kernel;
}

/// Writes its number of the box to every place and stores the box.
SmallKernel makeStore(const Box &box) {
  SmallKernel kernel;
  kernel.sharedBytes = boxOffset + 2048;
  kernel.map = makeMap(box.sizes, box.box, 4, box.swizzle);
  kernel.mapsOutput = true;
  kernel.outputBytes = box.tensorCount() * 4;
  std::string bytes = std::to_string(box.count() * 4);
  kernel.body =
      "mov.u32 %r0, %tid.x;\nsetp.eq.s32 %p0, %r0, 0;\nshl.b32 %r1, %r0, 2;\n"
      "$fill:\nsetp.ge.s32 %p2, %r1, " +
      bytes +
      ";\n@%p2 bra $filled;\n"
      "st.shared.b32 [%r1+1024], %r1;\nadd.s32 %r1, %r1, 128;\n"
      "bra.uni $fill;\n$filled:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "@!%p0 bra $end;\ncp.async.bulk.tensor." +
      box.rank() + ".global.shared::cta.bulk_group [%map, " + box.list() +
      "], [dynamic+1024];\ncp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group 0;\n$end:";
  return kernel;
}

} // namespace

TEST(BulkCopy, Loads) {
  for (const Box &box : boxes)
    for (unsigned number = 0; number < 3; ++number) {
      SmallKernel kernel = makeLoad(box);
      kernel.options.setSchedule(1, number);
      Outcome outcome = kernel.run();
      ASSERT_EQ(outcome.describe(), "") << kernel.body;
      for (unsigned element = 0; element < box.count(); ++element) {
        // What is outside is zero.
        std::optional<unsigned> index = box.find(element);
        EXPECT_EQ(outcome.get<uint32_t>(box.place(element)),
                  index ? 1000 + *index : 0)
            << box.rank() << " " << box.list() << " element " << element;
      }
    }
}

TEST(BulkCopy, Stores) {
  for (const Box &box : boxes)
    for (unsigned number = 0; number < 3; ++number) {
      SmallKernel kernel = makeStore(box);
      kernel.options.setSchedule(1, number);
      Outcome outcome = kernel.run();
      ASSERT_EQ(outcome.describe(), "") << kernel.body;
      // What is clipped is not written, and memory is all ones.
      std::vector<uint32_t> expected(box.tensorCount(), ~0u);
      for (unsigned element = 0; element < box.count(); ++element)
        if (std::optional<unsigned> index = box.find(element))
          expected[*index] = box.place(element) * 4;
      for (unsigned at = 0; at < expected.size(); ++at)
        EXPECT_EQ(outcome.get<uint32_t>(at), expected[at])
            << box.rank() << " " << box.list() << " at " << at;
    }
}

// Out-of-bounds elements may be NaN instead of zero.
TEST(BulkCopy, FillWithNaN) {
  SmallKernel kernel = makeLoad({{64}, {32}, {-8}});
  kernel.map->fillsWithNaN = true;
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  EXPECT_EQ(outcome.get<uint32_t>(7), 0x7fffffffu);
  EXPECT_EQ(outcome.get<uint32_t>(8), 1000u);
}

// A prefetch and a hint change nothing.
TEST(BulkCopy, Hints) {
  SmallKernel kernel = makeLoad({{64}, {32}, {16}});
  size_t at = kernel.body.find("[dynamic];\n$wait");
  kernel.body.replace(at, 10, "[dynamic], %rd7;");
  at = kernel.body.find("complete_tx::bytes");
  kernel.body.insert(at + 18, ".L2::cache_hint");
  kernel.body = "mov.b64 %rd7, 0;\ncp.async.bulk.prefetch.tensor.1d.L2.global "
                "[%map, {0}];\n" +
                kernel.body;
  Outcome outcome = kernel.run();
  EXPECT_EQ(outcome.describe(), "");
  EXPECT_EQ(outcome.get<uint32_t>(0), 1016u);
}

TEST(BulkCopy, MapsThatTheHardwareRefuses) {
  uint8_t encoded[TensorMap::encodedBytes];
  auto refuses = [&](auto change) {
    TensorMap map = makeMap({64, 8}, {32, 8}, 4, 128);
    change(map);
    return encodeTensorMap(map, encoded).has_value();
  };
  EXPECT_FALSE(refuses([](TensorMap &) {}));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.rank = 0; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.rank = 6; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.address = 8; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.strides[1] = 8; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.strides[1] = 1ull << 40; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.box[1] = 257; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.box[0] = 0; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.box[0] = 3; }));
  // A row wider than the swizzle.
  EXPECT_TRUE(refuses([](TensorMap &map) { map.box[0] = 64; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.swizzleBytes = 48; }));
  EXPECT_TRUE(refuses([](TensorMap &map) { map.elementBytes = 0; }));
}
