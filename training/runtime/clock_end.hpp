// SPDX-License-Identifier: MIT
/// \file
/// The error of a run that reaches the end of the simulated clock, whichever way worked its times
/// out: times saturate there (instant.hpp), so that each way has to look at its last times alone.
#pragma once
#include <stdexcept>
#include <string>

#include "training/runtime/instant.hpp"

namespace paceline {

/// \param what what the clock would have to count
inline std::string why_clock_ends(const std::string& what) {
  return "the simulated clock ends after 106.7 days, before " + what +
         " (simulate fewer steps or shorter times)";
}

class ClockEnd : public std::runtime_error {
 public:
  explicit ClockEnd(const std::string& what) : std::runtime_error(why_clock_ends(what)) {}
};

}  // namespace paceline
