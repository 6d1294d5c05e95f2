//===- LinalgBody.cpp - What the body of a linalg op computes -------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/IR/LinalgBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

/// Looks through casts to a wider float, which change no value.
static Value skipExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

bool coda::isMultiplyAccumulate(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  auto add =
      block->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  BlockArgument out = op.getRegionOutputArgs()[0];
  if (add.getLhs() != out && add.getRhs() != out)
    return false;
  // A product in a narrower type than the sum would be rounded by itself.
  Value term = add.getLhs() == out ? add.getRhs() : add.getLhs();
  auto mul = term.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return false;
  Value a = skipExtensions(mul.getLhs()), b = skipExtensions(mul.getRhs());
  Value first = block->getArgument(0), second = block->getArgument(1);
  return (a == first && b == second) || (a == second && b == first);
}
