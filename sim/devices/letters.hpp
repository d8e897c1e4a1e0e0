// SPDX-License-Identifier: MIT
/// \file
/// Messages between processes while they are on their way, each under a number that an event can
/// carry.
#pragma once
#include <cstdint>
#include <vector>

#include "training/roles/command.hpp"

namespace paceline {

struct Letter {
  RoleId to = 0;
  Message message;
};

class Letters {
 public:
  std::uint32_t keep(const Letter& letter) {
    if (free_.empty()) {
      letters_.push_back(letter);
      return static_cast<std::uint32_t>(letters_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    letters_[number] = letter;
    return number;
  }
  Letter take(std::uint32_t number) {
    free_.push_back(number);
    return letters_[number];
  }

 private:
  std::vector<Letter> letters_;
  std::vector<std::uint32_t> free_;
};

}  // namespace paceline
