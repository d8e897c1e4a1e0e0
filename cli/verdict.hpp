// SPDX-License-Identifier: MIT
/// \file
/// Names the bottleneck of a point's throughput in one sentence.
#pragma once
#include <string>
#include <vector>

#include "cli/saturation.hpp"
#include "cli/slow_workers.hpp"
#include "cli/step_parts.hpp"
#include "cli/what_if.hpp"

namespace paceline {

/// The figures of a worker's step that its bound depends on.
struct StepFigures {
  std::vector<StepPart> parts;
  std::vector<int> slow;  ///< workers that the others wait for
};

/// The sentence without a full stop: "compute-bound: 99.5 % of a step is arithmetic; the server is
/// busy 4.15 % and saturates near 190 workers (...); PCIe twice as fast would add 0.30 %".
std::string verdict_of(const ExperimentPoint& point, const StepFigures& step,
                       const std::vector<SharedResource>& busy, const Saturation& saturation,
                       const std::vector<WhatIf>& changes);

/// A ratio in percent: "99.5 %".
std::string percent_of(double part, double whole);

}  // namespace paceline
