// SPDX-License-Identifier: MIT
// Means and deviations are merged as (count, mean, sum of squared distances from the mean), after
// Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979, so that a mean far from 0 does not cancel the variance.
#include "exec/cuda/kernels/batch_norm_channels.cuh"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

constexpr int kFields = 3;  ///< of a channel, in Moments

/// Moments of A channels, over the elements of one thread or one block.
template <int A>
struct Moments {
  float mean[A];
  float squares[A];  ///< sums of squared distances from the mean
  float count;

  __device__ float field(int field, int j = 0) const {
    return field == 0 ? mean[j] : field == 1 ? squares[j] : count;
  }
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

/// Of the column's `channels` channels.
__device__ void finish_statistics(const Partials<kFields>& partials, const ChannelGrid& grid,
                                  int channels, const BatchNormStatistics& statistics) {
  const auto fold = [&](int first, int rows, int channel) {
    Moments<1> all{};
#pragma unroll 4
    for (int row = first; row < first + rows; ++row) {
      const auto read = [&](int field) { return __ldcg(partials.at(grid, row, field, channel)); };
      join(all, Moments<1>{{read(0)}, {read(1)}, read(2)});
    }
    return all;
  };
  const auto finish = [&](int channel, const Moments<1>& all) {
    statistics.mean[channel] = all.mean[0];
    statistics.deviation[channel] = 1.0f / sqrtf(all.squares[0] / all.count + kBatchNormEpsilon);
  };
  finish_column(partials, grid, static_cast<int>(blockIdx.x) * channels, channels, fold, finish);
}

template <class T, int V, bool kLast>
__global__ void __launch_bounds__(kThreads)
    sum_inputs(const T* input, const ChannelGrid grid, const Partials<kFields> partials,
               const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr int kAhead = 4;  // loads in flight per thread
  ChannelWalk<V, kLast> walk(grid);
  // Sums relative to the first value, which is near the mean if the mean is far from 0.
  float origin[A] = {}, sum[A] = {}, squares[A] = {};
  if (walk.within()) {
#pragma unroll
    for (int j = 0; j < A; ++j) origin[j] = to_float(input[walk.origin() + j]);
  }
  int numbers = 0;  // of each channel
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {};
    Place<V, kLast> places[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      places[k] = walk.place();
      if (places[k].offset >= 0) x[k] = load_at(input, places[k]);
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (places[k].offset < 0) continue;
      if (kLast) ++numbers;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!places[k].has(j)) continue;
        if (!kLast) ++numbers;
        const int a = kLast ? j : 0;
        const float distance = to_float(x[k].at[j]) - origin[a];
        sum[a] += distance;
        squares[a] = fmaf(distance, distance, squares[a]);
      }
    }
  }
  Moments<A> mine{};
  if (numbers > 0) {
    mine.count = static_cast<float>(numbers);
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
  put_row<A>(partials, grid, walk, mine);
  finish_statistics(partials, grid, kLast ? grid.lanes * V : 1, statistics);
}

/// The second operand of the add.
enum class Other { none, plain, normalised };

template <class T, int V, bool kLast, Other kOther>
__global__ void __launch_bounds__(kThreads)
    normalise(const BatchNormForward pass, const ChannelGrid grid, const KeptPixels kept, bool relu,
              const BatchNormStatistics statistics) {
  constexpr int A = ChannelWalk<V, kLast>::kChannels;
  constexpr bool kAdd = kOther != Other::none;
  constexpr int kAhead = kAdd ? 2 : 4;
  const auto* input = static_cast<const T*>(pass.input);
  const auto* added = static_cast<const T*>(pass.added);
  auto* output = static_cast<T*>(pass.output);
  ChannelWalk<V, kLast> walk(grid, true);
  if (!walk.has_channel()) return;
  const float count = numbers_of_channel(grid, kept);
  const Affine<A> affine =
      affine_of<A>(walk, grid, count, pass.sums, statistics, pass.scale, pass.shift);
  Affine<A> shortcut;
  if constexpr (kOther == Other::normalised) {
    const ShortcutNorm& norm = pass.shortcut;
    shortcut = affine_of<A>(walk, grid, count, norm.sums, norm.statistics, norm.scale, norm.shift);
  }
  while (walk.within()) {
    Pack<T, V> x[kAhead] = {}, other[kAhead] = {};
    Place<V, kLast> places[kAhead];
    std::int64_t numbers[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      places[k] = walk.place();
      if constexpr (kAdd) numbers[k] = walk.number();
      if (places[k].offset >= 0) {
        const Place<V, kLast> from = place_of_inputs(walk, places[k], kept);
        x[k] = load_at(input, from);
        if constexpr (kAdd) other[k] = load_at(added, from);
      }
      walk.next();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (places[k].offset < 0) continue;
      float y[V];
      std::uint8_t positive = 0;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        float value = affine(to_float(x[k].at[j]), kLast ? j : 0);
        const float second = to_float(other[k].at[j]);
        if constexpr (kOther == Other::plain) value += second;
        if constexpr (kOther == Other::normalised) value += shortcut(second, kLast ? j : 0);
        if (value > 0) positive |= bit_of<V>(j);
        y[j] = relu && value < 0 ? 0 : value;  // NaN stays NaN
      }
      put_at(output, places[k], y, false);
      if (kAdd && relu) pass.mask[numbers[k]] = positive;
    }
  }
}

}  // namespace

