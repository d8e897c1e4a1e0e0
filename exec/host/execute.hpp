// SPDX-License-Identifier: MIT
/// \file
/// Measures a point: runs its strategy for real on this computer's threads, once for every repeat.
#pragma once
#include <string>

#include "training/experiment/setting.hpp"

namespace paceline {

/// "" if the host can execute the point, else the reason ("machine 'dgx1-p100' is not this
/// machine", "allreduce algorithm 'nccl' needs GPUs").
std::string not_executable_on_host(const ExperimentPoint& point);

/// How long idle threads look for work before they sleep. Where nothing but exchanges is timed they
/// do, as those of MPI and NCCL; beside arithmetic they leave the cores to it at once.
Seconds patience_of(const ExperimentPoint& point);

/// The measurement. `setting` needs no profile. Throws std::runtime_error when a worker fails.
Measurement execute_on_host(const Setting& setting, bool keep_steps = false);

}  // namespace paceline
