//===- Assembly.cpp - Parsing and printing of coda ops -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/Coda.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::coda;

namespace {
constexpr StringLiteral kindClauses[] = {"batches", "rows", "columns",
                                         "members", "contracts"};

/// What the clauses say, and no dictionary repeats.
constexpr StringRef clauseAttributes[] = {
    "dim_names", "dim_kinds", "indexing_maps",
    "combiners", "updates",   "operandSegmentSizes"};

/// An operand of a clause as it is parsed: `%x at (m, k) : type`.
struct ParsedOperand {
  OpAsmParser::UnresolvedOperand name;
  AffineMap map;
  Type type;
  Combiner combiner = Combiner::Store;
  bool isUpdate = false;
};

/// Parses the clauses of `coda.gemm` and `coda.map`.
class ClauseParser {
public:
  ClauseParser(OpAsmParser &parser, OperationState &result)
      : parser(parser), result(result) {}

  ParseResult parseDims();
  /// Parses `clause(operand, ...)`. Returns success without operands when the
  /// clause is absent.
  ParseResult parseOperands(StringRef clause,
                            SmallVectorImpl<ParsedOperand> &operands);
  ParseResult resolve(ArrayRef<ParsedOperand> operands);
  /// Attributes, results and the region, in the order of the assembly.
  template <typename OpTy>
  ParseResult parseRest(ArrayRef<ParsedOperand> all,
                        ArrayRef<ParsedOperand> outs);

private:
  template <typename OpTy> ParseResult parseAttributes();
  ParseResult parseOperand(StringRef clause, ParsedOperand &operand);
  ParseResult parseIndexingMap(AffineMap &map);

  OpAsmParser &parser;
  OperationState &result;
  SmallVector<Attribute> names;
  SmallVector<Attribute> kinds;
};
} // namespace

ParseResult ClauseParser::parseDims() {
  MLIRContext *context = parser.getContext();
  for (unsigned kind = 0; kind < std::size(kindClauses); ++kind) {
    if (failed(parser.parseOptionalKeyword(kindClauses[kind])))
      continue;
    auto parseDim = [&]() -> ParseResult {
      std::string name;
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeywordOrString(&name))
        return failure();
      StringAttr attr = StringAttr::get(context, name);
      if (llvm::is_contained(names, attr))
        return parser.emitError(loc) << "dim '" << name << "' declared twice";
      names.push_back(attr);
      kinds.push_back(DimKindAttr::get(context, static_cast<DimKind>(kind)));
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseDim,
                                       " in dims"))
      return failure();
  }
  result.addAttribute("dim_names", ArrayAttr::get(context, names));
  result.addAttribute("dim_kinds", ArrayAttr::get(context, kinds));
  return success();
}

ParseResult ClauseParser::parseIndexingMap(AffineMap &map) {
  MLIRContext *context = parser.getContext();
  SmallVector<AffineExpr> exprs;
  auto parseIndex = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t constant;
    OptionalParseResult parsed = parser.parseOptionalInteger(constant);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      if (constant != 0)
        return parser.emitError(loc)
               << "expected a dim or 0, found " << constant;
      exprs.push_back(getAffineConstantExpr(0, context));
      return success();
    }
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    auto it = llvm::find(names, StringAttr::get(context, name));
    if (it == names.end())
      return parser.emitError(loc) << "unknown dim '" << name << "'";
    exprs.push_back(getAffineDimExpr(it - names.begin(), context));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseIndex,
                                     " in indexing map"))
    return failure();
  map = AffineMap::get(names.size(), /*symbolCount=*/0, exprs, context);
  return success();
}

ParseResult ClauseParser::parseOperand(StringRef clause,
                                       ParsedOperand &operand) {
  bool isOut = clause == "outs";
  operand.isUpdate = isOut && succeeded(parser.parseOptionalKeyword("update"));
  if (parser.parseOperand(operand.name) || parser.parseKeyword("at") ||
      parseIndexingMap(operand.map))
    return failure();
  if (isOut && succeeded(parser.parseOptionalKeyword("by"))) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Combiner> combiner = symbolizeCombiner(keyword);
    if (!combiner || *combiner == Combiner::Store)
      return parser.emitError(loc)
             << "expected add, max, lse or sqdev after 'by', found '" << keyword
             << "'";
    operand.combiner = *combiner;
  }
  return parser.parseColonType(operand.type);
}

