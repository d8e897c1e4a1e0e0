// SPDX-License-Identifier: MIT
/// \file
/// Predicts a point: runs its strategy on the simulated clock, once per repeat.
#pragma once
#include <string>

#include "sim/costs/prediction.hpp"
#include "training/experiment/trainer.hpp"

namespace paceline {

/// The prediction. Throws std::runtime_error if the strategy cannot end.
Measurement simulate(const Prediction& prediction, bool keep_steps = false);

/// The prediction with its arithmetic scaled so that the simulated update of the published row's
/// workers, including communication, takes the published time; unchanged if no time was published.
Prediction matched_to_published(const Prediction& prediction);

/// One repeat without training: only times matter. `recorder` receives the details. Workers that
/// run one program are simulated in lanes (lanes/lane_machine.hpp), and rounds that repeat each
/// other exactly once (round_tape.hpp). Returns, in words, which of these it was.
std::string simulate_once(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder);
/// Runs the roles of a repeat, and of the jobs beside, on the clock of events. Returns how
/// many workers of all jobs had their copies worked out ahead (jobs_ahead.hpp).
int run_by_events(const Prediction& prediction, const Plan& plan, std::uint32_t repeat,
                  Learning* learning = nullptr);
/// The same, one round after the other, each copy as an event.
void simulate_all_rounds(const Prediction& prediction, std::uint32_t repeat, Recorder& recorder);

/// One repeat that trains: every gradient is computed on the weights of the version that its worker
/// holds at that time. Returns the held-out curve; `status` reports divergence.
std::vector<CurvePoint> simulate_training(const Prediction& prediction, Trainer& trainer,
                                          std::uint32_t repeat, Recorder& recorder,
                                          std::string& status);

}  // namespace paceline
