// SPDX-License-Identifier: MIT
/// \file
/// The error of a run that reaches the end of the simulated clock. Times saturate there
/// (instant.hpp), so every way of computing them needs to check only its last ones.
#pragma once
#include <stdexcept>
#include <string>

#include "training/runtime/instant.hpp"

namespace paceline {

/// The message; `event` is the first event beyond the clock, such as "update 5 is made".
inline std::string why_clock_ends(const std::string& event) {
  return "the simulated clock ends after 106.7 days, before " + event +
         " (simulate fewer steps or shorter times)";
}

class ClockEnd : public std::runtime_error {
 public:
  explicit ClockEnd(const std::string& event) : std::runtime_error(why_clock_ends(event)) {}
};

}  // namespace paceline
