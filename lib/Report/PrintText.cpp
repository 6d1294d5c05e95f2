//===- PrintText.cpp - A report for people -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::coda;

static std::string formatBytes(double bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

/// `24 -> 1`, or `24` when nothing changed.
static std::string formatChange(unsigned before, unsigned after) {
  if (before == after)
    return std::to_string(before);
  return std::to_string(before) + " -> " + std::to_string(after);
}

static void printBytes(StringRef title, const SymbolicSize &before,
                       const SymbolicSize &after, llvm::raw_ostream &os) {
  double from = before.evaluate(reportAssumedSize);
  double to = after.evaluate(reportAssumedSize);
  os << "  " << llvm::left_justify(title, 20) << ' ' << formatBytes(from)
     << " -> " << formatBytes(to);
  if (from > 0 && to <= from)
    os << llvm::format(" (%.0f %% less)", 100 * (1 - to / from));
  os << '\n';
}

static void printTraffic(const FunctionReport &function,
                         llvm::raw_ostream &os) {
  const SymbolicSize &before = function.before.bytes;
  const SymbolicSize &after = function.after.bytes;
  printBytes("memory traffic", before, after, os);
  printBytes("  without weights", function.before.activationBytes,
             function.after.activationBytes, os);
  if (before.isConstant() && after.isConstant())
    return;
  os << "                       with " << reportAssumedSize
     << " for every dynamic size; in bytes:\n"
     << "                       before " << before.str() << "\n"
     << "                       after  " << after.str() << '\n';
}

static void printOthers(const FunctionReport &function, llvm::raw_ostream &os) {
  const FunctionCounts &before = function.before, &after = function.after;
  struct Line {
    unsigned before, after;
    const char *what;
  };
  const Line lines[] = {
      {before.perRow, after.perRow, "on row statistics"},
      {before.weights, after.weights, "on weights only"},
      {before.tables, after.tables, "on tables and masks"},
      {before.weightGradients, after.weightGradients, "on weight gradients"},
  };
  SmallVector<std::string> parts;
  for (const Line &line : lines)
    if (line.before || line.after)
      parts.push_back(formatChange(line.before, line.after) + " " + line.what);
  if (!parts.empty())
    os << "  not counted          " << llvm::join(parts, ", ") << '\n';
}

/// Places in the file that the report is about are given without its name.
static StringRef shortenLocation(StringRef location, StringRef input) {
  StringRef rest = location;
  return rest.consume_front(input) && rest.consume_front(":") ? rest : location;
}

static void printRemarks(StringRef title, ArrayRef<CollectedRemark> remarks,
                         StringRef input, llvm::raw_ostream &os) {
  if (remarks.empty())
    return;
  os << "  " << title << " (" << remarks.size() << ")\n";
  size_t locationWidth = 0, opWidth = 0;
  for (const CollectedRemark &remark : remarks) {
    locationWidth =
        std::max(locationWidth, shortenLocation(remark.location, input).size());
    opWidth = std::max(opWidth, remark.op.size());
  }
  for (const CollectedRemark &remark : remarks) {
    os << "    "
       << llvm::left_justify(shortenLocation(remark.location, input),
                             locationWidth)
       << "  " << llvm::left_justify(remark.op, opWidth) << "  "
       << remark.message;
    for (const auto &[key, value] : remark.values)
      os << (remark.message.empty() ? "" : "; ") << StringRef(key).lower()
         << ": " << value;
    os << " [" << remark.category << "]\n";
  }
}

static void printFunction(const FunctionReport &function, StringRef input,
                          llvm::raw_ostream &os) {
  os << "\n@" << function.name << '\n'
     << "  memory-bound passes  " << function.before.passes << " -> "
     << function.after.passes << '\n'
     << "  products             "
     << formatChange(function.before.products, function.after.products) << '\n';
  printTraffic(function, os);
  printOthers(function, os);
  printRemarks("fused", function.fused, input, os);
  printRemarks("refused", function.refused, input, os);
  printRemarks("notes", function.notes, input, os);
}

void mlir::coda::printReport(const Report &report, llvm::raw_ostream &os) {
  os << report.input << " (numerics: " << report.numerics << ")\n";
  for (const FunctionReport &function : report.functions)
    printFunction(function, report.input, os);
  if (report.functions.empty())
    os << "\nno function with a body\n";
  if (!report.kernels.empty())
    os << "\nkernels\n";
  for (const KernelReport &kernel : report.kernels) {
    os << "  " << kernel.name << '\n';
    for (const auto &[key, value] : kernel.facts)
      os << "    " << llvm::left_justify(key, 20) << ' ' << value << '\n';
  }
}
