// SPDX-License-Identifier: MIT
/// \file
/// Predicts a point: runs its strategy on the simulated clock, once for every repeat.
#pragma once
#include "training/learning/trainer.hpp"
#include "training/setting.hpp"

namespace paceline {

/// The prediction. Throws std::runtime_error when the strategy cannot end.
Measurement simulate(const Setting& setting, bool keep_steps = false);

/// The setting with its arithmetic scaled so that the simulated one-worker step, communication
/// included, takes what was published for one worker; unchanged where nothing was.
Setting matched_to_published(const Setting& setting);

/// One repeat, of which only the times matter; `recorder` has the details.
void simulate_once(const Setting& setting, std::uint32_t repeat, Recorder& recorder);

/// One repeat that trains: every gradient is computed on the weights of the version that its worker
/// holds at that time. Returns the held-out curve; `status` says when training diverged.
std::vector<CurvePoint> simulate_training(const Setting& setting, Trainer& trainer,
                                          std::uint32_t repeat, Recorder& recorder,
                                          std::string& status);

}  // namespace paceline
