//===- Parser.cpp - From text to a parsed PTX module ----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lexer.h"

#include "coda/Emulator/PTX.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace coda::emulator;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// More than any kernel has, and few enough to allocate.
constexpr uint32_t maxRegisters = 1 << 16;
constexpr uint32_t maxVariableBytes = 1 << 24;
/// As ptxas has it.
constexpr uint32_t maxParameterBytes = 32764;
constexpr int64_t maxParameterAlignment = 128;

/// Names between two braces.
struct Scope {
  llvm::StringMap<Register> registers;
  llvm::StringMap<int64_t> labels;
  /// Operands whose label was not seen yet: instruction and operand.
  std::vector<std::pair<size_t, size_t>> pending;
};

/// Throws nothing: the first error is kept, and every function that returns
/// bool gives true on failure, as parsers of MLIR do.
class Parser {
public:
  explicit Parser(Module &module) : module(module), lexer(module.text) {
    advance();
  }

  llvm::Error run();

private:
  bool error(const Twine &message);
  void advance() { token = lexer.next(); }
  bool consume(StringRef text);
  bool expect(StringRef text);
  bool skipStatement();

  bool parseTopLevel();
  bool parseEntry();
  bool parseParameters();
  bool parseEntryDirectives();
  bool parseBody();
  bool parseStatement();
  bool parseDirective();
  bool parseRegisters();
  bool parseShared();
  bool parseInstruction();
  bool parseOperand(Operand &operand);
  bool parseSimpleOperand(Operand &operand);
  bool parseAddress(Operand &operand);
  bool parseList(std::vector<Operand> &elements, StringRef close);
  bool parseInteger(int64_t &value);
  bool parseTypeBytes(uint32_t &bytes);
  bool parseRegister(Register &reg);
  bool openScope();
  bool closeScope();
  const Register *findRegister(StringRef name);

