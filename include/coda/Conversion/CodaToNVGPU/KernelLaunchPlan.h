//===- KernelLaunchPlan.h - What the host must know of a kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between the code that generates a kernel and the code that
// launches it: parameters in order, grid and shared memory. Sizes are described
// by memref dimensions of the op's operands, so that the host can compute them
// whether they are static or not.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_CODATONVGPU_KERNELLAUNCHPLAN_H
#define CODA_CONVERSION_CODATONVGPU_KERNELLAUNCHPLAN_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <variant>

namespace mlir::coda {

/// One dimension of the memref that is operand number `operand` of the op.
struct OperandDim {
  unsigned operand;
  unsigned dim;
};

/// A product of memref dimensions; an empty product is 1.
struct SizeProduct {
  SmallVector<OperandDim, 2> factors;
};

/// One dimension of a tensor map: neighbouring dimensions of a memref taken as
/// one, outermost first. The size is their product and the stride that of the
/// last; no dimension at all stands for size 1 and any legal stride. With
/// several of size not known to be 1, the host must check that they are
/// contiguous unless the layout of the type says so.
struct TensorMapDim {
  SmallVector<unsigned, 2> memrefDims;
};

enum class TensorMapSwizzle { None, Bytes128 };

/// A tensor map (CUtensorMap) by value: `llvm.byval` of 128 bytes, aligned to
/// 64. It starts at the first element of the operand.
struct TensorMapParam {
  unsigned operand;
  Type elementType;
  /// Innermost first; the innermost has stride 1.
  SmallVector<TensorMapDim, 3> dims;
  /// Elements of one copy along each of `dims`.
  SmallVector<int64_t, 3> box;
  TensorMapSwizzle swizzle = TensorMapSwizzle::Bytes128;
};

/// The address of the first element of an operand, as a pointer to global
/// memory.
struct PointerParam {
  unsigned operand;
  /// The address is a multiple of so many elements.
  unsigned elements = 1;
};

/// The value of a scalar operand; an index is passed as i64.
struct ScalarParam {
  unsigned operand;
};

/// A size as i32; the host refuses one that does not fit.
struct SizeParam {
  SizeProduct size;
};

/// The stride of a memref dimension in elements, as i64.
struct StrideParam {
  OperandDim dim;
};

/// A pointer to device memory that only this launch uses:
/// bytes * ceil(rows / rowUnit) * ceil(columns / columnUnit).
struct ScratchParam {
  int64_t bytes;
  SizeProduct rows;
  int64_t rowUnit = 1;
  SizeProduct columns;
  int64_t columnUnit = 1;
  /// All bytes are zero when the kernel starts.
  bool zeroed = false;
};

using KernelParam = std::variant<TensorMapParam, PointerParam, ScalarParam,
                                 SizeParam, StrideParam, ScratchParam>;

/// tiles = ceil(rows / rowTile) * ceil(columns / columnTile). Nothing is
/// launched for 0 tiles.
struct GridPlan {
  SizeProduct rows;
  int64_t rowTile = 1;
  SizeProduct columns;
  int64_t columnTile = 1;
  /// At most so many blocks for each multiprocessor, since the kernel loops
  /// over the tiles; 0 launches one block for each tile.
  int64_t blocksPerMultiprocessor = 1;
};

struct KernelLaunchPlan {
  std::string moduleName;
  std::string kernelName;
  SmallVector<KernelParam> params;
  GridPlan grid;
  /// Sizes that the host refuses when they are 0, unless there are no rows: no
  /// tensor map describes them, or results would stay unwritten.
  SmallVector<SizeProduct> positiveSizes;
  int64_t threads = 0;
  int64_t sharedMemoryBytes = 0;
};

} // namespace mlir::coda

#endif // CODA_CONVERSION_CODATONVGPU_KERNELLAUNCHPLAN_H
