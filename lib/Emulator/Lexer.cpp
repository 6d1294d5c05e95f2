//===- Lexer.cpp - Tokens of PTX ------------------------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace coda::emulator;

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.' ||
         c == ':';
}

void Lexer::skipSpace() {
  while (at < text.size()) {
    llvm::StringRef rest = text.substr(at);
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      size_t length = end == llvm::StringRef::npos ? rest.size() : end + 2;
      line += rest.take_front(length).count('\n');
      at += length;
    } else if (llvm::isSpace(rest.front())) {
      line += rest.front() == '\n';
      ++at;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skipSpace();
  if (at == text.size())
    return {Token::Kind::End, {}, line};
  size_t begin = at;
  unsigned firstLine = line;
  if (text[at] == '"') {
    size_t end = text.find('"', at + 1);
    at = end == llvm::StringRef::npos ? text.size() : end + 1;
    line += text.slice(begin, at).count('\n');
    return {Token::Kind::Text, text.slice(begin, at), firstLine};
  }
  if (!isWordCharacter(text[at])) {
    ++at;
    return {Token::Kind::Punctuation, text.slice(begin, at), firstLine};
  }
  while (at < text.size() && isWordCharacter(text[at])) {
    ++at;
    // A label ends with its colon; `shared::cluster` goes on after two.
    bool isColon = text[at - 1] == ':';
    bool isDouble = text.substr(at).starts_with(":") ||
                    text.slice(begin, at).ends_with("::");
    if (isColon && !isDouble)
      break;
  }
  return {Token::Kind::Word, text.slice(begin, at), firstLine};
}
