// SPDX-License-Identifier: MIT
// Three launches each way: partial sums of blocks, sums of channels, and the elements. Means and
// deviations are joined as (count, mean, sum of squares about it), after Chan, Golub & LeVeque,
// "Updating formulae and a pairwise algorithm for computing sample variances", 1979, so that a mean
// far from 0 costs the variance nothing.
#include "exec/cuda/kernels/batch_norm.hpp"
#include "exec/cuda/kernels/channel_walk.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

constexpr float kEpsilon = 1e-5f;  // as the host's
constexpr int kWarp = 32;

/// Of A channels, over what one thread or one block has seen.
template <int A>
struct Moments {
  float mean[A];
  float squares[A];  ///< of distances from the mean
  float count;
};
template <int A>
struct Sums {
  float plain[A];
  float by_distance[A];
  float odd;  ///< an odd number of words, so that shared memory's banks do not collide
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

/// Writes a block's partial results: [field][channel][chunk].
template <class Walk>
__device__ float* partial(float* partials, const ChannelGrid& grid, const Walk& walk, int field,
                          int j) {
  const std::int64_t row = static_cast<std::int64_t>(field) * grid.channels + walk.channel() + j;
  return partials + row * grid.chunks + blockIdx.y;
}

template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    sum_inputs(const T* input, const ChannelGrid grid, float* partials) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 4;  // loads on their way at once
  ChannelWalk<V, kLast> walk(grid);
  // Sums about the first value seen, which is near the mean where the mean is far from 0.
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

__device__ float sum_of_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// A warp a channel: its mean and inverse deviation.
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
  const float center = sum_of_warp(sum) / count;  // less origin
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

/// What a thread's channels are multiplied by and moved by.
template <int A>
struct Affine {
  float mean[A];
  float slope[A];
  float shift[A];

  template <class Walk>
  __device__ Affine(const Walk& walk, const BatchNormStatistics& statistics, const float* scales,
                    const float* shifts) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      const int channel = walk.channel() + j;
      mean[j] = statistics.mean[channel];
      slope[j] = (scales == nullptr ? 1.0f : scales[channel]) * statistics.deviation[channel];
      shift[j] = shifts[channel];
    }
  }
  // One and the same rounding in both passes, as the ReLU's mask is computed twice.
  __device__ float operator()(float x, int j) const {
    return fmaf(x - mean[j], slope[j], shift[j]);
  }
};

/// A bit an element where V is 8; else a byte a pack all the same.
template <int V>
__device__ std::uint8_t bit_of(int j) {
  static_assert(V <= 8);
  return static_cast<std::uint8_t>(1u << j);
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

/// Where the ReLU's mask is from.
enum class Mask { none, computed, stored };

/// The gradient that comes through the ReLU to a pack.
template <class T, int V, Mask kMask, bool kLast, class Affine>
__device__ void mask_gradient(float (&g)[V], const Pack<T, V>& x, const Pack<T, V>& dy,
                              std::uint8_t positive, const Affine& affine) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    g[j] = to_float(dy.at[j]);
    bool through = true;
    if constexpr (kMask == Mask::computed) {
      through = affine(to_float(x.at[j]), kLast ? j : 0) > 0;
    } else if constexpr (kMask == Mask::stored) {
      through = (positive & bit_of<V>(j)) != 0;
    }
    if (!through) g[j] = 0;
  }
}

