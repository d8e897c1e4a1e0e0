// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "exec/cuda/kernels/block_sum.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/loss.hpp"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

/// The class that a target names, or -1 if there is no such class.
__device__ int class_of(float target, int classes) {
  if (!(target >= 0 && target < static_cast<float>(classes))) return -1;
  return static_cast<int>(target);
}

/// One block per row: its largest logit, the inverse of the sum of exponentials relative to that
/// logit, and its loss.
template <class T>
__global__ void __launch_bounds__(kThreads)
    softmax_rows(const LossShape p, const T* logits, const float* targets, float* largest,
                 float* inverse, float* losses) {
  for (std::int64_t r = blockIdx.x; r < p.rows; r += gridDim.x) {
    const T* row = logits + r * p.classes;
    float peak = -std::numeric_limits<float>::infinity();
    for (int c = static_cast<int>(threadIdx.x); c < p.classes; c += static_cast<int>(blockDim.x)) {
      const float x = to_float(row[c]);
      peak = x > peak || x != x ? x : peak;
    }
    peak = fold_block<kThreads>(peak, [](float a, float b) { return b > a || b != b ? b : a; });
    float sum = 0;
    for (int c = static_cast<int>(threadIdx.x); c < p.classes; c += static_cast<int>(blockDim.x)) {
      sum += expf(to_float(row[c]) - peak);
    }
    sum = fold_block<kThreads>(sum, [](float a, float b) { return a + b; });
    if (threadIdx.x == 0) {
      const int label = class_of(targets[r], p.classes);
      largest[r] = peak;
      inverse[r] = 1.0f / sum;
      losses[r] = label < 0 ? std::numeric_limits<float>::quiet_NaN()
                            : logf(sum) - (to_float(row[label]) - peak);
    }
  }
}

__device__ void write_mean(double mine, double divisor, const LossSlot& slot) {
  const double all = fold_block<kThreads>(mine, [](double a, double b) { return a + b; });
  if (threadIdx.x == 0) {
    slot.losses[*slot.step % static_cast<unsigned>(slot.slots)] = static_cast<float>(all / divisor);
  }
}

__global__ void mean_of_rows(const float* losses, std::int64_t rows, const LossSlot slot) {
  double sum = 0;
  for (std::int64_t r = threadIdx.x; r < rows; r += blockDim.x)
    sum += static_cast<double>(losses[r]);
  write_mean(sum, static_cast<double>(rows), slot);
}

__device__ float scaled(float factor, const LossScale* scale) {
  return scale != nullptr ? factor * scale->scale : factor;
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads)
    softmax_gradients(const LossShape p, const T* logits, const float* targets,
                      const float* largest, const float* inverse, float share_of_item,
                      const LossScale* scale, T* gradient, bool adds) {
  const float factor = scaled(share_of_item, scale);
  for (std::int64_t r = blockIdx.x; r < p.rows; r += gridDim.x) {
    const int label = class_of(targets[r], p.classes);
    const float peak = largest[r], share = inverse[r];
    for (int c = static_cast<int>(threadIdx.x) * V; c < p.classes;
         c += static_cast<int>(blockDim.x) * V) {
      const std::int64_t at = r * p.classes + c;
      const Pack<T, V> x = load<V>(logits + at);
      float g[V];
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float probability = expf(to_float(x.at[j]) - peak) * share;
        g[j] = (probability - (c + j == label ? 1.0f : 0.0f)) * factor;
      }
      put<V>(gradient + at, g, adds);
    }
  }
}

template <class T>
__global__ void half_squares(const T* values, const float* targets, std::int64_t rows,
                             const LossSlot slot) {
  double sum = 0;
  for (std::int64_t r = threadIdx.x; r < rows; r += blockDim.x) {
    const double distance = static_cast<double>(to_float(values[r]) - targets[r]);
    sum += distance * distance;
  }
  write_mean(sum, 2 * static_cast<double>(rows), slot);
}

template <class T>
__global__ void distances(const T* values, const float* targets, std::int64_t rows,
                          float share_of_item, const LossScale* scale, T* gradient, bool adds) {
  const float factor = scaled(share_of_item, scale);
  for (std::int64_t r = first_thread(); r < rows; r += all_threads()) {
    const float g[1] = {(to_float(values[r]) - targets[r]) * factor};
    put<1>(gradient + r, g, adds);
  }
}

/// Threads for a row of `steps` steps, in whole warps.
unsigned threads_for(int steps) {
  unsigned threads = 32;
  while (threads < static_cast<unsigned>(kThreads) && threads < static_cast<unsigned>(steps)) {
    threads *= 2;
  }
  return threads;
}
unsigned blocks_of(std::int64_t rows) {
  return blocks_for(rows * kThreads);
}

}  // namespace

void cross_entropy_forward(const LossShape& p, const void* logits, const float* targets,
                           float* memory, const LossSlot& slot, cudaStream_t stream) {
  const std::int64_t rows = p.rows;
  float* losses = memory + 2 * rows;
  const std::int64_t words = 4 * rows;
  const Cost cost{"loss", p.tensor_bytes() + words, 3 * words};
  with_element(p.element, [&]<class T>() {
    launch(cost, softmax_rows<T>, dim3(blocks_of(rows)), dim3(threads_for(p.classes)), stream, p,
           static_cast<const T*>(logits), targets, memory, memory + rows, losses);
  });
  launch(Cost{"loss: mean", words, 4}, mean_of_rows, dim3(1), dim3(kThreads), stream, losses, rows,
         slot);
}

void cross_entropy_backward(const LossShape& p, const void* logits, const float* targets,
                            const float* memory, float factor, const LossScale* scale,
                            void* gradient, bool adds, cudaStream_t stream) {
  const std::int64_t rows = p.rows;
  const Cost cost{"loss: gradient", (adds ? 2 : 1) * p.tensor_bytes() + 3 * 4 * rows,
                  p.tensor_bytes()};
  with_pack(
      p.element, [&](int wide) { return p.classes % wide == 0; },
      [&]<class T, int V>() {
        launch(cost, softmax_gradients<T, V>, dim3(blocks_of(rows)),
               dim3(threads_for(p.classes / V)), stream, p, static_cast<const T*>(logits), targets,
               memory, memory + rows, factor, scale, static_cast<T*>(gradient), adds);
      });
}

void squared_error_forward(const LossShape& p, const void* values, const float* targets,
                           const LossSlot& slot, cudaStream_t stream) {
  with_element(p.element, [&]<class T>() {
    launch(Cost{"loss", p.tensor_bytes() + 4 * p.rows, 4}, half_squares<T>, dim3(1), dim3(kThreads),
           stream, static_cast<const T*>(values), targets, p.rows, slot);
  });
}

void squared_error_backward(const LossShape& p, const void* values, const float* targets,
                            float factor, const LossScale* scale, void* gradient, bool adds,
                            cudaStream_t stream) {
  with_element(p.element, [&]<class T>() {
    launch(Cost{"loss: gradient", (adds ? 2 : 1) * p.tensor_bytes() + 4 * p.rows, p.tensor_bytes()},
           distances<T>, dim3(blocks_for(p.rows)), dim3(kThreads), stream,
           static_cast<const T*>(values), targets, p.rows, factor, scale, static_cast<T*>(gradient),
           adds);
  });
}

}  // namespace paceline::cuda