ParseResult
ClauseParser::parseOperands(StringRef clause,
                            SmallVectorImpl<ParsedOperand> &operands) {
  if (failed(parser.parseOptionalKeyword(clause)))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren,
      [&] { return parseOperand(clause, operands.emplace_back()); },
      " in operands");
}

ParseResult ClauseParser::resolve(ArrayRef<ParsedOperand> operands) {
  for (const ParsedOperand &operand : operands)
    if (parser.resolveOperand(operand.name, operand.type, result.operands))
      return failure();
  return success();
}

template <typename OpTy> ParseResult ClauseParser::parseAttributes() {
  NamedAttrList attributes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  for (StringRef name : clauseAttributes)
    if (attributes.get(name))
      return parser.emitError(loc)
             << "attribute '" << name << "' is given by the clauses";
  // An inherent attribute of another type would be dropped without a word.
  auto emitError = [&] { return parser.emitError(loc); };
  if (failed(OpTy::verifyInherentAttrs(result.name, attributes, emitError)))
    return failure();
  result.addAttributes(attributes);
  return success();
}

template <typename OpTy>
ParseResult ClauseParser::parseRest(ArrayRef<ParsedOperand> all,
                                    ArrayRef<ParsedOperand> outs) {
  Builder &builder = parser.getBuilder();
  SmallVector<AffineMap> maps;
  for (const ParsedOperand &operand : all)
    maps.push_back(operand.map);
  SmallVector<Attribute> combiners;
  SmallVector<bool> updates;
  for (const ParsedOperand &out : outs) {
    combiners.push_back(CombinerAttr::get(parser.getContext(), out.combiner));
    updates.push_back(out.isUpdate);
    if (isa<RankedTensorType>(out.type))
      result.addTypes(out.type);
  }
  result.addAttribute("indexing_maps", builder.getAffineMapArrayAttr(maps));
  result.addAttribute("combiners", builder.getArrayAttr(combiners));
  result.addAttribute("updates", builder.getDenseBoolArrayAttr(updates));
  if (parseAttributes<OpTy>())
    return failure();
  // Printed names inside the region may repeat names outside of it.
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, /*arguments=*/{}, /*enableNameShadowing=*/true))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

