//===- MemRef.h - MLIR's memref descriptor ----------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_MEMREF_H
#define CODA_LIB_RUNTIME_MEMREF_H

#include <cstdint>

namespace coda::runtime {

/// A ranked descriptor in memory: allocated pointer, aligned pointer, offset,
/// then as many sizes and strides as the rank says, in elements.
class MemRef {
public:
  MemRef(int64_t rank, const void *descriptor)
      : rank(rank), header(static_cast<const Header *>(descriptor)) {}

  int64_t getSize(int64_t dim) const { return getNumbers()[dim]; }
  int64_t getStride(int64_t dim) const { return getNumbers()[rank + dim]; }

  void *getFirstElement(int64_t elementBytes) const {
    return header->aligned + header->offset * elementBytes;
  }

  int64_t getNumElements() const {
    int64_t count = 1;
    for (int64_t dim = 0; dim < rank; ++dim)
      count *= getSize(dim);
    return count;
  }

  /// Row-major and without gaps. The strides of dimensions of size 1 mean
  /// nothing, and so do all of them in an empty memref.
  bool isDense() const {
    int64_t expected = 1;
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      if (getSize(dim) != 1 && getStride(dim) != expected)
        return getNumElements() == 0;
      expected *= getSize(dim);
    }
    return true;
  }

private:
  struct Header {
    char *allocated;
    char *aligned;
    int64_t offset;
  };

  const int64_t *getNumbers() const {
    return reinterpret_cast<const int64_t *>(header + 1);
  }

  int64_t rank;
  const Header *header;
};

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_MEMREF_H
