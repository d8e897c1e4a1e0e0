// SPDX-License-Identifier: MIT
/// \file
/// What a worker of a point computes, as profiles know it, and what one has of it.
#pragma once
#include <string>

#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// What a worker of the point computes on a thread of the host.
Workload workload_of(const ExperimentPoint& point);
/// What it computes on a GPU that its driver calls `gpu`.
Workload workload_on_gpu(const ExperimentPoint& point, const std::string& gpu);
/// The number of a worker's card: its own, or that which all share.
int gpu_of(const Experiment& experiment, int worker);
/// What was measured of the point's network on this computer; null where nothing was.
const NetworkProfile* times_of(const ExperimentPoint& point, const Profile& profile);
/// The same on the GPU of its first worker.
const NetworkProfile* times_on_gpu(const ExperimentPoint& point, const Profile& profile);
/// What a worker draws its items from, where it computes for real.
Choice<Dataset> dataset_of(const Experiment& experiment, const Network& network);

}  // namespace paceline
