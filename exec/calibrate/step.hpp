// SPDX-License-Identifier: MIT
/// \file
/// Calibration as a list of steps, so that the caller can show progress.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "experiments/language/units.hpp"

namespace paceline {

/// The time that a calibration may take.
enum class Effort {
  quick,    ///< fewer sizes, fewer repeats: about 20 seconds on any computer
  thorough  ///< under two minutes
};

/// Message sizes in ascending order: 1 KiB to 256 MiB in powers of 4, or with Effort::quick 1 KiB
/// to 64 MiB in powers of 16. None is above `most`; there is at least one.
std::vector<Bytes> probed_sizes(Effort effort, Bytes most);

/// One measurement. It writes its results to the profile that it was made for.
struct CalibrationStep {
  std::string what;                  ///< "copies between threads"
  std::function<std::string()> run;  ///< "", or the reason for the failure in one line
};

}  // namespace paceline
