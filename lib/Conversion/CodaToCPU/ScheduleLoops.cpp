//===- ScheduleLoops.cpp - How threads share the iterations of a loop -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Conversion/CodaToCPU.h"

#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

namespace mlir::coda {
#define GEN_PASS_DEF_CPUSCHEDULELOOPSPASS
#include "coda/Conversion/Passes.h.inc"
} // namespace mlir::coda

using namespace mlir;

namespace {
struct CPUScheduleLoops
    : coda::impl::CPUScheduleLoopsPassBase<CPUScheduleLoops> {
  using CPUScheduleLoopsPassBase::CPUScheduleLoopsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](omp::WsloopOp loop) {
      if (!loop.getScheduleKind())
        loop.setScheduleKind(omp::ClauseScheduleKind::Guided);
    });
  }
};
} // namespace
