// SPDX-License-Identifier: MIT
/// \file
/// Times a network's layers, updates and sums on a GPU with the batch, the precision, the layout
/// and the part of a card that a point uses.
#pragma once
#include <filesystem>

#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline::cuda {

/// Times one worker alone and, with `devices`, 2, 4, ... workers up to the number of virtual GPUs,
/// which train at the same time without exchange. Chosen algorithms are kept in `cache`. Throws
/// Error and std::bad_alloc.
NetworkProfile measure_network_on_gpu(const TimedWorkload& timed, Effort effort,
                                      const std::filesystem::path& cache);

}  // namespace paceline::cuda
