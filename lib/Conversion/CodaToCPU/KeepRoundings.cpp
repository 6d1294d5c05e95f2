//===- KeepRoundings.cpp - Casts that no pass may cancel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUKEEPROUNDINGSPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;

namespace {
struct CPUKeepRoundings
    : coda::impl::CPUKeepRoundingsPassBase<CPUKeepRoundings> {
  using CPUKeepRoundingsPassBase::CPUKeepRoundingsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto cast = dyn_cast<arith::ExtFOp>(op))
        cast.setFastmath(arith::FastMathFlags::none);
      if (auto cast = dyn_cast<arith::TruncFOp>(op))
        cast.setFastmath(arith::FastMathFlags::none);
    });
  }
};
} // namespace
