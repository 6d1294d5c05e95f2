//===- SymbolicSize.h - Sizes with dynamic dims -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of bytes or elements that may depend on dynamic sizes: a sum of
// products of symbols. A report prints it as it is, and with a stated value
// for every symbol.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_REPORT_SYMBOLICSIZE_H
#define CODA_REPORT_SYMBOLICSIZE_H

#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir::coda {

class SymbolicSize {
public:
  SymbolicSize() = default;
  SymbolicSize(int64_t constant);
  static SymbolicSize symbol(std::string name);

  SymbolicSize &operator+=(const SymbolicSize &other);
  SymbolicSize operator*(const SymbolicSize &other) const;

  bool isConstant() const;
  /// The value when every symbol is `assumed`; saturates instead of wrapping.
  double evaluate(int64_t assumed) const;
  /// For example `8192*d0 + 4096`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  /// Coefficient of each product of symbols; the empty product is the constant.
  std::map<std::vector<std::string>, double> terms;
};

} // namespace mlir::coda

#endif // CODA_REPORT_SYMBOLICSIZE_H
