// SPDX-License-Identifier: MIT
/// \file
/// Calibration as a list of things to measure, so that whoever runs them can show how far they are.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "experiments/units.hpp"

namespace paceline {

/// How much time a calibration may take.
enum class Effort {
  quick,    ///< fewer sizes, fewer repeats: about 20 seconds on any computer
  thorough  ///< under two minutes
};

/// Sizes of messages, smallest first: 1 KiB to 256 MiB in powers of 4, or in powers of 16 up to 64
/// MiB where it must be quick; none above `most`, and at least one.
std::vector<Bytes> probed_sizes(Effort effort, Bytes most);

/// Something to measure. It writes what it finds where it was told when it was made.
struct CalibrationStep {
  std::string what;                  ///< "copies between threads"
  std::function<std::string()> run;  ///< "" or, in a line, why it could not be measured
};

}  // namespace paceline
