// SPDX-License-Identifier: MIT
/// \file
/// Lists of events in no order. Their memory is blocks of a few events that all lists share, so
/// that they take little more than their events do, however these move from list to list.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "sim/engine/event.hpp"
#include "training/runtime/stable_vector.hpp"

namespace paceline {

class EventLists {
 public:
  /// A list: the number of its newest block.
  using List = std::uint32_t;
  static constexpr List kEmpty = std::numeric_limits<List>::max();

  void add(List& list, const Event& event) {
    if (list == kEmpty || blocks_[list].size == kOfBlock) list = block_before(list);
    Block& block = blocks_[list];
    block.events[block.size++] = event;
  }
  /// Calls `visit` with each event of the list, which is empty then. It may add to other lists.
  template <class Visit>
  void take(List& list, const Visit& visit) {
    while (list != kEmpty) {
      Block& block = blocks_[list];
      for (std::uint32_t i = 0; i < block.size; ++i) visit(block.events[i]);
      const List older = std::exchange(block.older, free_);
      free_ = std::exchange(list, older);
    }
  }
  template <class Visit>
  void for_each(List list, const Visit& visit) const {
    for (; list != kEmpty; list = blocks_[list].older) {
      for (std::uint32_t i = 0; i < blocks_[list].size; ++i) visit(blocks_[list].events[i]);
    }
  }

 private:
  static constexpr std::size_t kOfBlock = 21;  ///< a block has 512 bytes
  struct alignas(64) Block {
    std::array<Event, kOfBlock> events;
    std::uint32_t size = 0;
    List older = kEmpty;
  };

  /// A block without events, of a list that goes on with `older`.
  List block_before(List older) {
    List block = free_;
    if (block == kEmpty) {
      block = static_cast<List>(blocks_.size());
      blocks_.add();
    } else {
      free_ = blocks_[block].older;
    }
    blocks_[block].size = 0;
    blocks_[block].older = older;
    return block;
  }

  StableVector<Block> blocks_{0};
  List free_ = kEmpty;  ///< blocks of no list
};

}  // namespace paceline
