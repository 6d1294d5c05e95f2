//===- Finding.h - What the emulator reports --------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EMULATOR_FINDING_H
#define CODA_EMULATOR_FINDING_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace coda::emulator {

enum class FindingKind : uint8_t {
  /// Two accesses, at least one a write, that nothing orders.
  Race,
  /// A write of the generic proxy that an asynchronous access may not see.
  MissingProxyFence,
  /// Bytes that nobody has written, or that have not arrived.
  Uninitialized,
  OutOfBounds,
  Misaligned,
  /// An mbarrier, a named barrier or a transaction count used wrongly.
  Barrier,
  /// A collective instruction without some of its threads.
  Divergence,
  /// Registers of a wgmma in flight, or a missing wgmma.fence.
  Wgmma,
  /// A descriptor, a tensor map or a register count that no hardware takes.
  InvalidOperand,
  Deadlock
};

llvm::StringRef stringifyFindingKind(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string kernel;
  /// Of the PTX text, and the line itself.
  unsigned line = 0;
  std::string text;
  uint32_t block[3] = {0, 0, 0};
  /// Linear in the block; -1 if no single thread is to blame.
  int32_t thread = -1;
  /// In the space that the message names; 0 if there is none.
  uint64_t address = 0;
  uint64_t seed = 0;
  std::string message;

  /// One line for people.
  std::string format() const;
};

/// Collects from all threads of the host; a second finding of the same kind at
/// the same line of the same kernel is dropped.
class FindingLog {
public:
  void add(Finding finding);
  std::vector<Finding> take();
  bool isEmpty();

private:
  std::mutex mutex;
  std::set<std::tuple<FindingKind, std::string, unsigned>> seen;
  std::vector<Finding> findings;
};

} // namespace coda::emulator

#endif // CODA_EMULATOR_FINDING_H
