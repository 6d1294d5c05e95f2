//===- LaneFunction.h - Handlers from functions of one lane -----*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_LANEFUNCTION_H
#define CODA_LIB_EMULATOR_LANEFUNCTION_H

#include "Decoder.h"
#include "Warp.h"

#include "llvm/ADT/bit.h"

#include <tuple>
#include <utility>

namespace coda::emulator {

/// The values that a slot has in the lanes, as values of a type.
template <typename T> class Lanes {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  using Narrow = std::conditional_t<
      sizeof(T) == 8, uint64_t,
      std::conditional_t<
          sizeof(T) == 4, uint32_t,
          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

public:
  static constexpr RegisterFile file =
      sizeof(T) == 8 ? RegisterFile::B64 : RegisterFile::B32;

  Lanes(Warp &warp, uint32_t slot) {
    if constexpr (sizeof(T) == 8)
      bits = warp.slots64(slot);
    else
      bits = warp.slots32(slot);
  }
  T get(unsigned lane) const {
    return llvm::bit_cast<T>(static_cast<Narrow>(bits[lane]));
  }
  void set(unsigned lane, T value) {
    bits[lane] = llvm::bit_cast<Narrow>(value);
  }

private:
  Bits *bits;
};

template <> class Lanes<bool> {
public:
  static constexpr RegisterFile file = RegisterFile::Predicate;

  Lanes(Warp &warp, uint32_t slot) : mask(warp.predicate(slot)) {}
  bool get(unsigned lane) const { return mask >> lane & 1; }
  void set(unsigned lane, bool value) {
    mask = (mask & ~(1u << lane)) | uint32_t(value) << lane;
  }

private:
  uint32_t &mask;
};

/// Applies `function` to slots 1, 2 ... of every lane, and puts the result into
/// slot 0.
template <auto function> struct LaneFunction;
template <typename R, typename... Args, R (*function)(Args...)>
struct LaneFunction<function> {
  template <size_t... at>
  static void apply(Warp &warp, const Operation &operation, uint32_t mask,
                    std::index_sequence<at...>) {
    std::tuple<Lanes<Args>...> sources(
        Lanes<Args>(warp, operation.slots[1 + at])...);
    Lanes<R> result(warp, operation.slots[0]);
    if (mask == ~0u) {
      for (unsigned lane = 0; lane < Warp::lanes; ++lane)
        result.set(lane, function(std::get<at>(sources).get(lane)...));
      return;
    }
    for (; mask; mask &= mask - 1) {
      unsigned lane = llvm::countr_zero(mask);
      result.set(lane, function(std::get<at>(sources).get(lane)...));
    }
  }

  static void run(Warp &warp, const Operation &operation, uint32_t mask) {
    apply(warp, operation, mask, std::index_sequence_for<Args...>());
  }

  static LaneOpcode getOpcode() {
    return {run, Lanes<R>::file, {Lanes<Args>::file...}};
  }
};

template <auto function> LaneOpcode makeOpcode() {
  return LaneFunction<function>::getOpcode();
}

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_LANEFUNCTION_H
