// SPDX-License-Identifier: MIT
/// \file
/// Delays on a stream: of stragglers, and of workers with slowed arithmetic. One thread waits; the
/// wait ends early if the host gives up the mini-batch.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// The host's signal to end a wait: `*until` (mapped memory) is at least `step`.
struct GivenUp {
  const std::int64_t* until = nullptr;
  std::int64_t step = 0;
};

/// Queues a wait of `nanoseconds`, counted from the kernel's start.
void delay(std::int64_t nanoseconds, GivenUp given_up, cudaStream_t stream);

/// Queues a write of the current device time to `*at`, in device memory.
void note_time(std::uint64_t* at, cudaStream_t stream);

/// Queues a wait until the time since `*began` has grown by the factor `slowdown`.
void stretch(const std::uint64_t* began, double slowdown, GivenUp given_up, cudaStream_t stream);

}  // namespace paceline::cuda
