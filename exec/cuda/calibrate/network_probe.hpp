// SPDX-License-Identifier: MIT
/// \file
/// What a network's layers, updates and sums take on a GPU, in the way that a point trains it: its
/// batch, precision, layout, and part of a card.
#pragma once
#include <filesystem>

#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline::cuda {

/// Times one worker alone, and with `devices` two, four, ... up to as many as there are virtual
/// GPUs that train at the same time, each for itself. Chosen algorithms are kept in `cache`.
/// Throws Error, and std::bad_alloc.
NetworkProfile measure_network_on_gpu(const TimedWorkload& timed, Effort effort,
                                      const std::filesystem::path& cache);

}  // namespace paceline::cuda
