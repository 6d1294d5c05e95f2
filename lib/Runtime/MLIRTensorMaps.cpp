//===- MLIRTensorMaps.cpp - Tensor maps for MLIR --------------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Runtime/MLIREntryPoints.h"

#include "Device.h"
#include "Error.h"
#include "MLIRDevice.h"
#include "MemRef.h"

#include <cstring>

using namespace coda::runtime;

/// A request without dimensions.
static TensorMapRequest makeRequest(int elementType, int interleave,
                                    int swizzle, int l2Promotion, int oobFill) {
  TensorMapRequest request = {};
  request.map.element = static_cast<coda_rt_element_type>(elementType);
  request.map.swizzle = static_cast<coda_rt_swizzle>(swizzle);
  request.map.l2_promotion = static_cast<coda_rt_l2_promotion>(l2Promotion);
  request.map.oob_fill = static_cast<coda_rt_oob_fill>(oobFill);
  request.interleave = static_cast<uint32_t>(interleave);
  for (uint32_t &stride : request.elementStrides)
    stride = 1;
  return request;
}

static Status checkRank(int64_t rank) {
  if (rank >= 1 && rank <= CODA_RT_TENSOR_MAP_MAX_RANK)
    return CODA_RT_SUCCESS;
  return fail(CODA_RT_INVALID_ARGUMENT,
              "tensor map of rank %lld; expected 1 to %d",
              static_cast<long long>(rank), CODA_RT_TENSOR_MAP_MAX_RANK);
}

/// A number that is out of range stays so.
static uint32_t toBox(int64_t size) {
  return size < 0 || size > UINT32_MAX ? 0 : static_cast<uint32_t>(size);
}

//===----------------------------------------------------------------------===//
// From a memref
//===----------------------------------------------------------------------===//

/// Fills in dimensions, which a memref lists outermost first.
static Status addMemRef(const MemRef &memref, uint32_t rank, const int64_t *box,
                        TensorMapRequest &request) {
  coda_rt_tensor_map &map = request.map;
  int64_t elementBytes = getElementBytes(map.element);
  int64_t innermost = rank - 1;
  if (memref.getSize(innermost) != 1 && memref.getStride(innermost) != 1)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "the innermost dimension has a stride of %lld elements; "
                "expected 1",
                static_cast<long long>(memref.getStride(innermost)));
  map.rank = rank;
  map.address =
      reinterpret_cast<uintptr_t>(memref.getFirstElement(elementBytes));
  for (uint32_t dim = 0; dim < rank; ++dim) {
    map.dims[dim] = static_cast<uint64_t>(memref.getSize(innermost - dim));
    map.box[dim] = toBox(box[innermost - dim]);
    if (dim != 0)
      map.strides[dim - 1] = static_cast<uint64_t>(
          memref.getStride(innermost - dim) * elementBytes);
  }
  uint32_t interleave = request.interleave;
  request = makeTensorMapRequest(map);
  request.interleave = interleave;
  return CODA_RT_SUCCESS;
}

static Status encodeMemRef(int64_t rank, void *descriptor, const int64_t *box,
                           TensorMapRequest &request, Address &address) {
  if (Status status = checkRank(rank))
    return status;
  if (Status status = addMemRef(MemRef(rank, descriptor),
                                static_cast<uint32_t>(rank), box, request))
    return addContext(status, "tensor map");
  coda_rt_device *device = nullptr;
  if (Status status = getDefaultDevice(device))
    return status;
  if (Status status =
          device->tensorMaps.encodeOnDevice(*device, request, address))
    return addContext(status, "tensor map");
  return CODA_RT_SUCCESS;
}

void *mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor,
                                     int elementType, int interleave,
                                     int swizzle, int l2Promotion, int oobFill,
                                     int64_t *box) {
  TensorMapRequest request =
      makeRequest(elementType, interleave, swizzle, l2Promotion, oobFill);
  Address address = 0;
  Status status = encodeMemRef(rank, descriptor, box, request, address);
  return succeededOrReport(status, __func__) ? reinterpret_cast<void *>(address)
                                             : nullptr;
}

//===----------------------------------------------------------------------===//
// From plain numbers
//===----------------------------------------------------------------------===//

static Status encodePlain(const TensorMapRequest &request, void *tensorMap) {
  coda_rt_device *device = nullptr;
  if (Status status = getDefaultDevice(device))
    return status;
  EncodedTensorMap encoded;
  if (Status status = device->tensorMaps.encode(*device, request, encoded))
    return addContext(status, "tensor map");
  std::memcpy(tensorMap, encoded.bytes, sizeof(encoded.bytes));
  return CODA_RT_SUCCESS;
}

void mgpuTensorMapEncodeTiled(void *tensorMap, int elementType, uint32_t rank,
                              void *address, const uint64_t *dims,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *elementStrides, int interleave,
                              int swizzle, int l2Promotion, int oobFill) {
  if (!succeededOrReport(checkRank(rank), __func__))
    return;
  TensorMapRequest request =
      makeRequest(elementType, interleave, swizzle, l2Promotion, oobFill);
  coda_rt_tensor_map &map = request.map;
  map.rank = rank;
  map.address = reinterpret_cast<uintptr_t>(address);
  for (uint32_t dim = 0; dim < rank; ++dim) {
    map.dims[dim] = dims[dim];
    map.box[dim] = box[dim];
    request.elementStrides[dim] = elementStrides[dim];
    if (dim != 0)
      map.strides[dim - 1] = strides[dim - 1];
  }
  succeededOrReport(encodePlain(request, tensorMap), __func__);
}
