// SPDX-License-Identifier: MIT
/// \file
/// The inputs of kernels that change from step to step. Kernels read them from memory, since the
/// arguments of a recorded launch are fixed.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// In device memory; written before forward.
struct StepState {
  std::uint32_t key[2];   ///< of the repeat's draws (Philox)
  std::uint32_t worker;   ///< worker that the mini-batch belongs to
  std::uint32_t step[2];  ///< low and high word
};

/// Writes `state` to `*to`; `state` need not outlive the call.
void write_step_state(StepState* to, const StepState& state, cudaStream_t stream);

}  // namespace paceline::cuda
