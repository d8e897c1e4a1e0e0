// SPDX-License-Identifier: MIT
/// \file
/// Times copies between the host's pinned memory and GPUs, and between GPUs, through the streams
/// that strategies use.
#pragma once
#include <vector>

#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/link_profile.hpp"

namespace paceline::cuda {

/// Times copies on GPUs 0 to `gpus`.size() - 1. Alone: host to GPU, GPU to host, and each GPU to
/// each other one, with the rate of one large cudaMemcpy for comparison. At once: both directions
/// of each GPU; with several GPUs also host to all, all to host, and each GPU to the next. Throws
/// Error.
std::vector<LinkProfile> measure_links(const std::vector<GpuFacts>& gpus, Effort effort);

}  // namespace paceline::cuda
