// SPDX-License-Identifier: MIT
/// \file
/// The workload of a point's workers in the form that profiles use, and its measured times.
#pragma once
#include <optional>
#include <string>

#include "training/experiment/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The arithmetic of one worker of the point on a thread of the host.
Workload workload_of(const ExperimentPoint& point);
/// The arithmetic of one worker on a GPU with the driver's name `gpu`.
Workload workload_on_gpu(const ExperimentPoint& point, const std::string& gpu);
/// The times measured for the point's network on this computer; null if there are none.
const NetworkProfile* times_of(const ExperimentPoint& point, const Profile& profile);
/// The same for the GPU of the first worker.
const NetworkProfile* times_on_gpu(const ExperimentPoint& point, const Profile& profile);
/// The same point at the batch of its validation, a pass of which is the forward pass there. Empty
/// where `point` has no validation.
std::optional<ExperimentPoint> validation_of(const ExperimentPoint& point);
/// True if the host must first time the point's network (unless it is untrainable): the point
/// trains for real, and `profile` has no times for it.
bool lacks_host_times(const ExperimentPoint& point, const Profile& profile);
/// The dataset from which a worker draws its items in real training.
Choice<Dataset> dataset_of(const Experiment& experiment, const Network& network);

}  // namespace paceline
