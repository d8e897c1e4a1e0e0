// SPDX-License-Identifier: MIT
/// \file
/// manifest.json: where a run came from, so that a reader can judge it and make it again.
#pragma once
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "cli/summary.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The manifest of a run of `file`, whose results are `rows`. `profile` may be null, and
/// `gpus` is where none measured.
std::string manifest_json(const ExperimentFile& file, const std::string& command_line,
                          const Profile* profile, const AcceleratorFacts* gpus,
                          const std::vector<ResultRow>& rows, const Summary& summary,
                          const SweptLabels& labels);

/// The machine of a point; `this` as its profile describes it, null without one.
std::shared_ptr<const Machine> machine_of(const ExperimentPoint& point, const Profile* profile,
                                          bool on_gpus);

}  // namespace paceline
