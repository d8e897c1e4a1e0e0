// SPDX-License-Identifier: MIT
/// \file
/// Who does the arithmetic of buffers on each stream of the roles.
#pragma once
#include <memory>
#include <vector>

#include "exec/cuda/machine/role_streams.hpp"
#include "training/learning/arrays.hpp"

namespace paceline::cuda {

/// By lane: on a GPU what queues on the stream, which must outlive it; on the host the host's own.
/// Throws Error.
std::vector<std::unique_ptr<ArrayWork>> work_on(const RoleStreams& streams);

}  // namespace paceline::cuda