template <class T, int V, bool kLast, Mask kMask>
__global__ void __launch_bounds__(kThreads)
    sum_gradients(const BatchNormBackward pass, const ChannelGrid grid,
                  const BatchNormStatistics statistics, float* partials) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 2;
  const auto* input = static_cast<const T*>(pass.input);
  const auto* gradient = static_cast<const T*>(pass.gradient);
  ChannelWalk<V, kLast> walk(grid);
  Sums<A> mine{};
  if (walk.has_channel()) {
    const Affine<A> affine(walk, statistics, pass.scale, pass.shift);
    while (walk.within()) {
      Pack<T, V> x[kAhead] = {}, dy[kAhead] = {};
      std::uint8_t positive[kAhead] = {};
      bool there[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        there[k] = walk.within();
        if (there[k]) {
          const std::int64_t offset = walk.offset();
          x[k] = load<V>(input + offset);
          dy[k] = load<V>(gradient + offset);
          if constexpr (kMask == Mask::stored) positive[k] = pass.mask[offset / V];
        }
        walk.next();
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (!there[k]) continue;
        float g[V];
        mask_gradient<T, V, kMask, kLast>(g, x[k], dy[k], positive[k], affine);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int a = kLast ? j : 0;
          mine.plain[a] += g[j];
          mine.by_distance[a] =
              fmaf(g[j], to_float(x[k].at[j]) - affine.mean[a], mine.by_distance[a]);
        }
      }
    }
  }
  __shared__ Sums<A> shared[kThreads];
  merge_in_block(mine, shared, grid.lanes, [](Sums<A>& into, const Sums<A>& from) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      into.plain[j] += from.plain[j];
      into.by_distance[j] += from.by_distance[j];
    }
  });
  if (static_cast<int>(threadIdx.x) < grid.lanes && walk.has_channel()) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      *partial(partials, grid, walk, 0, j) = mine.plain[j];
      *partial(partials, grid, walk, 1, j) = mine.by_distance[j];
    }
  }
}

/// A warp a channel: the gradients of its scale and shift, and what its elements' need.
__global__ void finish_gradients(const float* partials, int channels, int chunks, float share,
                                 const BatchNormStatistics statistics, float* scale_gradient,
                                 float* shift_gradient) {
  const int channel = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (channel >= channels) return;
  const float* plain = partials + static_cast<std::int64_t>(channel) * chunks;
  const float* by_distance = plain + static_cast<std::int64_t>(channels) * chunks;
  float sum = 0, product = 0;
  for (int k = lane; k < chunks; k += kWarp) {
    sum += plain[k];
    product += by_distance[k];
  }
  sum = sum_of_warp(sum);
  product = sum_of_warp(product);
  if (lane == 0) {
    const float deviation = statistics.deviation[channel];
    product *= deviation;
    shift_gradient[channel] = sum;
    if (scale_gradient != nullptr) scale_gradient[channel] = product;
    statistics.gradient_mean[channel] = sum * share;
    statistics.gradient_slope[channel] = product * deviation * share;
  }
}

template <class T, int V, bool kLast, Mask kMask>
__global__ void __launch_bounds__(kThreads)
    pass_gradients(const BatchNormBackward pass, const ChannelGrid grid,
                   const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 2;
  const auto* input = static_cast<const T*>(pass.input);
  const auto* gradient = static_cast<const T*>(pass.gradient);
  auto* input_gradient = static_cast<T*>(pass.input_gradient);
  auto* added_gradient = static_cast<T*>(pass.added_gradient);
  ChannelWalk<V, kLast> walk(grid, true);
  if (!walk.has_channel()) return;
  const Affine<A> affine(walk, statistics, pass.scale, pass.shift);
  float constant[A], linear[A];
#pragma unroll
  for (int j = 0; j < A; ++j) {
    constant[j] = -affine.slope[j] * statistics.gradient_mean[walk.channel() + j];
    linear[j] = -affine.slope[j] * statistics.gradient_slope[walk.channel() + j];
  }
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {}, dy[kAhead] = {};
    std::uint8_t positive[kAhead] = {};
    std::int64_t offsets[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      offsets[k] = walk.within() ? walk.offset() : -1;
      if (offsets[k] >= 0) {
        x[k] = load<V>(input + offsets[k]);
        dy[k] = load<V>(gradient + offsets[k]);
        if constexpr (kMask == Mask::stored) positive[k] = pass.mask[offsets[k] / V];
      }
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (offsets[k] < 0) continue;
      float g[V];
      mask_gradient<T, V, kMask, kLast>(g, x[k], dy[k], positive[k], affine);
      if (added_gradient != nullptr) put<V>(added_gradient + offsets[k], g, pass.added_adds);
      if (input_gradient != nullptr) {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int a = kLast ? j : 0;
          const float distance = to_float(x[k].at[j]) - affine.mean[a];
          g[j] = fmaf(affine.slope[a], g[j], fmaf(linear[a], distance, constant[a]));
        }
        put<V>(input_gradient + offsets[k], g, pass.input_adds);
      }
    }
  }
}

