//===- KernelBuilder.h - The vocabulary of a Hopper kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One method for each thing that a kernel does: address arithmetic, mbarriers,
// bulk tensor copies, matrix fragments. Everything above it speaks of tiles and
// stages, everything below it of nvvm ops.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_KERNELBUILDER_H
#define CODA_LIB_CONVERSION_CODATONVGPU_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::coda {

class KernelBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // Integers. Mixed forms take a constant on the right.
  Value constantI32(int64_t value);
  Value constantI64(int64_t value);
  Value add(Value lhs, Value rhs) {
    return createOrFold<arith::AddIOp>(lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return createOrFold<arith::SubIOp>(lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return createOrFold<arith::MulIOp>(lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) {
    return createOrFold<arith::DivUIOp>(lhs, rhs);
  }
  Value remainder(Value lhs, Value rhs) {
    return createOrFold<arith::RemUIOp>(lhs, rhs);
  }
  Value minimum(Value lhs, Value rhs) {
    return createOrFold<arith::MinUIOp>(lhs, rhs);
  }
  Value bitXor(Value lhs, Value rhs) {
    return createOrFold<arith::XOrIOp>(lhs, rhs);
  }
  Value bitAnd(Value lhs, Value rhs) {
    return createOrFold<arith::AndIOp>(lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) { return add(lhs, like(lhs, rhs)); }
  Value sub(Value lhs, int64_t rhs) { return sub(lhs, like(lhs, rhs)); }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, like(lhs, rhs)); }
  Value divide(Value lhs, int64_t rhs) { return divide(lhs, like(lhs, rhs)); }
  Value remainder(Value lhs, int64_t rhs) {
    return remainder(lhs, like(lhs, rhs));
  }
  Value bitXor(Value lhs, int64_t rhs) { return bitXor(lhs, like(lhs, rhs)); }
  Value bitAnd(Value lhs, int64_t rhs) { return bitAnd(lhs, like(lhs, rhs)); }
  Value ceilDivide(Value lhs, int64_t rhs) {
    return divide(add(lhs, rhs - 1), rhs);
  }
  Value equal(Value lhs, int64_t rhs);
  /// Unsigned comparison.
  Value less(Value lhs, Value rhs);
  Value less(Value lhs, int64_t rhs) { return less(lhs, like(lhs, rhs)); }
  Value extendToI64(Value value);

  /// Emits `body` under a condition, without results.
  void ifTrue(Value condition, llvm::function_ref<void()> body);

  // Memory.
  /// The address `bytes` after a pointer to shared memory.
  Value sharedAddress(Value base, Value bytes);
  /// The address of an element in global memory; the index is i64.
  Value globalAddress(Value base, Type element, Value index);

  // Barriers in shared memory, which have phases 0, 1, 0, ...
  void initBarrier(Value barrier, int64_t arrivals);
  void fenceBarrierInit();
  void waitBarrier(Value barrier, Value phase);
  void arrive(Value barrier);
  void arriveExpectingBytes(Value barrier, int64_t bytes);
  /// Hardware barrier number `id` among some warps of the block.
  void syncThreads(Value id, int64_t threads);
  void syncBlock();
  void syncWarp();

  // Bulk tensor copies. Coordinates are innermost first.
  void loadBox(Value sharedDestination, Value tensorMap, ValueRange coordinates,
               Value barrier);
  void storeBox(Value tensorMap, Value sharedSource, ValueRange coordinates);
  void commitStores();
  /// Waits until at most `pending` groups of stores still read shared memory.
  void waitStoresRead(unsigned pending);
  void waitStoresDone();
  /// Makes ordinary writes to shared memory visible to bulk copies.
  void fenceSharedForBulkCopies();

  // Fragments: four 8x8 matrices of 16-bit elements, one register each.
  SmallVector<Value> loadMatrices(Value sharedAddress);
  void storeMatrices(Value sharedAddress, ValueRange registers);

  /// The value of lane `lane XOR distance`.
  Value shuffleXor(Value value, int64_t distance);
  /// The value of lane `lane`.
  Value shuffleFrom(Value value, int64_t lane);

private:
  Value like(Value value, int64_t constant);
};

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_KERNELBUILDER_H
