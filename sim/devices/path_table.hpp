// SPDX-License-Identifier: MIT
/// \file
/// The paths between pairs of ends: a table with open addressing, since a simulation of many
/// servers looks millions of pairs up in no order.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "training/runtime/stable_vector.hpp"

namespace paceline {

template <class Path>
class PathTable {
 public:
  /// The path of a pair, and whether it is a new one. References stay good.
  std::pair<Path&, bool> at(std::uint32_t from, std::uint32_t to) {
    if (3 * (paths_.size() + 1) > 2 * slots_.size()) grow();
    Slot& slot = slot_of(from, to);
    const bool fresh = slot.number == kNone;
    if (fresh) {
      slot = {from, to, static_cast<std::uint32_t>(paths_.size())};
      paths_.add();
    }
    return {paths_[slot.number], fresh};
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Slot {
    std::uint32_t from = 0, to = 0;
    std::uint32_t number = kNone;
  };
  /// The pair's slot, or the free one where it belongs.
  Slot& slot_of(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t mixed = (std::uint64_t{from} << 32 | to) * 0x9e3779b97f4a7c15;
    std::size_t place = static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    while (slots_[place].number != kNone && (slots_[place].from != from || slots_[place].to != to))
      place = (place + 1) & (slots_.size() - 1);
    return slots_[place];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) slot_of(slot.from, slot.to) = slot;
    }
  }

  std::vector<Slot> slots_;
  StableVector<Path> paths_{0};
};

}  // namespace paceline
