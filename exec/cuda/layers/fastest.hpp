// SPDX-License-Identifier: MIT
/// \file
/// Which of several ways to compute the same thing is the fastest on a stream, by trying them.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Queues the work once. Throws Error where this way cannot do it.
using Attempt = std::function<void()>;

/// The attempt with the smallest median time of several runs after one to warm up, or none where
/// all fail. Those that are clearly slower than the best so far are left after a run. Waits for the
/// device; throws Error only when it is lost.
std::optional<std::size_t> fastest(std::span<const Attempt> attempts, cudaStream_t stream);

/// "" where the attempt works, or why it does not. Waits for the device; throws Error when it is
/// lost.
std::string failure_of(const Attempt& attempt, cudaStream_t stream);

}  // namespace paceline::cuda
