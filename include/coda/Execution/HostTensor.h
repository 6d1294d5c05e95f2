//===- HostTensor.h - Buffers and signatures of compiled functions -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_EXECUTION_HOSTTENSOR_H
#define CODA_EXECUTION_HOSTTENSOR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mlir::coda {

/// What a buffer holds. An `I1` takes one byte, 0 or 1; an `Index` 8 bytes.
enum class ElementKind {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  BF16,
  F16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2
};

/// The kind for a scalar type, or nothing if buffers cannot hold it. Signless,
/// signed and unsigned integers share a kind.
std::optional<ElementKind> getElementKind(Type type);
/// Bytes of one element.
unsigned getElementSize(ElementKind kind);
/// As the type is written in MLIR: "bf16", "i64", "index".
llvm::StringRef getElementName(ElementKind kind);
bool isFloat(ElementKind kind);

/// Type of an argument or a result: a scalar, or a ranked tensor or memref
/// whose sizes may be ShapedType::kDynamic.
struct HostType {
  ElementKind element = ElementKind::F32;
  bool isScalar = false;
  /// A memref: the function may write to it.
  bool isBuffer = false;
  llvm::SmallVector<int64_t> shape;

  /// As MLIR writes it, "tensor<?x256xbf16>" or "f32".
  std::string str() const;
};

/// A strided buffer in host memory. A scalar has no shape and one element.
class HostTensor {
public:
  HostTensor() = default;

  /// A new row-major buffer of zeros; an error if there is no memory for it.
  static llvm::Expected<HostTensor> allocate(ElementKind element,
                                             llvm::ArrayRef<int64_t> shape);
  /// A view of memory that somebody else keeps alive; strides in elements,
  /// row-major if not given.
  static HostTensor borrow(ElementKind element, llvm::ArrayRef<int64_t> shape,
                           void *data, llvm::ArrayRef<int64_t> strides = {});
  /// The same, keeping `owner` alive with the tensor.
  static HostTensor share(ElementKind element, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> strides, void *data,
                          std::shared_ptr<void> owner);

  ElementKind getElement() const { return element; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  void *getData() const { return data; }
  int64_t getNumElements() const;
  bool isRowMajor() const;

  /// A row-major copy; floats become f64 when `widen` is set. This is how
  /// arguments of a program reach its f64 reference.
  llvm::Expected<HostTensor> copy(bool widen = false) const;
  /// One element as f64, by row-major position; floats only.
  double getFloat(int64_t position) const;

private:
  ElementKind element = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;
  void *data = nullptr;
  std::shared_ptr<void> owner;
};

/// Arguments and results of a function as its source declares them.
struct HostSignature {
  std::string name;
  /// Why the function cannot be called; empty if it can. Arguments and results
  /// are then incomplete.
  std::string problem;
  llvm::SmallVector<HostType> arguments;
  llvm::SmallVector<HostType> results;
};

} // namespace mlir::coda

#endif // CODA_EXECUTION_HOSTTENSOR_H
