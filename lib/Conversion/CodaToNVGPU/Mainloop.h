//===- Mainloop.h - Producer and consumers of a gemm kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of a stage:
//
//   producer                             consumers
//   wait empty (skipped the first time)  wait full
//   expect bytes on full                 multiply
//   copies complete on full              when the next stage's products are
//                                        issued, arrive on empty
//
// Stage and phase follow from a count of contract tiles that runs on from one
// tile of points to the next.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_MAINLOOP_H
#define CODA_LIB_CONVERSION_CODATONVGPU_MAINLOOP_H

#include "GemmContext.h"

namespace mlir::coda {

/// The loop of the one thread that feeds the stages, over all tiles of a block.
void emitProducer(GemmContext &context);

/// A consumer warpgroup.
struct Consumer {
  /// 0 or 1.
  Value index;
  /// Thread of the warpgroup, lane of the warp, warp of the warpgroup.
  Value thread;
  Value lane;
  Value warp;
  /// Whether this thread speaks for the warpgroup.
  Value isElected;
};

/// The product of one tile for one consumer. `count` is the number of contract
/// tiles consumed before; `whenStarted` emits work that should overlap with the
/// product. Returns the registers of each 64 rows.
SmallVector<SmallVector<Value>>
emitProduct(GemmContext &context, const Consumer &consumer, Value count,
            llvm::function_ref<void()> whenStarted);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_MAINLOOP_H
