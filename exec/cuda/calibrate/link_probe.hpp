// SPDX-License-Identifier: MIT
/// \file
/// Copies between the host's pinned memory and GPUs, and between GPUs, as strategies make them:
/// every pair, alone and all at once.
#pragma once
#include <vector>

#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "training/profile/link_profile.hpp"

namespace paceline::cuda {

/// Times them on GPUs 0 to `gpus`.size() - 1. Alone: host to GPU, GPU to host, each GPU to each
/// other one, with the rate of one large cudaMemcpy beside it. At once: both directions of each
/// GPU; with several GPUs all of them from the host, all of them to the host, and each to the next.
/// Throws Error.
std::vector<LinkProfile> measure_links(const std::vector<GpuFacts>& gpus, Effort effort);

}  // namespace paceline::cuda
