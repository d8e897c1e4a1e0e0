// SPDX-License-Identifier: MIT
/// \file
/// One attempt to evaluate a point by one source; a failure becomes the measurement's status.
#pragma once
#include <functional>
#include <string>

#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// The measurement of a source, or the reason for its failure.
Measurement attempt(const std::function<Measurement()>& measure);

/// Returns the measurement if its figures are consistent; otherwise throws std::runtime_error.
Measurement checked(Measurement measurement, double rounding);

/// A point that this source cannot evaluate.
Measurement skipped(const std::string& why);

/// True if the measurement has no figures of a finished run.
bool failed(const Measurement& measurement);

}  // namespace paceline
