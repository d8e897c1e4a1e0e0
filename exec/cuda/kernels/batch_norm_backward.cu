// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/batch_norm_channels.cuh"
#include "exec/cuda/kernels/batch_norm_gradient.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

/// Partial sums for A channels, over the elements of one thread or one block.
template <int A, int kNorms>
struct Sums {
  float plain[A];
  float by_distance[kNorms][A];
  /// Makes the size an odd number of words, to avoid bank conflicts in shared memory.
  float odd[1 + (1 + kNorms) * A % 2];

  __device__ float field(int field, int j = 0) const {
    return field == 0 ? plain[j] : by_distance[field - 1][j];
  }
};

/// The gradients of a norm's scale and shift, and the means that its input's gradient needs.
__device__ inline void finish_norm(int channel, float plain, float by_distance, float count,
                                   const BatchNormStatistics& statistics, float* scale_gradient,
                                   float* shift_gradient) {
  const float deviation = statistics.deviation[channel];
  const float product = by_distance * deviation;
  shift_gradient[channel] = plain;
  if (scale_gradient != nullptr) scale_gradient[channel] = product;
  statistics.gradient_mean[channel] = plain / count;
  statistics.gradient_slope[channel] = product * deviation / count;
}

template <int kNorms>
__device__ void finish_gradients(const Partials<1 + kNorms>& partials, const ChannelGrid& grid,
                                 float count, int channels, const BatchNormStatistics& statistics,
                                 const BatchNormBackward& pass) {
  const auto fold = [&](int first, int rows, int channel) {
    Sums<1, kNorms> all{};
#pragma unroll 4
    for (int row = first; row < first + rows; ++row) {
      all.plain[0] += __ldcg(partials.at(grid, row, 0, channel));
#pragma unroll
      for (int n = 0; n < kNorms; ++n) {
        all.by_distance[n][0] += __ldcg(partials.at(grid, row, 1 + n, channel));
      }
    }
    return all;
  };
  const auto finish = [&](int channel, const Sums<1, kNorms>& all) {
    finish_norm(channel, all.plain[0], all.by_distance[0][0], count, statistics,
                pass.scale_gradient, pass.shift_gradient);
    if constexpr (kNorms == 2) {
      const ShortcutNorm& norm = pass.shortcut;
      finish_norm(channel, all.plain[0], all.by_distance[1][0], count, norm.statistics,
                  norm.scale_gradient, norm.shift_gradient);
    }
  };
  finish_column(partials, grid, static_cast<int>(blockIdx.x) * channels, channels, fold, finish);
}

template <class T, int V, bool kLast, Mask kMask, int kNorms>
__global__ void __launch_bounds__(kThreads)
    sum_gradients(const BatchNormBackward pass, const ChannelGrid grid, const KeptPixels kept,
                  const BatchNormStatistics statistics, const Partials<1 + kNorms> partials) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = ahead_of(kNorms, kMask);
  using All = Sums<A, kNorms>;
  ChannelWalk<V, kLast> walk(grid);
  All mine{};
  if (walk.has_channel()) {
    const Affine<A> affine(walk, statistics, pass.scale, pass.shift);
    float mean[kNorms][A];
    load_channels(mean[0], statistics.mean, walk.channel());
    if constexpr (kNorms == 2) {
      load_channels(mean[1], pass.shortcut.statistics.mean, walk.channel());
    }
    while (walk.within()) {
      Read<T, V, kLast, kNorms> reads[kAhead] = {};
#pragma unroll
      for (int k = 0; k < kAhead; ++k) {
        const Place<V, kLast> place = reads[k].place = walk.place();
        if (place.offset >= 0) {
          const Place<V, kLast> from = place_of_inputs(walk, place, kept);
          read_pack<kNorms, kMask>(reads[k], walk, pass, from, place, kept);
        }
        walk.next();
      }
#pragma unroll
      for (const Read<T, V, kLast, kNorms>& read : reads) {
        if (read.place.offset < 0) continue;
        float g[V];
        mask_gradient<kMask>(g, read, affine, walk, pass);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (!read.place.has(j)) continue;
          const int a = kLast ? j : 0;
          mine.plain[a] += g[j];
#pragma unroll
          for (int n = 0; n < kNorms; ++n) {
            const float distance = to_float(read.x[n].at[j]) - mean[n][a];
            mine.by_distance[n][a] = fmaf(g[j], distance, mine.by_distance[n][a]);
          }
        }
      }
    }
  }
  __shared__ All shared[kThreads];
  merge_in_block(mine, shared, grid.lanes, [](All& into, const All& from) {
#pragma unroll
    for (int j = 0; j < A; ++j) {
      into.plain[j] += from.plain[j];
#pragma unroll
      for (int n = 0; n < kNorms; ++n) into.by_distance[n][j] += from.by_distance[n][j];
    }
  });
  put_row<A>(partials, grid, walk, mine);
  finish_gradients<kNorms>(partials, grid, numbers_of_channel(grid, kept),
                           kLast ? grid.lanes * V : 1, statistics, pass);
}

