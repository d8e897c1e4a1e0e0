// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/batch_norm_channels.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

/// Partial sums for A channels, over the elements of one thread or one block.
template <int A>
struct Sums {
  float plain[A];
  float by_distance[A];
  float odd;  ///< makes the size an odd number of words, to avoid bank conflicts in shared memory

  __device__ float field(int field, int j = 0) const {
    return field == 0 ? plain[j] : by_distance[j];
  }
};

/// The gradients of scale and shift, and the means that the input's gradient needs.
__device__ void finish_gradients(const Partials<2>& partials, const ChannelGrid& grid, int channels,
                                 const BatchNormStatistics& statistics,
                                 const BatchNormBackward& pass) {
  const auto fold = [&](int first, int rows, int channel) {
    Sums<1> all{};
#pragma unroll 4
    for (int row = first; row < first + rows; ++row) {
      all.plain[0] += __ldcg(partials.at(grid, row, 0, channel));
      all.by_distance[0] += __ldcg(partials.at(grid, row, 1, channel));
    }
    return all;
  };
  const float count = static_cast<float>(grid.items) * static_cast<float>(grid.pixels);
  const auto finish = [&](int channel, const Sums<1>& all) {
    const float deviation = statistics.deviation[channel];
    const float product = all.by_distance[0] * deviation;
    pass.shift_gradient[channel] = all.plain[0];
    if (pass.scale_gradient != nullptr) pass.scale_gradient[channel] = product;
    statistics.gradient_mean[channel] = all.plain[0] / count;
    statistics.gradient_slope[channel] = product * deviation / count;
  };
  finish_column(partials, grid, static_cast<int>(blockIdx.x) * channels, channels, fold, finish);
}

/// The source of the ReLU's mask.
enum class Mask { none, computed, stored };

/// Computes the gradient of a pack behind the ReLU's mask.
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
                  const BatchNormStatistics statistics, const Partials<2> partials) {
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
      Place<V, kLast> places[kAhead];
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        places[k] = walk.place();
        if (places[k].offset >= 0) {
          x[k] = load_at(input, places[k]);
          dy[k] = load_at(gradient, places[k]);
          if constexpr (kMask == Mask::stored) positive[k] = pass.mask[walk.number()];
        }
        walk.next();
      }
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        if (places[k].offset < 0) continue;
        float g[V];
        mask_gradient<T, V, kMask, kLast>(g, x[k], dy[k], positive[k], affine);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (!places[k].has(j)) continue;
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
  put_row<A>(partials, grid, walk, mine);
  finish_gradients(partials, grid, kLast ? grid.lanes * V : 1, statistics, pass);
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
  load_channels(constant, statistics.gradient_mean, walk.channel());
  load_channels(linear, statistics.gradient_slope, walk.channel());
#pragma unroll
  for (int j = 0; j < A; ++j) {
    constant[j] *= -affine.slope[j];
    linear[j] *= -affine.slope[j];
  }
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {}, dy[kAhead] = {};
    std::uint8_t positive[kAhead] = {};
    Place<V, kLast> places[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      places[k] = walk.place();
      if (places[k].offset >= 0) {
        x[k] = load_at(input, places[k]);
        dy[k] = load_at(gradient, places[k]);
        if constexpr (kMask == Mask::stored) positive[k] = pass.mask[walk.number()];
      }
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (places[k].offset < 0) continue;
      float g[V];
      mask_gradient<T, V, kMask, kLast>(g, x[k], dy[k], positive[k], affine);
      // The input's gradient is written first: both may be the same tensor, and then the second
      // adds.
      if (input_gradient != nullptr) {
        float dx[V];
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int a = kLast ? j : 0;
          const float distance = to_float(x[k].at[j]) - affine.mean[a];
          dx[j] = fmaf(affine.slope[a], g[j], fmaf(linear[a], distance, constant[a]));
        }
        put_at(input_gradient, places[k], dx, pass.input_adds);
      }
      if (added_gradient != nullptr) put_at(added_gradient, places[k], g, pass.added_adds);
    }
  }
}

/// Of the two launches, without the partial results.
struct Costs {
  Cost sums{"batch norm: gradient sums"};
  Cost elements{"batch norm: gradient"};

  Costs(const BatchNormShape& shape, const BatchNormBackward& pass) {
    const std::int64_t tensor = shape.tensor_bytes();
    const std::int64_t mask = shape.relu && pass.mask != nullptr ? shape.mask_bytes() : 0;
    const std::int64_t affine = shape.vectors_bytes(pass.scale != nullptr ? 4 : 3);
    sums.read = 2 * tensor + mask + affine;
    sums.written = shape.vectors_bytes(pass.scale_gradient != nullptr ? 4 : 3);
    elements.read = 2 * tensor + mask + affine + shape.vectors_bytes(2);
    const bool passes = pass.input_gradient != nullptr;
    const bool adds = pass.added_gradient != nullptr;
    if (passes) elements.written += tensor;
    if (passes && pass.input_adds) elements.read += tensor;
    if (adds) elements.written += tensor;
    if (adds && pass.added_adds) elements.read += tensor;
    if (adds) elements.name = "batch norm: gradient and add";
  }
};

template <Mask kMask>
void queue_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                    const BatchNormStatistics& statistics, const Partials<2>& partials,
                    cudaStream_t stream) {
  Costs costs(shape, pass);
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    const auto sum = sum_gradients<T, V, kLast, kMask>;
    ChannelGrid grid = fitting(shape.grid, sum);
    costs.sums.read += grid.grouped_bytes(2);
    costs.sums.written += grid.grouped_bytes(2);
    launch(costs.sums, sum, blocks_of(grid), dim3(kThreads), stream, pass, grid, statistics,
           partials);
    if (pass.input_gradient == nullptr && pass.added_gradient == nullptr) return;
    const auto apply = pass_gradients<T, V, kLast, kMask>;
    grid = fitting(shape.grid, apply);
    launch(costs.elements, apply, blocks_of(grid), dim3(kThreads), stream, pass, grid, statistics);
  });
}

}  // namespace

void batch_norm_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                         const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                         cudaStream_t stream) {
  const Partials<2> partials{static_cast<float*>(scratch.partials), scratch.arrivals};
  if (!shape.relu) {
    queue_backward<Mask::none>(shape, pass, statistics, partials, stream);
  } else if (pass.mask == nullptr) {
    queue_backward<Mask::computed>(shape, pass, statistics, partials, stream);
  } else {
    queue_backward<Mask::stored>(shape, pass, statistics, partials, stream);
  }
}

}  // namespace paceline::cuda
