// SPDX-License-Identifier: MIT
/// \file
/// Times alternative implementations of the same computation on a stream and finds the fastest.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// Queues the work once. Throws Error if this implementation does not support it.
using Attempt = std::function<void()>;

/// The index of the attempt with the smallest median time of several runs after a warm-up run; none
/// if all fail. An attempt that is clearly slower than the best so far is measured only once.
/// Synchronises with the device; throws Error only if the device is lost.
std::optional<std::size_t> fastest(std::span<const Attempt> attempts, cudaStream_t stream);

/// The first attempt that works; none if all fail. Synchronises as fastest().
std::optional<std::size_t> first_working(std::span<const Attempt> attempts, cudaStream_t stream);

/// "" if the attempt works, else its error message. Synchronises with the device; throws Error if
/// the device is lost.
std::string failure_of(const Attempt& attempt, cudaStream_t stream);

}  // namespace paceline::cuda
