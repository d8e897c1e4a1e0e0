// SPDX-License-Identifier: MIT
/// \file
/// Writes manifest.json: the origin of a run, so that a reader can judge and repeat it.
#pragma once
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/speedup.hpp"
#include "cli/summary.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The manifest of a run of `file` with the results `rows`. `profile` may be null; `gpus` is null
/// if no GPU measured. Without figures, the machine is left as a graph that `plot` can draw, since
/// Graphviz takes longer than a small sweep.
std::string manifest_json(const ExperimentFile& file, const Options& options,
                          const Profile* profile, const AcceleratorFacts* gpus,
                          const std::vector<ResultRow>& rows, const Summary& summary,
                          const SweptLabels& labels);

/// The machine of a point. `this` is described by the profile; null without one.
std::shared_ptr<const Machine> machine_of(const ExperimentPoint& point, const Profile* profile,
                                          bool on_gpus);

}  // namespace paceline