/// The gradient of a norm's input: slope x (g - mean of g - slope of g x distance from the mean).
template <int A>
struct InputGradient {
  Affine<A> affine;
  float constant[A], linear[A];

  template <class Walk>
  __device__ InputGradient(const Walk& walk, const BatchNormStatistics& statistics,
                           const float* scale, const float* shift)
      : affine(walk, statistics, scale, shift) {
    load_channels(constant, statistics.gradient_mean, walk.channel());
    load_channels(linear, statistics.gradient_slope, walk.channel());
#pragma unroll
    for (int j = 0; j < A; ++j) {
      constant[j] *= -affine.slope[j];
      linear[j] *= -affine.slope[j];
    }
  }
  template <class T, int V>
  __device__ void operator()(float (&dx)[V], const Pack<T, V>& x, const float (&g)[V]) const {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const int a = A == 1 ? 0 : j;
      const float distance = to_float(x.at[j]) - affine.mean[a];
      dx[j] = fmaf(affine.slope[a], g[j], fmaf(linear[a], distance, constant[a]));
    }
  }
};

template <class T, int V, bool kLast, Mask kMask, int kNorms>
__global__ void __launch_bounds__(kThreads)
    pass_gradients(const BatchNormBackward pass, const ChannelGrid grid, const KeptPixels kept,
                   const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = ahead_of(kNorms, kMask);
  auto* input_gradient = static_cast<T*>(pass.input_gradient);
  auto* added_gradient = static_cast<T*>(pass.added_gradient);
  ChannelWalk<V, kLast> walk(grid, true);
  if (!walk.has_channel()) return;
  const InputGradient<A> norm(walk, statistics, pass.scale, pass.shift);
  const ShortcutNorm& second = pass.shortcut;
  const InputGradient<A> shortcut(walk, kNorms == 2 ? second.statistics : statistics, second.scale,
                                  kNorms == 2 ? second.shift : pass.shift);
  while (walk.within()) {
    Read<T, V, kLast, kNorms> reads[kAhead] = {};
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const Place<V, kLast> place = reads[k].place = walk.place();
      if (place.offset >= 0) {
        const Place<V, kLast> from = place_of_output(walk, place, kept);
        read_pack<kNorms, kMask>(reads[k], walk, pass, place, from, kept);
      }
      walk.next();
    }
#pragma unroll
    for (const Read<T, V, kLast, kNorms>& read : reads) {
      if (read.place.offset < 0) continue;
      float g[V];
      mask_gradient<kMask>(g, read, norm.affine, walk, pass);
      // The input's gradient is written first: both may be the same tensor, and then the second
      // adds.
      float dx[V];
      if (input_gradient != nullptr) {
        norm(dx, read.x[0], g);
        put_at(input_gradient, read.place, dx, pass.input_adds);
      }
      if (added_gradient == nullptr) continue;
      if constexpr (kNorms == 2) shortcut(g, read.x[1], g);
      put_at(added_gradient, read.place, g, pass.added_adds);
    }
  }
}

