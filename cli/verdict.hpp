// SPDX-License-Identifier: MIT
/// \file
/// Names the bottleneck of a point's throughput in one sentence.
#pragma once
#include <string>
#include <vector>

#include "cli/saturation.hpp"
#include "cli/what_if.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// The sentence without a full stop: "compute-bound: 99.5 % of a step is arithmetic; the server is
/// busy 4.15 % and saturates near 190 workers (...); PCIe twice as fast would add 0.30 %".
std::string verdict_of(const ExperimentPoint& point, const Measurement& predicted,
                       const std::vector<SharedResource>& busy, const Saturation& saturation,
                       const std::vector<WhatIf>& changes);

/// A ratio in percent: "99.5 %".
std::string percent_of(double part, double whole);

}  // namespace paceline
