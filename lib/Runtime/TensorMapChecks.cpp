//===- TensorMapChecks.cpp - What the hardware can describe ---------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "TensorMaps.h"

#include <cinttypes>

using namespace coda::runtime;

static constexpr uint64_t maxDim = uint64_t(1) << 32;
static constexpr uint64_t maxStride = uint64_t(1) << 40;
static constexpr uint32_t maxBox = 256;
static constexpr uint32_t maxElementStride = 8;

unsigned coda::runtime::getElementBytes(coda_rt_element_type type) {
  switch (type) {
  case CODA_RT_U8:
    return 1;
  case CODA_RT_U16:
  case CODA_RT_F16:
  case CODA_RT_BF16:
    return 2;
  case CODA_RT_U32:
  case CODA_RT_S32:
  case CODA_RT_F32:
  case CODA_RT_F32_FTZ:
  case CODA_RT_TF32:
  case CODA_RT_TF32_FTZ:
    return 4;
  case CODA_RT_U64:
  case CODA_RT_S64:
  case CODA_RT_F64:
    return 8;
  }
  return 0;
}

TensorMapRequest
coda::runtime::makeTensorMapRequest(const coda_rt_tensor_map &map) {
  TensorMapRequest request = {};
  coda_rt_tensor_map &to = request.map;
  to.address = map.address;
  to.rank = map.rank;
  to.element = map.element;
  to.swizzle = map.swizzle;
  to.l2_promotion = map.l2_promotion;
  to.oob_fill = map.oob_fill;
  for (uint32_t &stride : request.elementStrides)
    stride = 1;
  if (map.rank > CODA_RT_TENSOR_MAP_MAX_RANK)
    return request;
  for (uint32_t dim = 0; dim < map.rank; ++dim) {
    to.dims[dim] = map.dims[dim];
    to.box[dim] = map.box[dim];
  }
  // Nothing is ever read at index 1 of a dimension of size 1, so its stride may
  // be anything; the driver wants to see a legal one.
  uint64_t rowBytes = map.dims[0] * getElementBytes(map.element);
  for (uint32_t dim = 1; dim < map.rank; ++dim)
    to.strides[dim - 1] =
        map.dims[dim] == 1 ? (rowBytes + 15) / 16 * 16 : map.strides[dim - 1];
  return request;
}

static Status checkEnums(const coda_rt_tensor_map &map) {
  if (!getElementBytes(map.element))
    return fail(CODA_RT_INVALID_ARGUMENT,
                "element type %d; expected one of coda_rt_element_type",
                map.element);
  if (static_cast<unsigned>(map.swizzle) > CODA_RT_SWIZZLE_128B)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "swizzle %d; expected one of coda_rt_swizzle", map.swizzle);
  if (static_cast<unsigned>(map.l2_promotion) > CODA_RT_L2_256B)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "L2 promotion %d; expected one of coda_rt_l2_promotion",
                map.l2_promotion);
  if (static_cast<unsigned>(map.oob_fill) > CODA_RT_OOB_NAN)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "out-of-bounds fill %d; expected one of coda_rt_oob_fill",
                map.oob_fill);
  return CODA_RT_SUCCESS;
}

/// Addresses and strides are multiples of this.
static uint64_t getAlignment(const TensorMapRequest &request) {
  return request.interleave == 2 ? 32 : 16;
}

static Status checkDim(const TensorMapRequest &request, uint32_t dim) {
  const coda_rt_tensor_map &map = request.map;
  if (map.dims[dim] < 1 || map.dims[dim] > maxDim)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "dimension %u has size %" PRIu64 "; expected 1 to %" PRIu64,
                dim, map.dims[dim], maxDim);
  if (map.box[dim] < 1 || map.box[dim] > maxBox)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "dimension %u has a box of %u elements; expected 1 to %u", dim,
                map.box[dim], maxBox);
  uint32_t elementStride = request.elementStrides[dim];
  if (elementStride < 1 || elementStride > maxElementStride)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "dimension %u has an element stride of %u; expected 1 to %u",
                dim, elementStride, maxElementStride);
  if (dim == 0)
    return CODA_RT_SUCCESS;
  uint64_t stride = map.strides[dim - 1];
  if (stride % getAlignment(request) != 0)
    return fail(CODA_RT_MISALIGNED,
                "dimension %u has a stride of %" PRIu64
                " bytes; expected a multiple of %" PRIu64,
                dim, stride, getAlignment(request));
  if (stride >= maxStride)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "dimension %u has a stride of %" PRIu64
                " bytes; expected less than %" PRIu64,
                dim, stride, maxStride);
  return CODA_RT_SUCCESS;
}

static Status checkInnerBox(const coda_rt_tensor_map &map) {
  unsigned bytes = map.box[0] * getElementBytes(map.element);
  if (bytes % 16 != 0)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "the innermost box has %u bytes; expected a multiple of 16",
                bytes);
  if (map.swizzle == CODA_RT_SWIZZLE_NONE)
    return CODA_RT_SUCCESS;
  unsigned span = 16u << static_cast<unsigned>(map.swizzle);
  if (bytes > span)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "the innermost box has %u bytes; expected at most the span of "
                "the swizzle, %u",
                bytes, span);
  return CODA_RT_SUCCESS;
}

Status coda::runtime::checkTensorMap(const TensorMapRequest &request) {
  const coda_rt_tensor_map &map = request.map;
  if (map.rank < 1 || map.rank > CODA_RT_TENSOR_MAP_MAX_RANK)
    return fail(CODA_RT_INVALID_ARGUMENT, "rank %u; expected 1 to %d", map.rank,
                CODA_RT_TENSOR_MAP_MAX_RANK);
  if (Status status = checkEnums(map))
    return status;
  if (map.address % getAlignment(request) != 0)
    return fail(CODA_RT_MISALIGNED,
                "address 0x%" PRIx64 "; expected a multiple of %" PRIu64,
                map.address, getAlignment(request));
  if (map.address == 0)
    return fail(CODA_RT_INVALID_ARGUMENT,
                "address 0; expected an address in device memory");
  for (uint32_t dim = 0; dim < map.rank; ++dim)
    if (Status status = checkDim(request, dim))
      return status;
  // Interleaved layouts have an innermost box of their own kind, which the
  // driver checks.
  return request.interleave == 0 ? checkInnerBox(map) : CODA_RT_SUCCESS;
}
