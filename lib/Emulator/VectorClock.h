//===- VectorClock.h - What happened before, and who accessed what -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An agent is anything whose accesses happen in an order of its own: a warp,
// the wgmma of a warp, the reads and the writes of a warp's bulk stores, and
// the bulk loads that one mbarrier counts. A clock of an agent counts what it
// has handed over; a vector clock says how far each agent is known to have
// come.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_EMULATOR_VECTORCLOCK_H
#define CODA_LIB_EMULATOR_VECTORCLOCK_H

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace coda::emulator {

using Agent = uint8_t;
using Clock = uint32_t;

class VectorClock {
public:
  Clock get(Agent agent) const {
    return agent < clocks.size() ? clocks[agent] : 0;
  }
  void set(Agent agent, Clock clock) {
    if (agent >= clocks.size())
      clocks.resize(agent + 1);
    clocks[agent] = std::max(clocks[agent], clock);
  }
  void join(const VectorClock &other) {
    if (other.clocks.size() > clocks.size())
      clocks.resize(other.clocks.size());
    for (size_t agent = 0, e = other.clocks.size(); agent < e; ++agent)
      clocks[agent] = std::max(clocks[agent], other.clocks[agent]);
  }

private:
  llvm::SmallVector<Clock, 64> clocks;
};

/// What one thread, and so what it starts, may rely on.
struct Knowledge {
  /// What the generic proxy sees.
  VectorClock generic;
  /// What the async proxy sees: without writes of the generic proxy that no
  /// fence.proxy.async has passed on.
  VectorClock async;
  /// Initialised mbarriers that the async proxy sees.
  VectorClock barriers;

  void join(const Knowledge &other) {
    generic.join(other.generic);
    async.join(other.async);
    barriers.join(other.barriers);
  }
  /// Something finished that both proxies see, such as a bulk copy.
  void learn(Agent agent, Clock clock) {
    generic.set(agent, clock);
    async.set(agent, clock);
    barriers.set(agent, clock);
  }
};

/// What is known of other blocks of the launch, by their serial numbers.
class GridKnowledge {
public:
  bool sees(uint32_t block, Agent agent, Clock clock) const {
    auto found = blocks.find(block);
    return found != blocks.end() && clock <= found->second.get(agent);
  }
  void join(uint32_t block, const VectorClock &clock) {
    blocks[block].join(clock);
  }
  void join(const GridKnowledge &other) {
    for (const auto &[block, clock] : other.blocks)
      blocks[block].join(clock);
  }

private:
  std::map<uint32_t, VectorClock> blocks;
};

/// Who accesses memory, for the checks.
struct Accessor {
  static constexpr uint8_t wholeWarp = 0xff;

  Agent agent;
  Clock clock;
  /// Lane of a generic access by a single thread; collective instructions and
  /// asynchronous ones have none.
  uint8_t lane = wholeWarp;
  bool isAsync = false;
  /// Collective instructions of the warp so far: they order its lanes.
  uint32_t epoch = 0;
  unsigned line = 0;
  const Knowledge *knowledge;

  bool sees(Agent other, Clock time) const {
    return time <= (isAsync ? knowledge->async : knowledge->generic).get(other);
  }
  bool comesAfter(Agent other, Clock time) const {
    return time <= knowledge->generic.get(other);
  }
};

} // namespace coda::emulator

#endif // CODA_LIB_EMULATOR_VECTORCLOCK_H
