//===- Meetings.cpp - Where threads meet again after a branch -------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware's compiler lets threads that a branch parted meet at the
// branch's immediate post-dominator: the first operation that every way to the
// end passes. The algorithm is that of Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm", on the reversed graph.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include <algorithm>

using namespace coda::emulator;

namespace {

class PostDominators {
public:
  explicit PostDominators(const std::vector<Operation> &operations);

  /// None if no operation but the end itself comes after all ways.
  uint32_t getImmediate(uint32_t operation) const {
    uint32_t found = immediate[operation];
    return found == end ? Operation::none : found;
  }

private:
  template <typename Function>
  void forEachSuccessor(uint32_t at, Function &&function) const;
  void number();
  uint32_t intersect(uint32_t a, uint32_t b) const;

  const std::vector<Operation> &operations;
  const uint32_t end;
  std::vector<std::vector<uint32_t>> predecessors;
  /// From the last to the first: the end has the highest number.
  std::vector<uint32_t> postorder;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> immediate;
};

} // namespace

template <typename Function>
void PostDominators::forEachSuccessor(uint32_t at, Function &&function) const {
  const Operation &operation = operations[at];
  bool isConditional = operation.guard != Operation::none;
  if (operation.isBranch)
    function(static_cast<uint32_t>(operation.value));
  // Nobody waits for threads that end, and so the others of an exit that only
  // some take meet as if it were not there.
  if (operation.isExit && !isConditional)
    function(end);
  if (isConditional || (!operation.isBranch && !operation.isExit))
    function(at + 1);
}

void PostDominators::number() {
  // Depth first from the end; operations that never end have no number.
  std::vector<std::pair<uint32_t, size_t>> stack = {{end, 0}};
  std::vector<bool> visited(end + 1);
  visited[end] = true;
  while (!stack.empty()) {
    auto &[at, next] = stack.back();
    if (next == predecessors[at].size()) {
      numbers[at] = postorder.size();
      postorder.push_back(at);
      stack.pop_back();
      continue;
    }
    uint32_t predecessor = predecessors[at][next++];
    if (!visited[predecessor]) {
      visited[predecessor] = true;
      stack.push_back({predecessor, 0});
    }
  }
}

uint32_t PostDominators::intersect(uint32_t a, uint32_t b) const {
  while (a != b) {
    while (numbers[a] < numbers[b])
      a = immediate[a];
    while (numbers[b] < numbers[a])
      b = immediate[b];
  }
  return a;
}

PostDominators::PostDominators(const std::vector<Operation> &operations)
    : operations(operations), end(operations.size()), predecessors(end + 1),
      numbers(end + 1, Operation::none), immediate(end + 1, Operation::none) {
  for (uint32_t at = 0; at < end; ++at)
    forEachSuccessor(at, [&](uint32_t to) { predecessors[to].push_back(at); });
  number();
  immediate[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = std::next(postorder.rbegin()); it != postorder.rend();
         ++it) {
      uint32_t found = Operation::none;
      forEachSuccessor(*it, [&](uint32_t to) {
        if (immediate[to] != Operation::none)
          found = found == Operation::none ? to : intersect(to, found);
      });
      changed |= immediate[*it] != found;
      immediate[*it] = found;
    }
  }
  for (uint32_t at = 0; at < end; ++at)
    if (immediate[at] == Operation::none)
      immediate[at] = end;
}

void coda::emulator::findMeetings(std::vector<Operation> &operations) {
  PostDominators dominators(operations);
  for (uint32_t at = 0; at < operations.size(); ++at)
    if (operations[at].isBranch)
      operations[at].meeting = dominators.getImmediate(at);
}
