//===- TensorMaps.h - Checked, encoded and cached tensor maps ---*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_TENSORMAPS_H
#define CODA_LIB_RUNTIME_TENSORMAPS_H

#include "coda/Runtime/Driver.h"

#include <atomic>
#include <shared_mutex>
#include <unordered_map>

namespace coda::runtime {

struct alignas(64) EncodedTensorMap {
  unsigned char bytes[CODA_RT_TENSOR_MAP_BYTES];
};

/// Bytes of one element; 0 for a number that is no element type.
unsigned getElementBytes(coda_rt_element_type type);

/// The request for a map, in the one form that stands for all equal maps: what
/// has no meaning is zero, or legal where the driver looks at it.
TensorMapRequest makeTensorMapRequest(const coda_rt_tensor_map &map);

/// Refuses what the hardware cannot do, with what was found and expected.
Status checkTensorMap(const TensorMapRequest &request);

/// Tensor maps of one device. An encoded map depends on nothing but the
/// request, so that entries never go stale, even when memory is freed and given
/// out again.
class TensorMapCache {
public:
  /// Checks and encodes, or copies what was encoded before, which does not
  /// allocate.
  Status encode(coda_rt_device &device, const TensorMapRequest &request,
                EncodedTensorMap &encoded);
  /// The address of an encoded map in device memory that is never freed.
  Status encodeOnDevice(coda_rt_device &device, const TensorMapRequest &request,
                        Address &address);
  void purge();
  void getStatistics(uint64_t &maps, uint64_t &hits);

private:
  struct Hash {
    size_t operator()(const TensorMapRequest &request) const;
  };
  struct Equal {
    bool operator()(const TensorMapRequest &a, const TensorMapRequest &b) const;
  };
  template <typename Value>
  using Map = std::unordered_map<TensorMapRequest, Value, Hash, Equal>;

  /// Who allocates its tensors anew for each step fills the cache with maps
  /// that are not asked for again. It starts over then; those in use come back
  /// at the cost of one encoding each.
  static constexpr size_t capacity = 4096;

  std::shared_mutex mutex;
  Map<EncodedTensorMap> maps;
  Map<Address> mapsOnDevice;
  std::atomic<uint64_t> hits{0};
};

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_TENSORMAPS_H
