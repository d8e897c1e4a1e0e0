// SPDX-License-Identifier: MIT
/// \file
/// Predicts a point: runs its strategy on the simulated clock, once for every repeat.
#pragma once
#include "training/setting.hpp"

namespace paceline {

/// The prediction. Throws std::runtime_error when the strategy cannot end.
Measurement simulate(const Setting& setting, bool keep_steps = false);

/// One repeat; `recorder` has the details.
void simulate_once(const Setting& setting, std::uint32_t repeat, Recorder& recorder);

}  // namespace paceline
