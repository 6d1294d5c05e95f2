//===- SymbolicSize.cpp - Sizes with dynamic dims -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/SymbolicSize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using namespace mlir::coda;

SymbolicSize::SymbolicSize(int64_t constant) {
  if (constant != 0)
    terms[{}] = static_cast<double>(constant);
}

SymbolicSize SymbolicSize::symbol(std::string name) {
  SymbolicSize size;
  size.terms[{std::move(name)}] = 1;
  return size;
}

SymbolicSize &SymbolicSize::operator+=(const SymbolicSize &other) {
  for (const auto &[symbols, coefficient] : other.terms)
    terms[symbols] += coefficient;
  return *this;
}

SymbolicSize SymbolicSize::operator*(const SymbolicSize &other) const {
  SymbolicSize product;
  for (const auto &[leftSymbols, left] : terms) {
    for (const auto &[rightSymbols, right] : other.terms) {
      std::vector<std::string> symbols = leftSymbols;
      llvm::append_range(symbols, rightSymbols);
      llvm::sort(symbols);
      product.terms[symbols] += left * right;
    }
  }
  return product;
}

bool SymbolicSize::isConstant() const {
  return llvm::all_of(terms,
                      [](const auto &term) { return term.first.empty(); });
}

double SymbolicSize::evaluate(int64_t assumed) const {
  double sum = 0;
  for (const auto &[symbols, coefficient] : terms)
    sum += coefficient * std::pow(static_cast<double>(assumed), symbols.size());
  return sum;
}

void SymbolicSize::print(llvm::raw_ostream &os) const {
  if (terms.empty()) {
    os << 0;
    return;
  }
  // Terms with most symbols dominate, so they come first.
  std::vector<std::pair<std::vector<std::string>, double>> sorted(terms.begin(),
                                                                  terms.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    if (a.first.size() != b.first.size())
      return a.first.size() > b.first.size();
    return a.first < b.first;
  });
  llvm::interleave(
      sorted, os,
      [&](const auto &term) {
        bool showCoefficient = term.second != 1 || term.first.empty();
        if (showCoefficient)
          os << llvm::format("%.0f", term.second);
        if (showCoefficient && !term.first.empty())
          os << '*';
        llvm::interleave(term.first, os, "*");
      },
      " + ");
}

std::string SymbolicSize::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}