ParseResult GemmOp::parse(OpAsmParser &parser, OperationState &result) {
  ClauseParser clauses(parser, result);
  SmallVector<ParsedOperand> lhs, rhs, ins, outs;
  SMLoc lhsLoc;
  if (clauses.parseDims())
    return failure();
  lhsLoc = parser.getCurrentLocation();
  if (clauses.parseOperands("lhs", lhs))
    return failure();
  if (lhs.empty())
    return parser.emitError(lhsLoc)
           << "expected lhs after batches, rows, columns, members, contracts, "
              "in this order";
  if (lhs.size() != 1)
    return parser.emitError(lhsLoc) << "expected one lhs, found " << lhs.size();
  if (clauses.parseOperands("rhs", rhs) || clauses.parseOperands("ins", ins) ||
      clauses.parseOperands("outs", outs))
    return failure();
  auto segments = {1, static_cast<int32_t>(rhs.size()),
                   static_cast<int32_t>(ins.size()),
                   static_cast<int32_t>(outs.size())};
  llvm::copy(segments, result.getOrAddProperties<GemmOp::Properties>()
                           .operandSegmentSizes.begin());
  SmallVector<ParsedOperand> all = lhs;
  llvm::append_range(all, rhs);
  llvm::append_range(all, ins);
  llvm::append_range(all, outs);
  return failure(clauses.resolve(all) || clauses.parseRest<GemmOp>(all, outs));
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  ClauseParser clauses(parser, result);
  SmallVector<ParsedOperand> ins, outs;
  if (clauses.parseDims() || clauses.parseOperands("ins", ins) ||
      clauses.parseOperands("outs", outs))
    return failure();
  auto segments = {static_cast<int32_t>(ins.size()),
                   static_cast<int32_t>(outs.size())};
  llvm::copy(segments, result.getOrAddProperties<MapOp::Properties>()
                           .operandSegmentSizes.begin());
  SmallVector<ParsedOperand> all = ins;
  llvm::append_range(all, outs);
  return failure(clauses.resolve(all) || clauses.parseRest<MapOp>(all, outs));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printDims(OpAsmPrinter &printer, EpilogueOpInterface op) {
  for (auto [kind, clause] : llvm::enumerate(kindClauses)) {
    SmallVector<unsigned> dims = op.getDimsOfKind(static_cast<DimKind>(kind));
    if (dims.empty())
      continue;
    printer << ' ' << clause << '(';
    llvm::interleaveComma(dims, printer, [&](unsigned dim) {
      printer.printKeywordOrString(op.getDimName(dim));
    });
    printer << ')';
  }
}

static void printIndexingMap(OpAsmPrinter &printer, EpilogueOpInterface op,
                             AffineMap map) {
  printer << '(';
  llvm::interleaveComma(map.getResults(), printer, [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      printer.printKeywordOrString(op.getDimName(dim.getPosition()));
    else
      printer << '0';
  });
  printer << ')';
}

static void printClause(OpAsmPrinter &printer, EpilogueOpInterface op,
                        StringRef clause, unsigned first, unsigned count) {
  if (count == 0)
    return;
  unsigned firstOut = op.getNumProductOperands() + op.getNumIns();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  printer << ' ' << clause << '(';
  llvm::interleaveComma(
      llvm::seq(first, first + count), printer, [&](unsigned number) {
        bool isOut = number >= firstOut;
        if (isOut && op.isUpdate(number - firstOut))
          printer << "update ";
        Value value = op->getOperand(number);
        printer << value << " at ";
        printIndexingMap(printer, op, maps[number]);
        if (isOut && op.isReduced(number - firstOut))
          printer << " by "
                  << stringifyCombiner(op.getCombiner(number - firstOut));
        printer << " : " << value.getType();
      });
  printer << ')';
}

static void printRest(OpAsmPrinter &printer, EpilogueOpInterface op) {
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(),
                                           /*elidedAttrs=*/clauseAttributes);
  printer << ' ';
  printer.printRegion(op.getBody());
}

void GemmOp::print(OpAsmPrinter &printer) {
  EpilogueOpInterface op(*this);
  unsigned numRhs = getRhs().size(), numIns = getIns().size();
  printDims(printer, op);
  printClause(printer, op, "lhs", 0, 1);
  printClause(printer, op, "rhs", 1, numRhs);
  printClause(printer, op, "ins", 1 + numRhs, numIns);
  printClause(printer, op, "outs", 1 + numRhs + numIns, getOuts().size());
  printRest(printer, op);
}

void MapOp::print(OpAsmPrinter &printer) {
  EpilogueOpInterface op(*this);
  unsigned numIns = getIns().size();
  printDims(printer, op);
  printClause(printer, op, "ins", 0, numIns);
  printClause(printer, op, "outs", numIns, getOuts().size());
  printRest(printer, op);
}

//===----------------------------------------------------------------------===//
// Names of dims in region ops
//===----------------------------------------------------------------------===//

static ParseResult parseDimName(OpAsmParser &parser, StringAttr &name) {
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  name = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printDimName(OpAsmPrinter &printer, Operation *, StringAttr name) {
  printer.printKeywordOrString(name.getValue());
}

static ParseResult parseDimNames(OpAsmParser &parser, ArrayAttr &names) {
  SmallVector<Attribute> attrs;
  auto parseName = [&]() -> ParseResult {
    StringAttr name;
    if (parseDimName(parser, name))
      return failure();
    attrs.push_back(name);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseName))
    return failure();
  names = parser.getBuilder().getArrayAttr(attrs);
  return success();
}

static void printDimNames(OpAsmPrinter &printer, Operation *op,
                          ArrayAttr names) {
  printer << '(';
  llvm::interleaveComma(
      names.getAsRange<StringAttr>(), printer,
      [&](StringAttr name) { printDimName(printer, op, name); });
  printer << ')';
}

#define GET_OP_CLASSES
#include "coda/IR/CodaOps.cpp.inc"
