// SPDX-License-Identifier: MIT
/// \file
/// Kernel launches. Tests compile the kernels as C++ and replace this `launch` by their own, so
/// that the kernels also run on the CPU.
#pragma once
#include "exec/cuda/kernels/cost.hpp"
#include "exec/cuda/runtime/check.hpp"

#ifdef PACELINE_EMULATED_LAUNCH
#include PACELINE_EMULATED_LAUNCH
#else

#include <cuda_runtime.h>

#include "exec/cuda/runtime/kernel_code.hpp"

namespace paceline::cuda {

namespace {  // of each file that includes this one

__global__ void named_by_its_file() {}
const KernelFile this_file(reinterpret_cast<const void*>(&named_by_its_file));

}  // namespace

/// Queues `kernel` on `stream`, without dynamic shared memory. Throws Error if the launch fails.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "launching a kernel");
}

/// With the kernel's cost, which only tests read.
template <class... Parameters, class... Arguments>
void launch(const Cost& /*cost*/, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            cudaStream_t stream, Arguments... arguments) {
  launch(kernel, grid, block, stream, arguments...);
}

}  // namespace paceline::cuda

#endif
