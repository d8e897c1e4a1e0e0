// SPDX-License-Identifier: MIT
/// \file
/// A made-up profile of this computer's host, for tests that do not measure.
#pragma once
#include "cli/version.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// A calibration that takes no time; the times of a network are measured on demand.
inline Profile made_up_profile() {
  Profile profile;
  profile.measured = "never";
  profile.version = version();
  profile.host.cpu_model = "made up";
  profile.host.cores = 2;
  profile.host.copy_bandwidth = BytesPerSecond{5e9};
  profile.host.memory_bandwidth = BytesPerSecond{1e10};
  profile.host.copy_latency = Seconds{5e-6};
  profile.host.decision_latency = Seconds{5e-6};
  profile.host.timer_error = Seconds{5e-5};
  profile.host.operation_handling = Seconds{2e-6};
  return profile;
}

}  // namespace paceline
