// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"
#include "exec/cuda/kernels/response_norm.hpp"

namespace paceline::cuda {
namespace {

// One thread per element: neighbouring channels come from the L1 cache.

__device__ int channel_of(const ResponseNormShape& p, std::int64_t i) {
  return static_cast<int>((p.channels_last ? i : i / p.pixels) % p.channels);
}
__device__ std::int64_t next_channel(const ResponseNormShape& p) {
  return p.channels_last ? 1 : p.pixels;
}
__device__ std::int64_t elements_of(const ResponseNormShape& p) {
  return static_cast<std::int64_t>(p.items) * p.channels * p.pixels;
}
/// s^-beta; s is at least 1.
__device__ float power(float s, float beta) {
  return exp2f(-beta * log2f(s));
}

template <class T>
__global__ void respond(const ResponseNormShape p, const T* input, T* output, float* scales) {
  const int before = (p.size - 1) / 2, after = p.size / 2;
  const std::int64_t step = next_channel(p);
  for (std::int64_t i = first_thread(); i < elements_of(p); i += all_threads()) {
    const int c = channel_of(p, i);
    float squares = 0;
    for (int k = std::max(c - before, 0); k <= std::min(c + after, p.channels - 1); ++k) {
      const float x = to_float(input[i + (k - c) * step]);
      squares = fmaf(x, x, squares);
    }
    const float s = 1.0f + p.alpha / static_cast<float>(p.size) * squares;
    scales[i] = s;
    set(output[i], to_float(input[i]) * power(s, p.beta));
  }
}

template <class T>
__global__ void respond_back(const ResponseNormShape p, const T* input, const T* gradient,
                             const float* scales, T* input_gradient, bool adds) {
  const int before = (p.size - 1) / 2, after = p.size / 2;
  const std::int64_t step = next_channel(p);
  const float factor = 2 * p.alpha * p.beta / static_cast<float>(p.size);
  for (std::int64_t i = first_thread(); i < elements_of(p); i += all_threads()) {
    const int c = channel_of(p, i);
    float sum = 0;  // over the channels with this one in their window
    for (int k = std::max(c - after, 0); k <= std::min(c + before, p.channels - 1); ++k) {
      const std::int64_t at = i + (k - c) * step;
      const float s = scales[at];
      sum += to_float(gradient[at]) * to_float(input[at]) * power(s, p.beta) / s;
    }
    const float own = to_float(gradient[i]) * power(scales[i], p.beta);
    const float dx[1] = {own - factor * to_float(input[i]) * sum};
    put<1>(input_gradient + i, dx, adds);
  }
}

unsigned blocks_of(const ResponseNormShape& p) {
  return blocks_for(std::int64_t{p.items} * p.channels * p.pixels);
}

}  // namespace

void response_norm_forward(const ResponseNormShape& p, const void* input, void* output,
                           float* scales, cudaStream_t stream) {
  Cost cost = elementwise("response norm", p.element, p.elements(), 1, 1);
  cost.written += 4 * p.elements();  // scales
  with_element(p.element, [&]<class T>() {
    launch(cost, respond<T>, dim3(blocks_of(p)), dim3(kThreads), stream, p,
           static_cast<const T*>(input), static_cast<T*>(output), scales);
  });
}

void response_norm_backward(const ResponseNormShape& p, const void* input, const void* gradient,
                            const float* scales, void* input_gradient, bool adds,
                            cudaStream_t stream) {
  Cost cost = elementwise("response norm: gradient", p.element, p.elements(), adds ? 3 : 2, 1);
  cost.read += 4 * p.elements();  // scales
  with_element(p.element, [&]<class T>() {
    launch(cost, respond_back<T>, dim3(blocks_of(p)), dim3(kThreads), stream, p,
           static_cast<const T*>(input), static_cast<const T*>(gradient), scales,
           static_cast<T*>(input_gradient), adds);
  });
}

}  // namespace paceline::cuda
