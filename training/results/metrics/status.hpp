// SPDX-License-Identifier: MIT
/// \file
/// The status of a run, as `results.csv` has it.
#pragma once
#include <string>

namespace paceline {

/// Whether training ended because a loss was NaN or infinite, and not only above its bound.
inline bool ended_without_a_finite_loss(const std::string& status) {
  return status.starts_with("diverged") && (status.ends_with("nan)") || status.ends_with("inf)"));
}

}  // namespace paceline