  Module &module;
  Lexer lexer;
  Token token;
  std::string message;
  Kernel *kernel = nullptr;
  std::vector<SharedVariable> moduleShared;
  std::vector<Scope> scopes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::error(const Twine &text) {
  if (message.empty())
    message = ("line " + Twine(token.line) + ": " + text).str();
  return true;
}

bool Parser::consume(StringRef text) {
  if (!token.is(text))
    return false;
  advance();
  return true;
}

bool Parser::expect(StringRef text) {
  if (consume(text))
    return false;
  return error("found '" + (token.isEnd() ? "the end" : token.text) +
               "', expected '" + text + "'");
}

bool Parser::skipStatement() {
  while (!token.isEnd() && !token.is(";"))
    advance();
  return expect(";");
}

bool Parser::parseInteger(int64_t &value) {
  bool negative = consume("-");
  StringRef digits = token.text;
  digits.consume_back("U");
  uint64_t bits;
  if (token.kind != Token::Kind::Word || digits.getAsInteger(0, bits))
    return error("found '" + token.text + "', expected an integer");
  value = static_cast<int64_t>(negative ? 0 - bits : bits);
  advance();
  return false;
}

bool Parser::parseTypeBytes(uint32_t &bytes) {
  unsigned bits = 0;
  StringRef type = token.text;
  if (!type.consume_front(".") ||
      type.drop_front(type.empty() ? 0 : 1).getAsInteger(10, bits) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return error("found '" + token.text + "', expected a type");
  bytes = bits / 8;
  advance();
  return false;
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

llvm::Error Parser::run() {
  while (message.empty() && !token.isEnd())
    if (parseTopLevel())
      break;
  if (message.empty())
    return llvm::Error::success();
  return llvm::createStringError(message);
}

bool Parser::parseTopLevel() {
  if (consume(".version")) {
    advance();
    return false;
  }
  if (consume(".target")) {
    module.target = token.text;
    advance();
    while (consume(","))
      advance();
    return false;
  }
  if (consume(".address_size")) {
    if (!token.is("64"))
      return error("addresses of " + token.text + " bits, expected 64");
    advance();
    return false;
  }
  if (consume(".visible") || consume(".extern") || consume(".weak"))
    return false;
  if (consume(".entry"))
    return parseEntry();
  if (token.is(".shared"))
    return parseShared();
  if (token.is(".file") || token.is(".section"))
    return error("debug information is not read; compile without it");
  return error("found '" + token.text +
               "', expected .version, .target, .entry or .shared");
}

bool Parser::parseEntry() {
  Kernel parsed;
  parsed.name = token.text;
  parsed.line = token.line;
  parsed.shared = moduleShared;
  if (token.kind != Token::Kind::Word)
    return error("expected the name of an entry");
  if (module.findKernel(parsed.name))
    return error("a second entry '" + parsed.name + "'");
  kernel = &parsed;
  advance();
  if (consume("(") && parseParameters())
    return true;
  if (parseEntryDirectives() || parseBody())
    return true;
  // The dynamic part begins where the fixed one ends.
  uint32_t offset = 0;
  for (bool dynamic : {false, true}) {
    for (SharedVariable &variable : parsed.shared) {
      if (variable.isDynamic != dynamic)
        continue;
      offset = llvm::alignTo(offset, variable.alignment);
      variable.offset = offset;
      offset += variable.size;
      if (offset > maxVariableBytes)
        return error("more than " + Twine(maxVariableBytes) +
                     " bytes of shared memory in '" + parsed.name + "'");
    }
    if (!dynamic)
      parsed.fixedSharedBytes = offset;
  }
  kernel = nullptr;
  module.kernels.push_back(std::move(parsed));
  return false;
}

bool Parser::parseParameters() {
  while (!token.is(")")) {
    uint32_t bytes = 0, alignment = 0;
    if (expect(".param"))
      return true;
    while (token.text.starts_with(".")) {
      if (consume(".align")) {
        int64_t value;
        if (parseInteger(value))
          return true;
        if (value < 1 || value > maxParameterAlignment)
          return error("an alignment of " + Twine(value));
        // That of a pointer follows its type and is another's.
        if (bytes == 0)
          alignment = value;
      } else if (token.is(".ptr") || token.is(".global") ||
                 token.is(".const") || token.is(".shared") ||
                 token.is(".local")) {
        advance();
      } else if (parseTypeBytes(bytes)) {
        return true;
      }
    }
    Parameter parameter;
    parameter.name = token.text;
    advance();
    parameter.size = bytes;
    if (alignment == 0)
      alignment = bytes;
    if (consume("[")) {
      int64_t count;
      if (parseInteger(count) || expect("]"))
        return true;
      if (count < 0 || count > 4096)
        return error("a parameter of " + Twine(count) + " elements");
      parameter.size *= count;
    }
    if (bytes == 0 || !llvm::isPowerOf2_32(alignment))
      return error("a parameter without a type or with a bad alignment");
    parameter.offset = llvm::alignTo(kernel->parameterBytes, alignment);
    kernel->parameterBytes = parameter.offset + parameter.size;
    if (kernel->parameterBytes > maxParameterBytes)
      return error("more than " + Twine(maxParameterBytes) +
                   " bytes of parameters");
    kernel->parameters.push_back(parameter);
    if (!token.is(")") && expect(","))
      return true;
  }
  return expect(")");
}

bool Parser::parseEntryDirectives() {
  while (!token.is("{")) {
    bool isRequired = token.is(".reqntid");
    if (!isRequired && !token.is(".maxntid") && !token.is(".minnctapersm") &&
        !token.is(".maxnreg") && !token.is(".reqnctapercluster") &&
        !token.is(".explicitcluster") && !token.is(".noreturn"))
      return error("found '" + token.text + "', expected '{'");
    if (token.is(".reqnctapercluster") || token.is(".explicitcluster"))
      return error("clusters are not emulated");
    advance();
    for (unsigned dim = 0; !token.isEnd() && llvm::isDigit(token.text.front());
         ++dim) {
      int64_t value;
      if (parseInteger(value))
        return true;
      if (isRequired && dim < 3)
        kernel->requiredThreads[dim] = value;
      if (!consume(","))
        break;
    }
    for (unsigned dim = 1; isRequired && dim < 3; ++dim)
      if (kernel->requiredThreads[dim] == 0)
        kernel->requiredThreads[dim] = 1;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool Parser::openScope() {
  if (scopes.size() > 64)
    return error("more than 64 nested scopes");
  scopes.emplace_back();
  return expect("{");
}

bool Parser::closeScope() {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  for (auto [index, operand] : scope.pending) {
    Operand &label = kernel->instructions[index].operands[operand];
    auto found = scope.labels.find(label.name);
    if (found != scope.labels.end())
      label.value = found->second;
    else if (scopes.empty())
      return error("line " + Twine(kernel->instructions[index].line) +
                   " names label '" + label.name + "', which is nowhere");
    else
      scopes.back().pending.push_back({index, operand});
  }
  return expect("}");
}

bool Parser::parseBody() {
  if (openScope())
    return true;
  while (!(scopes.size() == 1 && token.is("}")))
    if (token.isEnd() ? error("the body does not end") : parseStatement())
      return true;
  return closeScope();
}

bool Parser::parseStatement() {
  if (token.is("{"))
    return openScope();
  if (token.is("}"))
    return closeScope();
  if (consume(";"))
    return false;
  if (token.kind == Token::Kind::Word && token.text.starts_with("."))
    return parseDirective();
  if (token.kind == Token::Kind::Word && token.text.ends_with(":")) {
    StringRef name = token.text.drop_back();
    int64_t target = kernel->instructions.size();
    if (!scopes.back().labels.insert({name, target}).second)
      return error("a second label '" + name + "'");
    advance();
    return false;
  }
  return parseInstruction();
}

bool Parser::parseDirective() {
  if (token.is(".reg"))
    return parseRegisters();
  if (token.is(".shared"))
    return parseShared();
  if (token.is(".pragma"))
    return skipStatement();
  return error("directive '" + token.text + "' is not emulated");
}

bool Parser::parseRegisters() {
  advance();
  RegisterFile file = RegisterFile::Predicate;
  if (!consume(".pred")) {
    uint32_t bytes;
    if (parseTypeBytes(bytes))
      return true;
    file = bytes == 8 ? RegisterFile::B64 : RegisterFile::B32;
  }
  uint32_t &next = kernel->numRegisters[static_cast<unsigned>(file)];
  auto declare = [&](StringRef name) {
    scopes.back().registers[name] = {file, next++};
    return next > maxRegisters && error("too many registers");
  };
  do {
    StringRef name = token.text;
    if (token.kind != Token::Kind::Word)
      return error("expected the name of a register");
    advance();
    if (consume("<")) {
      int64_t count;
      if (parseInteger(count) || expect(">"))
        return true;
      if (count < 0 || count > maxRegisters)
        return error("a bank of " + Twine(count) + " registers");
      for (int64_t index = 0; index < count; ++index)
        if (declare((name + Twine(index)).str()))
          return true;
    } else if (declare(name)) {
      return true;
    }
  } while (consume(","));
  return expect(";");
}

bool Parser::parseShared() {
  advance();
  SharedVariable variable;
  int64_t value = 1;
  if (consume(".align")) {
    if (parseInteger(value))
      return true;
    if (value < 1 || value > 4096 || !llvm::isPowerOf2_64(value))
      return error("an alignment of " + Twine(value));
  }
  uint32_t bytes;
  if (parseTypeBytes(bytes))
    return true;
  variable.alignment = std::max<uint32_t>(value, bytes);
  variable.name = token.text;
  variable.size = bytes;
  advance();
  if (consume("[")) {
    int64_t count = 0;
    variable.isDynamic = token.is("]");
    if (!variable.isDynamic && parseInteger(count))
      return true;
    if (count < 0 || count > maxVariableBytes)
      return error("a variable of " + Twine(count) + " elements");
    if (expect("]"))
      return true;
    // An element has 8 bytes at most, and so this does not overflow.
    variable.size *= count;
  }
  (kernel ? kernel->shared : moduleShared).push_back(variable);
  return expect(";");
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

const Register *Parser::findRegister(StringRef name) {
  for (Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.registers.find(name);
    if (found != scope.registers.end())
      return &found->second;
  }
  return nullptr;
}

bool Parser::parseRegister(Register &reg) {
  const Register *found = findRegister(token.text);
  if (!found)
    return error("register '" + token.text + "' is not declared");
  reg = *found;
  advance();
  return false;
}

bool Parser::parseInstruction() {
  Instruction instruction;
  instruction.line = token.line;
  if (consume("@")) {
    instruction.guardNegated = consume("!");
    Register guard;
    if (parseRegister(guard))
      return true;
    if (guard.file != RegisterFile::Predicate)
      return error("a guard that is no predicate");
    instruction.guard = guard;
  }
  if (token.kind != Token::Kind::Word)
    return error("found '" + (token.isEnd() ? "the end" : token.text) +
                 "', expected an instruction");
  instruction.opcode = token.text;
  instruction.line = token.line;
  advance();
  while (!token.is(";")) {
    Operand operand;
    if (parseOperand(operand))
      return true;
    if (operand.kind == Operand::Kind::Label)
      scopes.back().pending.push_back(
          {kernel->instructions.size(), instruction.operands.size()});
    instruction.operands.push_back(std::move(operand));
    if (!token.is(";") && expect(","))
      return true;
  }
  kernel->instructions.push_back(std::move(instruction));
  return expect(";");
}

bool Parser::parseList(std::vector<Operand> &elements, StringRef close) {
  while (!token.is(close)) {
    if (elements.size() > 256)
      return error("a vector of more than 256 elements");
    Operand element;
    if (parseSimpleOperand(element))
      return true;
    elements.push_back(std::move(element));
    if (!token.is(close) && expect(","))
      return true;
  }
  return expect(close);
}

bool Parser::parseOperand(Operand &operand) {
  if (consume("{")) {
    operand.kind = Operand::Kind::Vector;
    return parseList(operand.elements, "}");
  }
  if (consume("["))
    return parseAddress(operand);
  if (parseSimpleOperand(operand))
    return true;
  if (!consume("|"))
    return false;
  Operand second;
  if (parseSimpleOperand(second))
    return true;
  Operand pair;
  pair.kind = Operand::Kind::Vector;
  pair.elements = {std::move(operand), std::move(second)};
  operand = std::move(pair);
  return false;
}

bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Kind::Address;
  Operand base;
  if (parseSimpleOperand(base))
    return true;
  bool isAddress = base.kind == Operand::Kind::Register ||
                   base.kind == Operand::Kind::Symbol ||
                   base.kind == Operand::Kind::Integer;
  if (!isAddress)
    return error("an address that is neither a register nor a variable");
  std::swap(operand.value, base.value);
  operand.elements.push_back(std::move(base));
  if (consume(",")) {
    if (expect("{") || parseList(operand.elements, "}"))
      return true;
  }
  return expect("]");
}

static bool parseFloat(StringRef text, Operand &operand) {
  uint64_t bits;
  bool isDouble = text.starts_with_insensitive("0d");
  if (!isDouble && !text.starts_with_insensitive("0f"))
    return false;
  if (text.size() != (isDouble ? 18u : 10u) ||
      text.drop_front(2).getAsInteger(16, bits))
    return false;
  operand.kind = isDouble ? Operand::Kind::Float64 : Operand::Kind::Float32;
  operand.value = static_cast<int64_t>(bits);
  return true;
}

bool Parser::parseSimpleOperand(Operand &operand) {
  operand.negated = consume("!");
  if (token.is("-") ||
      (token.kind == Token::Kind::Word && llvm::isDigit(token.text.front()))) {
    if (!token.is("-") && parseFloat(token.text, operand)) {
      advance();
      return false;
    }
    operand.kind = Operand::Kind::Integer;
    return parseInteger(operand.value);
  }
  if (token.kind != Token::Kind::Word)
    return error("found '" + (token.isEnd() ? "the end" : token.text) +
                 "', expected an operand");
  operand.name = token.text;
  if (const Register *reg = findRegister(token.text)) {
    operand.kind = Operand::Kind::Register;
    operand.reg = *reg;
  } else if (token.is("_")) {
    operand.kind = Operand::Kind::Discard;
  } else if (kernel->findParameter(token.text) ||
             kernel->findShared(token.text)) {
    operand.kind = Operand::Kind::Symbol;
  } else if (token.text.starts_with("%")) {
    operand.kind = Operand::Kind::Special;
  } else {
    operand.kind = Operand::Kind::Label;
  }
  advance();
  if (operand.kind != Operand::Kind::Register &&
      operand.kind != Operand::Kind::Symbol)
    return false;
  // `%rd1+16`, `%rd1+-16`, `name-8`.
  if (!token.is("+") && !token.is("-"))
    return false;
  consume("+");
  return parseInteger(operand.value);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

template <typename T>
static const T *findByName(const std::vector<T> &list, StringRef name) {
  for (const T &entry : list)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

const Parameter *Kernel::findParameter(StringRef name) const {
  return findByName(parameters, name);
}

const SharedVariable *Kernel::findShared(StringRef name) const {
  return findByName(shared, name);
}

const Kernel *Module::findKernel(StringRef name) const {
  return findByName(kernels, name);
}

StringRef Module::getLine(unsigned line) const {
  StringRef rest = text;
  for (unsigned at = 1; at < line; ++at)
    rest = rest.split('\n').second;
  return rest.split('\n').first.trim();
}

llvm::Expected<std::unique_ptr<Module>>
coda::emulator::parseModule(StringRef text) {
  auto module = std::make_unique<Module>();
  module->text = text.str();
  if (llvm::Error error = Parser(*module).run())
    return std::move(error);
  return std::move(module);
}
