// SPDX-License-Identifier: MIT
/// \file
/// What bounds the throughput of a point, in one sentence.
#pragma once
#include <string>
#include <vector>

#include "cli/saturation.hpp"
#include "cli/what_if.hpp"
#include "training/metrics/measurement.hpp"

namespace paceline {

/// "compute-bound: 99.5 % of a step is arithmetic; the server is busy 4.15 % and saturates near 190
/// workers (...); PCIe twice as fast would add 0.30 %", without a full stop.
std::string verdict_of(const ExperimentPoint& point, const Measurement& predicted,
                       const std::vector<SharedResource>& busy, const Saturation& saturation,
                       const std::vector<WhatIf>& changes);

/// A share for people: "99.5 %".
std::string percent_of(double part, double whole);

}  // namespace paceline
