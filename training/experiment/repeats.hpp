// SPDX-License-Identifier: MIT
/// \file
/// Runs the repeats of a point on any clock and joins them into one measurement.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "training/experiment/setting.hpp"

namespace paceline {

/// Runs one repeat: reports to the recorder and returns the held-out curve if the point trains.
/// Sets `status` if the repeat ended early.
using RunOnce =
    std::function<std::vector<CurvePoint>(std::uint32_t repeat, Recorder&, std::string& status)>;

/// Runs every repeat of a point and joins them.
Measurement measure_repeats(const Setting& setting, bool keep_steps, const RunOnce& run_once);

/// The loss and accuracy at which the target of training is reached.
Target target_of(const Train& train);

}  // namespace paceline
