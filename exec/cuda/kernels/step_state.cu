// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/step_state.hpp"

namespace paceline::cuda {
namespace {

__global__ void write_step_state_kernel(StepState* to, StepState state) {
  *to = state;
}

}  // namespace

void write_step_state(StepState* to, const StepState& state, cudaStream_t stream) {
  launch(Cost{"step state"}, write_step_state_kernel, 1, 1, stream, to, state);
}

}  // namespace paceline::cuda
