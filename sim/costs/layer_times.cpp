// SPDX-License-Identifier: MIT
#include "sim/costs/layer_times.hpp"

#include <algorithm>
#include <array>

namespace paceline {

std::string LayerTimes::word() const {
  switch (source) {
    case Source::none:
      return "";
    case Source::given:
      return "given";
    case Source::measured:
      return "measured";
    case Source::published:
      return "published";
    case Source::efficiency:
      return "efficiency";
    case Source::roofline:
      return "roofline";
  }
  return "";
}

std::string known_error_of_estimates() {
  return "on published rows that no constant was fitted on: median error 5 %, 95th percentile "
         "20 %";
}

LayerTimes source_of(const std::vector<LayerTime>& times, const std::string& profile_date) {
  Seconds estimated;
  Seconds bare;
  bool profiled = false;
  for (const LayerTime& time : times) {
    const Seconds both = time.forward + time.backward;
    profiled = profiled || time.source == CostSource::profile;
    if (time.source == CostSource::efficiency || time.source == CostSource::roofline) {
      estimated += both;
    }
    if (time.source == CostSource::roofline) bare += both;
  }
  if (profiled) {
    return {LayerTimes::Source::measured,
            "measured on this computer's GPU (profile of " + profile_date + ")"};
  }
  if (estimated == Seconds{}) return {LayerTimes::Source::given, "given by the experiment"};
  // A few layers without an efficiency do not make the GPU's file useless.
  constexpr double kMostly = 0.5;
  if (bare > estimated * kMostly) {
    return {LayerTimes::Source::roofline,
            "a lower bound at the GPU's peaks, not measured (its file has no efficiencies)"};
  }
  return {LayerTimes::Source::efficiency,
          "estimated with the efficiencies of the GPU's file, not measured (" +
              known_error_of_estimates() + ")"};
}

}  // namespace paceline
