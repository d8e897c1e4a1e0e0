// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of buffers on each stream of the roles.
#pragma once
#include <memory>
#include <vector>

#include "exec/cuda/machine/role_streams.hpp"
#include "training/learning/arrays.hpp"

namespace paceline::cuda {

/// One entry per lane: on a GPU it queues on the lane's stream, which must outlive it; on the host
/// it computes on the CPU. Throws Error.
std::vector<std::unique_ptr<ArrayWork>> work_on(const RoleStreams& streams);

}  // namespace paceline::cuda
