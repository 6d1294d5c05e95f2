//===- Finding.cpp - What the emulator reports ----------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Emulator/Finding.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace coda::emulator;

llvm::StringRef coda::emulator::stringifyFindingKind(FindingKind kind) {
  switch (kind) {
  case FindingKind::Race:
    return "race";
  case FindingKind::MissingProxyFence:
    return "missing proxy fence";
  case FindingKind::Uninitialized:
    return "uninitialized read";
  case FindingKind::OutOfBounds:
    return "out of bounds";
  case FindingKind::Misaligned:
    return "misaligned";
  case FindingKind::Barrier:
    return "barrier misuse";
  case FindingKind::Divergence:
    return "divergence";
  case FindingKind::Wgmma:
    return "wgmma misuse";
  case FindingKind::InvalidOperand:
    return "invalid operand";
  case FindingKind::Deadlock:
    return "deadlock";
  }
  llvm_unreachable("all kinds are covered");
}

std::string Finding::format() const {
  std::string where = llvm::formatv("{0}: line {1}: block ({2}, {3}, {4})",
                                    kernel, line, block[0], block[1], block[2]);
  if (thread >= 0)
    where += llvm::formatv(", thread {0}", thread);
  std::string what = llvm::formatv("{0}: {1}: {2}", where,
                                   stringifyFindingKind(kind), message);
  if (address)
    what += llvm::formatv(" at address {0:x}", address);
  // A wgmma names a hundred registers.
  constexpr size_t width = 100;
  llvm::StringRef shown = llvm::StringRef(text).take_front(width);
  return llvm::formatv("{0} (seed {1})\n    {2}{3}", what, seed, shown,
                       shown.size() < text.size() ? "..." : "");
}

void FindingLog::add(Finding finding) {
  std::lock_guard<std::mutex> lock(mutex);
  if (seen.insert({finding.kind, finding.kernel, finding.line}).second)
    findings.push_back(std::move(finding));
}

std::vector<Finding> FindingLog::take() {
  std::lock_guard<std::mutex> lock(mutex);
  seen.clear();
  return std::exchange(findings, {});
}

bool FindingLog::isEmpty() {
  std::lock_guard<std::mutex> lock(mutex);
  return findings.empty();
}
