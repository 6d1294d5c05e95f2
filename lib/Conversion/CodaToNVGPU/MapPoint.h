//===- MapPoint.h - One point of a map -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_MAPPOINT_H
#define CODA_LIB_CONVERSION_CODATONVGPU_MAPPOINT_H

#include "KernelParams.h"

namespace mlir::coda {

/// Loads, region and stores at a point, whose indices are given first. Offsets
/// have 64 bits.
class MapPoint {
public:
  MapPoint(KernelBuilder &b, EpilogueOpInterface op, KernelParams &params)
      : b(b), op(op), params(params) {}

  /// Sets the indices along `dims` from a position that counts all their
  /// points, as i64.
  void setIndices(ArrayRef<unsigned> dims, Value position);

  /// Gives the value of an op of the region that is known already.
  void setValue(Value value, Value known) { values[value] = known; }

  /// Loads the arguments, all of them before anything is stored: a store may
  /// overwrite what the same point reads. Then the region, up to an op if one
  /// is given.
  void emitRegion(Operation *end = nullptr);
  /// Stores the values of outs that are not reduced.
  void emitStores();

  /// The value at this point of one that the region yields.
  Value getValue(Value yielded) const { return values.lookup(yielded); }
  /// The address of an element of an operand, whose dims are all set.
  Value emitAddress(OpOperand &operand, ArrayRef<int64_t> members);

private:
  void emitArguments();
  void emitNested(Operation &nested);
  Value emitLoad(OpOperand &operand, ArrayRef<int64_t> members);

  KernelBuilder &b;
  EpilogueOpInterface op;
  KernelParams &params;
  DenseMap<unsigned, Value> indices;
  DenseMap<Value, Value> values;
};

/// Bytes of an element of an operand, which is aligned to them.
unsigned getElementBytes(OpOperand &operand);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_MAPPOINT_H
