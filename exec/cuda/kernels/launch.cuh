// SPDX-License-Identifier: MIT
/// \file
/// How kernels are launched here, so that the same kernels also run on the CPU in tests: the tests
/// compile them as C++ and put their own `launch` in this one's place.
#pragma once
#include "exec/cuda/runtime/check.hpp"

#ifdef PACELINE_EMULATED_LAUNCH
#include PACELINE_EMULATED_LAUNCH
#else

#include <cuda_runtime.h>

namespace paceline::cuda {

/// Queues `kernel` on `stream`. Kernels here use no dynamic shared memory. Throws Error when the
/// launch is refused.
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

}  // namespace paceline::cuda

#endif
