// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/bias.hpp"
#include "exec/cuda/kernels/channel_walk.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

constexpr int kWarp = 32;

template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    add_to_channels(T* y, const ChannelGrid grid, const float* bias, bool relu) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  ChannelWalk<V, kLast> walk(grid);
  if (!walk.has_channel()) return;
  float shift[A] = {};
  if (bias != nullptr) {
#pragma unroll
    for (int j = 0; j < A; ++j) shift[j] = bias[walk.channel() + j];
  }
  for (; walk.within(); walk.next()) {
    Pack<T, V> x = load<V>(y + walk.offset());
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const float sum = to_float(x.at[j]) + shift[kLast ? j : 0];
      set(x.at[j], relu && sum < 0 ? 0.0f : sum);  // NaN stays NaN, so that it is noticed
    }
    store<V>(y + walk.offset(), x);
  }
}

template <int A>
struct Sums {
  float of[A];
  float odd[A % 2 == 0 ? 1 : 2];  // an odd number of words, to avoid bank conflicts
};

template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    mask_and_sum(T* gradient, const T* output, const ChannelGrid grid, float* partials) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  Sums<A> mine{};
  ChannelWalk<V, kLast> walk(grid);
  for (; walk.within(); walk.next()) {
    Pack<T, V> dy = load<V>(gradient + walk.offset());
    if (output != nullptr) {
      const Pack<T, V> y = load<V>(output + walk.offset());
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (to_float(y.at[j]) <= 0) set(dy.at[j], 0.0f);
      }
      store<V>(gradient + walk.offset(), dy);
    }
#pragma unroll
    for (int j = 0; j < V; ++j) mine.of[kLast ? j : 0] += to_float(dy.at[j]);
  }
  if (partials == nullptr) return;
  __shared__ Sums<A> shared[kThreads];
  merge_in_block(mine, shared, grid.lanes, [](Sums<A>& into, const Sums<A>& from) {
#pragma unroll
    for (int j = 0; j < A; ++j) into.of[j] += from.of[j];
  });
  if (static_cast<int>(threadIdx.x) < grid.lanes && walk.has_channel()) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      partials[static_cast<std::int64_t>(walk.channel() + j) * grid.chunks + blockIdx.y] =
          mine.of[j];
    }
  }
}

/// One warp per channel.
__global__ void add_up_chunks(const float* partials, int channels, int chunks, float* sums) {
  const int channel = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (channel >= channels) return;
  float sum = 0;
  for (int k = lane; k < chunks; k += kWarp) {
    sum += partials[static_cast<std::int64_t>(channel) * chunks + k];
  }
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  if (lane == 0) sums[channel] = sum;
}

dim3 blocks_of(const ChannelGrid& grid) {
  return {static_cast<unsigned>(grid.columns), static_cast<unsigned>(grid.chunks)};
}

}  // namespace

void add_bias(const ChannelGrid& grid, Element element, void* y, const float* bias, bool relu,
              cudaStream_t stream) {
  const auto wide = [&](int) { return grid.pack > 1; };
  const Cost cost = elementwise("bias", element, grid.elements(), 1, 1);
  with_pack(element, wide, [&]<class T, int V>() {
    const auto kernel =
        grid.channels_last ? add_to_channels<T, V, true> : add_to_channels<T, V, false>;
    launch(cost, kernel, blocks_of(grid), kThreads, stream, static_cast<T*>(y), grid, bias, relu);
  });
}

void bias_backward(const ChannelGrid& grid, Element element, const BiasBackward& pass,
                   cudaStream_t stream) {
  if (pass.output == nullptr && pass.bias_gradient == nullptr) return;
  float* partials = nullptr;
  if (pass.bias_gradient != nullptr) {
    partials = grid.chunks == 1 ? pass.bias_gradient : pass.scratch;
  }
  const auto wide = [&](int) { return grid.pack > 1; };
  const bool masks = pass.output != nullptr;
  Cost cost = elementwise("bias: gradient", element, grid.elements(), masks ? 2 : 1, masks ? 1 : 0);
  if (partials != nullptr) cost.written += grid.partials_bytes(1);
  with_pack(element, wide, [&]<class T, int V>() {
    const auto kernel = grid.channels_last ? mask_and_sum<T, V, true> : mask_and_sum<T, V, false>;
    launch(cost, kernel, blocks_of(grid), kThreads, stream, static_cast<T*>(pass.gradient),
           static_cast<const T*>(pass.output), grid, partials);
  });
  if (partials == nullptr || grid.chunks == 1) return;
  const auto blocks = static_cast<unsigned>((grid.channels * kWarp + kThreads - 1) / kThreads);
  launch(Cost{"bias: finish", grid.partials_bytes(1), 4 * std::int64_t{grid.channels}},
         add_up_chunks, blocks, kThreads, stream, static_cast<const float*>(partials),
         grid.channels, grid.chunks, pass.bias_gradient);
}

std::size_t bias_scratch_bytes(const ChannelGrid& grid) {
  if (grid.chunks == 1) return 0;
  return sizeof(float) * static_cast<std::size_t>(grid.channels) *
         static_cast<std::size_t>(grid.chunks);
}

}  // namespace paceline::cuda
