// SPDX-License-Identifier: MIT
/// \file
/// Where the times of a point's layers come from, as a word and as a sentence: what every table,
/// figure and report that shows a prediction says beside it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "experiments/value.hpp"
#include "training/cost/layer_cost.hpp"

namespace paceline {

/// The `layer_times:` key: what may set the times of a GPU's layers.
enum class LayerTimesRule {
  automatic,  ///< the experiment's own published row, else a profile, else a shipped row, else the
              ///< roofline
  roofline,   ///< the roofline, whatever else is known
};
std::span<const EnumName<LayerTimesRule>> enum_names(const LayerTimesRule*);

struct LayerTimes {
  enum class Source {
    none,        ///< no layer was timed: a setting without costs
    given,       ///< synthetic layers say it, or the machine is ideal
    measured,    ///< a profile of this computer
    published,   ///< the throughput of one worker that others measured
    efficiency,  ///< roofline estimate with the shares of the GPU's file
    roofline,    ///< roofline estimate at the GPU's peaks
  };
  Source source = Source::none;
  std::string sentence;  ///< "measured on this computer (profile of 2026-11-20)"; "" of none

  /// "measured"; "" of none.
  std::string word() const;
  /// Whether nothing was measured: the times are an estimate of unknown quality.
  bool estimated() const { return source == Source::efficiency || source == Source::roofline; }
};

/// How far off estimates are known to have been, as a clause.
std::string known_error_of_rooflines();

/// Of layers that no published row scales. `profile_date`: of the profile whose times they are.
LayerTimes source_of(const std::vector<LayerTime>& times, const std::string& profile_date);

}  // namespace paceline
