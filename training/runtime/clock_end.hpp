// SPDX-License-Identifier: MIT
/// \file
/// The error of a run that reaches the end of the simulated clock, whichever way worked its times
/// out: times saturate there (instant.hpp), so that each way has to look at its last times alone.
#pragma once
#include <stdexcept>
#include <string>

#include "training/runtime/instant.hpp"

namespace paceline {

class ClockEnd : public std::runtime_error {
 public:
  /// \param what what the clock would have to count
  explicit ClockEnd(const std::string& what)
      : std::runtime_error("the simulated clock ends after 106.7 days, before " + what +
                           " (simulate fewer steps or shorter times)") {}
};

}  // namespace paceline
