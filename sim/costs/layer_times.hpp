// SPDX-License-Identifier: MIT
/// \file
/// The source of the times of a point's layers, as a word and as a sentence. Every table, figure
/// and report that shows a prediction states it.
#pragma once
#include <string>
#include <vector>

#include "sim/costs/layer_cost.hpp"

namespace paceline {

struct LayerTimes {
  enum class Source {
    none,        ///< no layer was timed: a setting without costs
    given,       ///< by synthetic layers, or an ideal machine
    measured,    ///< in a profile of this computer
    published,   ///< the published throughput of one worker
    efficiency,  ///< estimate with the efficiencies of the GPU's file
    roofline,    ///< lower bound at the GPU's peaks
  };
  Source source = Source::none;
  std::string sentence;  ///< "measured on this computer (profile of 2026-11-20)"; "" for none

  /// "measured"; "" for none.
  std::string word() const;
  /// Whether the times are estimates of unknown quality, without any measurement.
  bool estimated() const { return source == Source::efficiency || source == Source::roofline; }
};

/// The known errors of such estimates, as a clause.
std::string known_error_of_estimates();

/// The source of `times` that no published row scales. `profile_date`: the date of their profile.
LayerTimes source_of(const std::vector<LayerTime>& times, const std::string& profile_date);

}  // namespace paceline
