// SPDX-License-Identifier: MIT
/// \file
/// Replaces `launch` in exec/cuda/kernels/launch.cuh: queues a kernel on an emulated stream.
#pragma once
#include <functional>
#include <tuple>
#include <utility>

#include <cuda_runtime.h>

#include "exec/cuda/kernels/cost.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

namespace emulation {
/// `thread` is called once per thread.
cudaError_t launch_kernel(const Cost& cost, dim3 grid, dim3 block, cudaStream_t stream,
                          std::function<void()> thread);
}  // namespace emulation

/// Queues `kernel` on `stream`. Throws Error if the launch is refused.
template <class... Parameters, class... Arguments>
void launch(const Cost& cost, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            cudaStream_t stream, Arguments... arguments) {
  std::tuple<std::decay_t<Parameters>...> given(static_cast<Parameters>(arguments)...);
  check(emulation::launch_kernel(cost, grid, block, stream,
                                 [kernel, given] { std::apply(kernel, given); }),
        "launching a kernel");
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            Arguments... arguments) {
  launch(Cost{}, kernel, grid, block, stream, arguments...);
}

}  // namespace paceline::cuda
