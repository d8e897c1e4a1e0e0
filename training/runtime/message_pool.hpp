// SPDX-License-Identifier: MIT
/// \file
/// Messages that are not yet delivered, each under a number that an operation or an event carries.
#pragma once
#include <cstdint>
#include <vector>

#include "training/runtime/message.hpp"

namespace paceline {

class MessagePool {
 public:
  struct alignas(64) Entry {
    RoleId to = 0;
    Message message;
    WorkId work{};  ///< that it is sent with, if any
  };

  /// \param at_once messages that mostly are under way together
  explicit MessagePool(std::size_t at_once = 0) { entries_.reserve(at_once); }

  std::uint32_t add(const Entry& entry) {
    const std::uint32_t number = reserve();
    entries_[number] = entry;
    return number;
  }
  /// A number for an entry that is still to be filled.
  std::uint32_t reserve() {
    if (free_.empty()) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  /// The entry of a number that is free from now on: good until the next one is added.
  Entry& take(std::uint32_t number) {
    free_.push_back(number);
    return entries_[number];
  }
  Entry& operator[](std::uint32_t number) { return entries_[number]; }
  const Entry& operator[](std::uint32_t number) const { return entries_[number]; }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace paceline
