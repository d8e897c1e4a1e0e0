// SPDX-License-Identifier: MIT
// Means and deviations are merged as (count, mean, sum of squared distances from the mean), after
// Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979, so that a mean far from 0 does not cancel the variance.
#include "exec/cuda/kernels/batch_norm_channels.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

constexpr float kEpsilon = 1e-5f;  // as on the host

/// Moments of A channels, over the elements of one thread or one block.
template <int A>
struct Moments {
  float mean[A];
  float squares[A];  ///< sums of squared distances from the mean
  float count;
};
template <int A>
__device__ void join(Moments<A>& into, const Moments<A>& from) {
  if (from.count == 0) return;
  const float count = into.count + from.count;
  const float share = from.count / count;
#pragma unroll
  for (int j = 0; j < A; ++j) {
    const float distance = from.mean[j] - into.mean[j];
    into.mean[j] += distance * share;
    into.squares[j] += from.squares[j] + distance * distance * into.count * share;
  }
  into.count = count;
}

template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    sum_inputs(const T* input, const ChannelGrid grid, float* partials) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 4;  // loads in flight per thread
  ChannelWalk<V, kLast> walk(grid);
  // Sums relative to the first value, which is near the mean if the mean is far from 0.
  float origin[A] = {}, sum[A] = {}, squares[A] = {};
  if (walk.within()) {
    const Pack<T, V> first = load<V>(input + walk.offset());
#pragma unroll
    for (int j = 0; j < A; ++j) origin[j] = to_float(first.at[j]);
  }
  int packs = 0;
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {};
    bool there[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      there[k] = walk.within();
      if (there[k]) x[k] = load<V>(input + walk.offset());
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (!there[k]) continue;
      ++packs;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const int a = kLast ? j : 0;
        const float distance = to_float(x[k].at[j]) - origin[a];
        sum[a] += distance;
        squares[a] = fmaf(distance, distance, squares[a]);
      }
    }
  }
  Moments<A> mine{};
  if (packs > 0) {
    mine.count = static_cast<float>(packs) * (kLast ? 1 : V);
#pragma unroll
    for (int j = 0; j < A; ++j) {
      const float mean = sum[j] / mine.count;
      mine.mean[j] = origin[j] + mean;
      mine.squares[j] = fmaxf(squares[j] - sum[j] * mean, 0.0f);
    }
  }
  __shared__ Moments<A> shared[kThreads];
  merge_in_block(mine, shared, grid.lanes,
                 [](Moments<A>& into, const Moments<A>& from) { join(into, from); });
  if (static_cast<int>(threadIdx.x) < grid.lanes && walk.has_channel()) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      *partial(partials, grid, walk, 0, j) = mine.mean[j];
      *partial(partials, grid, walk, 1, j) = mine.squares[j];
      *partial(partials, grid, walk, 2, j) = mine.count;
    }
  }
}

/// One warp per channel: its mean and inverse deviation.
__global__ void finish_statistics(const float* partials, int channels, int chunks, float* mean,
                                  float* deviation) {
  const int channel = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (channel >= channels) return;
  const std::int64_t field = static_cast<std::int64_t>(channels) * chunks;
  const float* means = partials + static_cast<std::int64_t>(channel) * chunks;
  const float* squares = means + field;
  const float* counts = squares + field;
  const float origin = means[0];
  float count = 0, sum = 0;
  for (int k = lane; k < chunks; k += kWarp) {
    count += counts[k];
    sum += counts[k] * (means[k] - origin);
  }
  count = sum_of_warp(count);
  const float center = sum_of_warp(sum) / count;  // relative to origin
  float spread = 0;
  for (int k = lane; k < chunks; k += kWarp) {
    const float distance = means[k] - origin - center;
    spread += squares[k] + counts[k] * distance * distance;
  }
  spread = sum_of_warp(spread);
  if (lane == 0) {
    mean[channel] = origin + center;
    deviation[channel] = 1.0f / sqrtf(spread / count + kEpsilon);
  }
}

/// One thread per channel: the same from the sums of numbers and of their squares.
__global__ void finish_sums(const float* sums, int channels, float share, float* mean,
                            float* deviation) {
  const int channel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (channel >= channels) return;
  const float center = sums[channel] * share;
  const float variance = fmaxf(fmaf(-center, center, sums[channels + channel] * share), 0.0f);
  mean[channel] = center;
  deviation[channel] = 1.0f / sqrtf(variance + kEpsilon);
}

