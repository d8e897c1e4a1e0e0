// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/cuda/kernels/block_sum.cuh"
#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/layerwise.hpp"

namespace paceline::cuda {
namespace {

/// Addresses of one layer's numbers. Where the optimizer keeps no squares, `squares` is not read.
struct Numbers {
  float* to;
  const float *from, *gradient;
  float *mean, *squares;
  std::size_t count;
};

struct Plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};

/// Leaves each block's sums in `memory->partials`.
template <class Step>
__global__ void __launch_bounds__(kThreads)
    measure(Step step, Numbers numbers, KernelFactor factor, LayerMemory* memory) {
  const float scale = value_of(factor);
  double weights = 0, measured = 0;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < numbers.count;
       i += threads) {
    const float w = numbers.from[i];
    float m = numbers.mean[i], s = Step::kSquares ? numbers.squares[i] : 0;
    const double number = step.measure(scale, w, numbers.gradient[i], m, s);
    numbers.mean[i] = m;
    if (Step::kSquares) numbers.squares[i] = s;
    weights += static_cast<double>(w) * static_cast<double>(w);
    measured += number * number;
  }
  weights = fold_block<kThreads>(weights, Plus{});
  measured = fold_block<kThreads>(measured, Plus{});
  if (threadIdx.x != 0) return;
  memory->partials[blockIdx.x] = weights;
  memory->partials[LayerMemory::kBlocks + blockIdx.x] = measured;
}

/// Runs as one block.
template <class Step>
__global__ void __launch_bounds__(kThreads)
    find_ratio(Step step, unsigned blocks, LayerMemory* memory) {
  double weights = 0, measured = 0;
  for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) {
    weights += memory->partials[i];
    measured += memory->partials[LayerMemory::kBlocks + i];
  }
  weights = fold_block<kThreads>(weights, Plus{});
  measured = fold_block<kThreads>(measured, Plus{});
  if (threadIdx.x == 0) memory->ratio = step.ratio(weights, measured);
}

template <class Step>
__global__ void __launch_bounds__(kThreads)
    apply(Step step, Numbers numbers, KernelFactor factor, const LayerMemory* memory) {
  const float scale = value_of(factor), ratio = memory->ratio;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < numbers.count;
       i += threads) {
    float m = numbers.mean[i], s = Step::kSquares ? numbers.squares[i] : 0;
    numbers.to[i] = step.apply(ratio, scale, numbers.from[i], numbers.gradient[i], m, s);
    numbers.mean[i] = m;
  }
}

}  // namespace

template <class Step>
void update_layers(const Step& step, const UpdateArrays& arrays, const KernelFactor& scale,
                   LayerMemory* memory, cudaStream_t stream) {
  for (std::size_t layer = 0; layer <= arrays.layers.size(); ++layer) {
    const UpdateArrays part = arrays.of_layer(layer);
    const std::size_t count = part.to.size();
    if (count == 0) continue;
    const Numbers numbers{part.to.data(),   part.from.data(),    part.gradient.data(),
                          part.mean.data(), part.squares.data(), count};
    // not by the device's size, so that the sums have one order everywhere
    const auto blocks =
        static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, LayerMemory::kBlocks));
    launch(measure<Step>, dim3(blocks), dim3(kThreads), stream, step, numbers, scale, memory);
    launch(find_ratio<Step>, dim3(1), dim3(kThreads), stream, step, blocks, memory);
    launch(apply<Step>, dim3(blocks), dim3(kThreads), stream, step, numbers, scale, memory);
  }
}
template void update_layers(const LambStep&, const UpdateArrays&, const KernelFactor&, LayerMemory*,
                            cudaStream_t);
template void update_layers(const LarsStep&, const UpdateArrays&, const KernelFactor&, LayerMemory*,
                            cudaStream_t);

}  // namespace paceline::cuda
