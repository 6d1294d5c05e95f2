//===- Remarks.cpp - Remarks of the rewriting passes -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

StringRef coda::getEnclosingFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

/// The first place in a file that a location names. An op that was merged from
/// several names its product first.
static FileLineColLoc findInFile(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::string coda::describeOp(Operation *op) {
  std::string text = ("'" + op->getName().getStringRef() + "'").str();
  if (FileLineColLoc loc = findInFile(op->getLoc()))
    text += (" at line " + Twine(loc.getLine())).str();
  return text;
}

static remark::RemarkOpts getOptions(Operation *op, StringRef category,
                                     StringRef name) {
  return remark::RemarkOpts::name(name).category(category).function(
      coda::getEnclosingFunctionName(op));
}

void coda::remarkPassed(Operation *op, StringRef category, StringRef name,
                        const Twine &what) {
  remark::passed(op->getLoc(), getOptions(op, category, name))
      << remark::add("{0}", what.str());
}

void coda::remarkMissed(Operation *op, StringRef category, StringRef name,
                        const Twine &what, const Twine &reason) {
  remark::missed(op->getLoc(), getOptions(op, category, name))
      << remark::add("{0}", what.str()) << remark::reason("{0}", reason.str());
}
