// SPDX-License-Identifier: MIT
/// \file
/// What of a mini-batch differs from step to step, where kernels read it: a recorded launch is the
/// same every time.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

namespace paceline::cuda {

/// In device memory, written before forward.
struct StepState {
  std::uint32_t key[2];   ///< of the repeat's draws (Philox)
  std::uint32_t worker;   ///< whose mini-batch it is
  std::uint32_t step[2];  ///< low and high word
};

/// `*to` becomes `state`, which may go at once.
void write_step_state(StepState* to, const StepState& state, cudaStream_t stream);

}  // namespace paceline::cuda