dim3 blocks_of(const ChannelGrid& grid) {
  return {static_cast<unsigned>(grid.columns), static_cast<unsigned>(grid.chunks)};
}
dim3 blocks_of_warps(int channels) {
  constexpr int kWarps = kThreads / kWarp;
  return {static_cast<unsigned>((channels + kWarps - 1) / kWarps)};
}

/// Calls `f.template operator()<T, V, kLast>()` for a shape.
template <class F>
void with_shape(const BatchNormShape& shape, F f) {
  with_pack(
      shape.element, [&](int wide) { return shape.grid.pack == wide; },
      [&]<class T, int V>() {
        if (shape.grid.channels_last) {
          f.template operator()<T, V, true>();
        } else {
          f.template operator()<T, V, false>();
        }
      });
}

template <Mask kMask>
void queue_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                    const BatchNormStatistics& statistics, float* partials, cudaStream_t stream) {
  const ChannelGrid& grid = shape.grid;
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    launch(sum_gradients<T, V, kLast, kMask>, blocks_of(grid), dim3(kThreads), stream, pass, grid,
           statistics, partials);
    const auto count = static_cast<double>(grid.items) * grid.pixels;
    launch(finish_gradients, blocks_of_warps(grid.channels), dim3(kThreads), stream, partials,
           grid.channels, grid.chunks, static_cast<float>(1 / count), statistics,
           pass.scale_gradient, pass.shift_gradient);
    if (pass.input_gradient == nullptr && pass.added_gradient == nullptr) return;
    launch(pass_gradients<T, V, kLast, kMask>, blocks_of(grid), dim3(kThreads), stream, pass, grid,
           statistics);
  });
}

}  // namespace

std::size_t BatchNormShape::scratch_bytes() const {
  constexpr std::size_t kFields = 3;  // of a partial result
  return kFields * sizeof(float) * static_cast<std::size_t>(grid.channels) *
         static_cast<std::size_t>(grid.chunks);
}

void batch_norm_forward(const BatchNormShape& shape, const BatchNormForward& pass,
                        const BatchNormStatistics& statistics, void* scratch, cudaStream_t stream) {
  const ChannelGrid& grid = shape.grid;
  auto* partials = static_cast<float*>(scratch);
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    launch(sum_inputs<T, V, kLast>, blocks_of(grid), dim3(kThreads), stream,
           static_cast<const T*>(pass.input), grid, partials);
    launch(finish_statistics, blocks_of_warps(grid.channels), dim3(kThreads), stream, partials,
           grid.channels, grid.chunks, statistics.mean, statistics.deviation);
    launch(pass.added == nullptr ? normalise<T, V, kLast, false> : normalise<T, V, kLast, true>,
           blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.relu, statistics);
  });
}

void batch_norm_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                         const BatchNormStatistics& statistics, void* scratch,
                         cudaStream_t stream) {
  auto* partials = static_cast<float*>(scratch);
  if (!shape.relu) {
    queue_backward<Mask::none>(shape, pass, statistics, partials, stream);
  } else if (pass.mask == nullptr) {
    queue_backward<Mask::computed>(shape, pass, statistics, partials, stream);
  } else {
    queue_backward<Mask::stored>(shape, pass, statistics, partials, stream);
  }
}

}  // namespace paceline::cuda
