//===- OperandView.h - Operands as the hardware sees them -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel knows three coordinates: the row, the column and the contract index,
// each counting all dims of its kind as one. A memref operand becomes either a
// tensor map over these coordinates and its members, or strides for ordinary
// accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATONVGPU_OPERANDVIEW_H
#define CODA_LIB_CONVERSION_CODATONVGPU_OPERANDVIEW_H

#include "coda/Conversion/CodaToNVGPU/KernelLaunchPlan.h"
#include "coda/IR/Coda.h"

#include <string>
#include <variant>

namespace mlir::coda {

/// An operand as a tensor map: [inner, outer, members...], innermost first.
struct TensorMapView {
  TensorMapParam param;
  /// The dims of the op that the dimensions after the first two stand for.
  SmallVector<unsigned> members;
};

/// The dims of one kind, in domain order, as neighbouring dimensions of a
/// memref that can be taken as one; or why not, in words.
std::variant<TensorMapDim, std::string>
collapseDims(EpilogueOpInterface op, OpOperand &operand, DimKind kind);

/// A tensor map whose box is `innerBox` x `outerBox` of one member, or why
/// there is none. Only 16-bit elements are described.
std::variant<TensorMapView, std::string>
getTensorMapView(EpilogueOpInterface op, OpOperand &operand, DimKind inner,
                 DimKind outer, int64_t innerBox, int64_t outerBox);

/// The sizes of all dims of a kind, in terms of the operands that have them.
SizeProduct getKindSize(EpilogueOpInterface op, DimKind kind);
/// Their product when static.
std::optional<int64_t> getStaticKindSize(EpilogueOpInterface op, DimKind kind);

/// The stride of a dimension of a memref in elements, when static.
std::optional<int64_t> getStaticStride(MemRefType type, unsigned dim);

} // namespace mlir::coda

#endif // CODA_LIB_CONVERSION_CODATONVGPU_OPERANDVIEW_H
