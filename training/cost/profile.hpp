// SPDX-License-Identifier: MIT
/// \file
/// Measured times of a network's layers on one GPU, as calibrate writes them and the cost model
/// prefers them to anything computed.
#pragma once
#include <map>
#include <string>

#include "experiments/description.hpp"
#include "models/network.hpp"
#include "training/cost/precision.hpp"

namespace paceline {

/// One layer's measured times, for a whole mini-batch.
struct ProfiledLayer {
  Seconds forward, backward;
  static void describe(Description<ProfiledLayer>& d);
};

/// A network's layers by name. Layers that are not named were not measured, or not by themselves.
struct Profile {
  std::string model;  ///< Network::name
  std::string gpu;    ///< GpuSpec::name
  int batch = 0;
  Precision precision = Precision::fp32;
  std::map<std::string, ProfiledLayer> layers;

  /// Whether this was measured of just that: a profile says nothing of another batch or precision.
  bool is_of(const Network& network, int items, Precision arithmetic, const GpuSpec& on) const;
  static void describe(Description<Profile>& d);
};

}  // namespace paceline
