// SPDX-License-Identifier: MIT
/// \file
/// Runs a repeat on `machine: ideal` without an event for each operation (ideal_machine.hpp).
#pragma once
#include <cstdint>

#include "sim/costs/prediction.hpp"
#include "training/results/metrics/recorder.hpp"

namespace paceline {

/// Runs repeat number `repeat` and records it. False, and nothing is recorded, where it needs
/// events. Servers that are equal are one.
bool run_on_ideal(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder);

}  // namespace paceline