void BatchNormShape::keep(const KeptPixels& pixels) {
  kept = pixels;
  write_other(kept.kept());
}

void BatchNormShape::write_other(int pixels) {
  grid = grid.with_pixels(grid.pixels);
  output = grid.with_pixels(pixels);
}

std::int64_t BatchNormShape::kept_bytes() const {
  if (!kept) return tensor_bytes();
  // In nchw the pixels of a row are beside each other, so that the whole row is read.
  const int pixels = kept.rows() * (grid.channels_last ? kept.columns() : kept.width);
  return std::int64_t{grid.items} * grid.channels * pixels * bytes_of(element);
}

std::size_t BatchNormShape::scratch_bytes() const {
  return static_cast<std::size_t>(grid.with_blocks(kMostBlocksEach).grouped_bytes(kFields));
}

std::size_t BatchNormShape::arrivals_bytes() const {
  return static_cast<std::size_t>(grid.with_blocks(kMostBlocksEach).arrivals()) * sizeof(unsigned);
}

void batch_norm_statistics(const BatchNormShape& shape, const void* input,
                           const BatchNormStatistics& statistics, const BatchNormScratch& scratch,
                           cudaStream_t stream) {
  const Partials<kFields> partials{static_cast<float*>(scratch.partials), scratch.arrivals};
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    const auto sum = sum_inputs<T, V, kLast>;
    const ChannelGrid grid = fitting(shape.grid, sum);
    const Cost cost{"batch norm: statistics", shape.tensor_bytes() + grid.grouped_bytes(3),
                    grid.grouped_bytes(3) + shape.vectors_bytes(2)};
    launch(cost, sum, blocks_of(grid), dim3(kThreads), stream, static_cast<const T*>(input), grid,
           partials, statistics);
  });
}

void batch_norm_forward(const BatchNormShape& shape, const BatchNormForward& pass,
                        const BatchNormStatistics& statistics, cudaStream_t stream) {
  if (pass.pool) return batch_norm_pool(shape, pass, statistics, stream);
  const bool adds = pass.added != nullptr;
  const ShortcutNorm& shortcut = pass.shortcut;
  Cost cost{
      adds ? "batch norm: normalise and add" : "batch norm: normalise",
      (adds ? 2 : 1) * shape.kept_bytes() + shape.vectors_bytes(pass.scale != nullptr ? 4 : 3),
      shape.output_bytes() + (adds && shape.relu ? shape.mask_bytes() : 0) +
          shape.vectors_bytes(pass.sums != nullptr ? 2 : 0)};
  if (shortcut) {
    cost.name = "batch norm: normalise two and add";
    cost.read += shape.vectors_bytes(shortcut.scale != nullptr ? 4 : 3);
    cost.written += shape.vectors_bytes(shortcut.sums != nullptr ? 2 : 0);
  }
  with_shape(shape, [&]<class T, int V, bool kLast>() {
    const auto apply = shortcut ? normalise<T, V, kLast, Other::normalised>
                       : adds   ? normalise<T, V, kLast, Other::plain>
                                : normalise<T, V, kLast, Other::none>;
    const ChannelGrid grid = fitting(shape.output, apply);
    launch(cost, apply, blocks_of(grid), dim3(kThreads), stream, pass, grid, shape.kept, shape.relu,
           statistics);
  });
}

}  // namespace paceline::cuda