template <class T, int V, bool kLast, bool kAdd>
__global__ void __launch_bounds__(kThreads)
    normalise(const BatchNormForward pass, const ChannelGrid grid, bool relu,
              const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = kAdd ? 2 : 4;
  const auto* input = static_cast<const T*>(pass.input);
  const auto* added = static_cast<const T*>(pass.added);
  auto* output = static_cast<T*>(pass.output);
  ChannelWalk<V, kLast> walk(grid, true);
  if (!walk.has_channel()) return;
  const Affine<A> affine(walk, statistics, pass.scale, pass.shift);
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {}, other[kAhead] = {};
    std::int64_t offsets[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      offsets[k] = walk.within() ? walk.offset() : -1;
      if (offsets[k] >= 0) {
        x[k] = load<V>(input + offsets[k]);
        if constexpr (kAdd) other[k] = load<V>(added + offsets[k]);
      }
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (offsets[k] < 0) continue;
      Pack<T, V> y;
      std::uint8_t positive = 0;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        float value = affine(to_float(x[k].at[j]), kLast ? j : 0);
        if constexpr (kAdd) value += to_float(other[k].at[j]);
        if (value > 0) positive |= bit_of<V>(j);
        if (relu && value < 0) value = 0;
        set(y.at[j], value);
      }
      store<V>(output + offsets[k], y);
      if (kAdd && relu) pass.mask[offsets[k] / V] = positive;
    }
  }
}

}  // namespace

std::size_t BatchNormShape::scratch_bytes() const {
  constexpr std::size_t kFields = 3;  // per partial result
  return kFields * sizeof(float) * static_cast<std::size_t>(grid.channels) *
         static_cast<std::size_t>(grid.chunks);
}

void batch_norm_statistics(const BatchNormShape& shape, const void* input,
                           const BatchNormStatistics& statistics, void* scratch,
                           cudaStream_t stream) {
  const ChannelGrid& grid = shape.grid;
  auto* partials = static_cast<float*>(scratch);
  const Cost sums{"batch norm: statistics", shape.tensor_bytes(), grid.partials_bytes(3)};
  const Cost finish{"batch norm: finish", grid.partials_bytes(3), shape.vectors_bytes(2)};
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    launch(sums, sum_inputs<T, V, kLast>, blocks_of(grid), dim3(kThreads), stream,
           static_cast<const T*>(input), grid, partials);
  });
  launch(finish, finish_statistics, blocks_of_warps(grid.channels), dim3(kThreads), stream,
         partials, grid.channels, grid.chunks, statistics.mean, statistics.deviation);
}

void batch_norm_statistics_of(const BatchNormShape& shape, const float* sums,
                              const BatchNormStatistics& statistics, cudaStream_t stream) {
  const ChannelGrid& grid = shape.grid;
  const auto count = static_cast<double>(grid.items) * grid.pixels;
  const auto blocks = static_cast<unsigned>((grid.channels + kThreads - 1) / kThreads);
  const Cost cost{"batch norm: finish", shape.vectors_bytes(2), shape.vectors_bytes(2)};
  launch(cost, finish_sums, dim3(blocks), dim3(kThreads), stream, sums, grid.channels,
         static_cast<float>(1 / count), statistics.mean, statistics.deviation);
}

void batch_norm_forward(const BatchNormShape& shape, const BatchNormForward& pass,
                        const BatchNormStatistics& statistics, cudaStream_t stream) {
  const ChannelGrid& grid = shape.grid;
  const std::int64_t tensor = shape.tensor_bytes();
  const bool adds = pass.added != nullptr;
  const Cost elements{adds ? "batch norm: normalise and add" : "batch norm: normalise",
                      (adds ? 2 : 1) * tensor + shape.vectors_bytes(pass.scale != nullptr ? 4 : 3),
                      tensor + (adds && shape.relu ? shape.mask_bytes() : 0)};
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    launch(elements,
           pass.added == nullptr ? normalise<T, V, kLast, false> : normalise<T, V, kLast, true>,
           blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.relu, statistics);
  });
}

}  // namespace paceline::cuda
