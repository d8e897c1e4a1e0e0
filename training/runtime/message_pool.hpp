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
  struct Entry {
    RoleId to = 0;
    Message message;
  };

  std::uint32_t add(const Entry& entry) {
    if (free_.empty()) {
      entries_.push_back(entry);
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    entries_[number] = entry;
    return number;
  }
  Entry take(std::uint32_t number) {
    free_.push_back(number);
    return entries_[number];
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace paceline