/// Of the two launches, without the partial results.
struct Costs {
  Cost sums{"batch norm: gradient sums"};
  Cost elements{"batch norm: gradient"};

  Costs(const BatchNormShape& shape, const BatchNormBackward& pass) {
    const std::int64_t tensor = shape.tensor_bytes();
    std::int64_t mask = shape.relu && pass.mask != nullptr ? shape.mask_bytes() : 0;
    if (pass.pool.places != nullptr) mask = pass.pool.shape.places_bytes();
    std::int64_t affine = shape.vectors_bytes(pass.scale != nullptr ? 4 : 3);
    int inputs = 1, gradients = pass.scale_gradient != nullptr ? 4 : 3, means = 2;
    if (pass.shortcut) {
      affine += shape.vectors_bytes(pass.shortcut.scale != nullptr ? 4 : 3);
      inputs = 2, means = 4;
      gradients += pass.shortcut.scale_gradient != nullptr ? 4 : 3;
    }
    std::int64_t dy = shape.output_bytes();
    if (pass.kept_gradient != nullptr) {
      const ChannelGrid part = shape.grid.with_pixels(pass.kept_pixels.kept());
      dy += part.elements() * bytes_of(shape.element) + part.packs();
    }
    sums.read = inputs * shape.kept_bytes() + dy + mask + affine;
    sums.written = shape.vectors_bytes(gradients);
    elements.read = inputs * tensor + dy + mask + affine + shape.vectors_bytes(means);
    const bool passes = pass.input_gradient != nullptr;
    const bool adds = pass.added_gradient != nullptr;
    if (passes) elements.written += tensor;
    if (passes && pass.input_adds) elements.read += tensor;
    if (adds) elements.written += tensor;
    if (adds && pass.added_adds) elements.read += tensor;
    if (adds) elements.name = "batch norm: gradient and add";
    if (pass.shortcut) {
      sums.name = "batch norm: gradient sums of two";
      elements.name = "batch norm: gradients of two";
    }
  }
};

template <Mask kMask, int kNorms>
void queue_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                    const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                    cudaStream_t stream) {
  constexpr int kFields = 1 + kNorms;  // of a channel, in Sums
  const Partials<kFields> partials{static_cast<float*>(scratch.partials), scratch.arrivals};
  Costs costs(shape, pass);
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    const auto sum = sum_gradients<T, V, kLast, kMask, kNorms>;
    ChannelGrid grid = fitting(pass.pool ? shape.grid : shape.output, sum);
    costs.sums.read += grid.grouped_bytes(kFields);
    costs.sums.written += grid.grouped_bytes(kFields);
    launch(costs.sums, sum, blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.kept,
           statistics, partials);
    if (pass.input_gradient == nullptr && pass.added_gradient == nullptr) return;
    const auto apply = pass_gradients<T, V, kLast, kMask, kNorms>;
    grid = fitting(shape.grid, apply);
    launch(costs.elements, apply, blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.kept,
           statistics);
  });
}

}  // namespace

void batch_norm_backward(const BatchNormShape& shape, const BatchNormBackward& pass,
                         const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                         cudaStream_t stream) {
  const bool two = static_cast<bool>(pass.shortcut);
  const auto queue_stored = two                             ? queue_backward<Mask::stored, 2>
                            : pass.kept_gradient != nullptr ? queue_backward<Mask::twofold, 1>
                                                            : queue_backward<Mask::stored, 1>;
  const auto queue = !shape.relu
                         ? (two ? queue_backward<Mask::none, 2> : queue_backward<Mask::none, 1>)
                     : pass.pool.places != nullptr ? queue_backward<Mask::pooled, 1>
                     : pass.pool                   ? queue_backward<Mask::averaged, 1>
                     : pass.mask == nullptr        ? queue_backward<Mask::computed, 1>
                                                   : queue_stored;
  queue(shape, pass, statistics, scratch, stream);
}

}  // namespace paceline::cuda
