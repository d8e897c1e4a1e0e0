// SPDX-License-Identifier: MIT
/// \file
/// The checks of an experiment's point across its keys: each key is valid alone, but two may
/// exclude each other, or the point may exceed the machine.
#pragma once
#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// Notes all mistakes of a point after its keys are read and settled. Parts that could not be
/// loaded are null, and checks that need them are left out.
void check(const ExperimentPoint& point, Diagnostics& diagnostics);

/// The same of jobs that share a machine, each checked already.
void check_jobs(const std::vector<std::shared_ptr<const ExperimentPoint>>& jobs,
                Diagnostics& diagnostics);

}  // namespace paceline
