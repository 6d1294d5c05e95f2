//===- Lexer.h - Tokens of PTX ----------------------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_LEXER_H
#define CODA_LIB_EMULATOR_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace coda::emulator {

struct Token {
  enum class Kind : uint8_t { End, Word, Punctuation, Text };
  Kind kind = Kind::End;
  /// A word has no white space and none of the punctuation marks; opcodes with
  /// their modifiers, registers, numbers and directives are single words.
  llvm::StringRef text;
  unsigned line = 1;

  bool is(llvm::StringRef other) const {
    return kind != Kind::End && text == other;
  }
  bool isEnd() const { return kind == Kind::End; }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) {}
  Token next();

private:
  void skipSpace();

  llvm::StringRef text;
  size_t at = 0;
  unsigned line = 1;
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_LEXER_H
