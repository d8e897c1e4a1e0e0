// SPDX-License-Identifier: MIT
/// \file
/// Time that passes on a stream: a straggler's delay, and arithmetic that takes longer than it
/// would. One thread waits; it ends at once when the host gives the mini-batch up.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// How the host ends a wait: once `*until` (mapped) is at least `step`.
struct GivenUp {
  const std::int64_t* until = nullptr;
  std::int64_t step = 0;
};

/// Queues a wait of `nanoseconds` from its turn on.
void delay(std::int64_t nanoseconds, GivenUp given_up, cudaStream_t stream);

/// Queues a note of the time into `*at`, in the device's memory.
void note_time(std::uint64_t* at, cudaStream_t stream);

/// Queues a wait until `slowdown` times as long has passed since `*began` as now has.
void stretch(const std::uint64_t* began, double slowdown, GivenUp given_up, cudaStream_t stream);

}  // namespace paceline::cuda
