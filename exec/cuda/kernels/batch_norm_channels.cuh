// SPDX-License-Identifier: MIT
/// \file
/// The parts that both passes of batch norm share. Each pass has two launches: sums per channel,
/// and the elements.
#pragma once
#include "exec/cuda/kernels/batch_norm.hpp"
#include "exec/cuda/kernels/channel_walk.cuh"

namespace paceline::cuda {

/// Partial results: a row of [field][channel] for each chunk, then one for each group of chunks.
template <int kFields>
struct Partials {
  float* rows;
  unsigned* arrivals;

  __device__ float* at(const ChannelGrid& grid, int row, int field, int channel) const {
    return rows + (static_cast<std::int64_t>(row) * kFields + field) * grid.channels + channel;
  }
};

/// Whether this is the last of `blocks` blocks to come here; what the others have written is then
/// visible. Sets the count back to 0.
__device__ inline bool arrives_last(unsigned* count, int blocks) {
  __shared__ bool last;
  const auto end = static_cast<unsigned>(blocks - 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(count, end) == end;
  __syncthreads();
  __threadfence();
  return last;
}

/// Writes the state of a block's channels, which its first lanes hold.
template <int kChannels, int kFields, class State, class Walk>
__device__ void put_row(const Partials<kFields>& partials, const ChannelGrid& grid,
                        const Walk& walk, const State& mine) {
  if (static_cast<int>(threadIdx.x) >= grid.lanes || !walk.has_channel()) return;
#pragma unroll
  for (int field = 0; field < kFields; ++field) {
    float* to = partials.at(grid, static_cast<int>(blockIdx.y), field, walk.channel());
#pragma unroll
    for (int j = 0; j < kChannels; ++j) to[j] = mine.field(field, j);
  }
}

/// Ends a reduction in the blocks that come last: first of each group of chunks, then of the
/// column. The order of sums is the same whichever these are. `fold(first, rows, channel)` reduces
/// the rows from `first` on to one state; `finish(channel, state)` takes the result.
template <int kFields, class Fold, class Finish>
__device__ void finish_column(const Partials<kFields>& partials, const ChannelGrid& grid,
                              int first_channel, int channels, Fold fold, Finish finish) {
  const int end = min(first_channel + channels, grid.channels);
  const int size = grid.chunks_of_group(), groups = grid.groups();
  const int group = static_cast<int>(blockIdx.y) / size;
  const int first = group * size;
  const int rows = min(size, grid.chunks - first);
  unsigned* counts = partials.arrivals + static_cast<std::int64_t>(blockIdx.x) * (groups + 1);
  if (!arrives_last(counts + group, rows)) return;
  const int own = first_channel + static_cast<int>(threadIdx.x);
  for (int channel = own; channel < end; channel += kThreads) {
    const auto state = fold(first, rows, channel);
    for (int field = 0; field < kFields; ++field) {
      *partials.at(grid, grid.chunks + group, field, channel) = state.field(field);
    }
  }
  if (!arrives_last(counts + groups, groups)) return;
  for (int channel = own; channel < end; channel += kThreads) {
    finish(channel, fold(grid.chunks, groups, channel));
  }
}

/// The grid of which all blocks of `kernel` run at once.
template <class... Parameters>
ChannelGrid fitting(const ChannelGrid& grid, void (*kernel)(Parameters...)) {
  return grid.with_blocks(resident_blocks(reinterpret_cast<const void*>(kernel)));
}

/// Loads one parameter for each of a thread's channels, 16 bytes at a time if `all` is aligned (a
/// vector in the flat weights may begin anywhere).
template <int A>
__device__ void load_channels(float (&to)[A], const float* all, int channel) {
  if constexpr (A % 4 == 0) {
    if (reinterpret_cast<std::uintptr_t>(all) % 16 == 0) {
#pragma unroll
      for (int j = 0; j < A; j += 4) {
        const Pack<float, 4> four = load<4>(all + channel + j);
#pragma unroll
        for (int k = 0; k < 4; ++k) to[j + k] = four.at[k];
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < A; ++j) to[j] = all[channel + j];
}

/// y = (x - mean) x slope + shift for a thread's channels.
template <int A>
struct Affine {
  float mean[A];
  float slope[A];
  float shift[A];

  Affine() = default;
  template <class Walk>
  __device__ Affine(const Walk& walk, const BatchNormStatistics& statistics, const float* scales,
                    const float* shifts) {
    load_channels(mean, statistics.mean, walk.channel());
    load_channels(slope, statistics.deviation, walk.channel());
    scale_and_shift(walk, scales, shifts);
  }
  template <class Walk>
  __device__ Affine(const Walk& walk, const float (&means)[A], const float (&deviations)[A],
                    const float* scales, const float* shifts) {
#pragma unroll
    for (int j = 0; j < A; ++j) mean[j] = means[j], slope[j] = deviations[j];
    scale_and_shift(walk, scales, shifts);
  }
  // The same instruction in both passes, since backward recomputes the ReLU's mask and must round
  // the same way.
  __device__ float operator()(float x, int j) const {
    return fmaf(x - mean[j], slope[j], shift[j]);
  }

 private:
  template <class Walk>
  __device__ void scale_and_shift(const Walk& walk, const float* scales, const float* shifts) {
    load_channels(shift, shifts, walk.channel());
    if (scales == nullptr) return;
    float scale[A];
    load_channels(scale, scales, walk.channel());
#pragma unroll
    for (int j = 0; j < A; ++j) slope[j] *= scale[j];
  }
};

/// Works out a thread's means and deviations from sums. The first blocks keep them for backward.
template <int A, class Walk>
__device__ void take_sums(float (&mean)[A], float (&deviation)[A], const float* sums,
                          const ChannelGrid& grid, float count, const Walk& walk,
                          const BatchNormStatistics& statistics) {
  load_channels(mean, sums, walk.channel());
  load_channels(deviation, sums + grid.channels, walk.channel());
#pragma unroll
  for (int j = 0; j < A; ++j) {
    mean[j] /= count;
    const float variance = fmaxf(fmaf(-mean[j], mean[j], deviation[j] / count), 0.0f);
    deviation[j] = 1.0f / sqrtf(variance + kBatchNormEpsilon);
  }
  if (blockIdx.y > 0 || static_cast<int>(threadIdx.x) >= grid.lanes) return;
#pragma unroll
  for (int j = 0; j < A; ++j) {
    statistics.mean[walk.channel() + j] = mean[j];
    statistics.deviation[walk.channel() + j] = deviation[j];
  }
}

/// The map of a batch norm for a thread's channels, with the statistics that are known or in
/// `sums`.
template <int A, class Walk>
__device__ Affine<A> affine_of(const Walk& walk, const ChannelGrid& grid, float count,
                               const float* sums, const BatchNormStatistics& statistics,
                               const float* scale, const float* shift) {
  float mean[A], deviation[A];
  if (sums != nullptr) {
    take_sums(mean, deviation, sums, grid, count, walk, statistics);
  } else {
    load_channels(mean, statistics.mean, walk.channel());
    load_channels(deviation, statistics.deviation, walk.channel());
  }
  return {walk, mean, deviation, scale, shift};
}

/// The bit of element j in its pack's byte of the mask.
template <int V>
__device__ std::uint8_t bit_of(int j) {
  static_assert(V <= 8);
  return static_cast<std::uint8_t>(1u << j);
}

/// The numbers of a channel that statistics and means are of: all pixels, though the walk may be
/// over the kept ones.
__host__ __device__ inline float numbers_of_channel(const ChannelGrid& grid,
                                                    const KeptPixels& kept) {
  const int pixels = kept.stride > 1 ? kept.whole() : grid.pixels;
  return static_cast<float>(grid.items) * static_cast<float>(pixels);
}

/// The place of the inputs' numbers, where the walk is over the output.
template <int V, bool kLast>
__device__ Place<V, kLast> place_of_inputs(const ChannelWalk<V, kLast>& walk, Place<V, kLast> place,
                                           const KeptPixels& kept) {
  if constexpr (kLast || V == 1) {
    if (kept.stride > 1) place.offset = walk.whole_offset(kept);
  }
  return place;
}
/// The place of the output's numbers, where the walk is over the inputs; its offset is -1 if the
/// output has none.
template <int V, bool kLast>
__device__ Place<V, kLast> place_of_output(const ChannelWalk<V, kLast>& walk, Place<V, kLast> place,
                                           const KeptPixels& kept) {
  if constexpr (kLast || V == 1) {
    if (kept.stride > 1) place.offset = walk.kept_offset(kept);
  }
  return place;
}

/// One block per column and chunk.
inline dim3 blocks_of(const ChannelGrid& grid) {
  return {static_cast<unsigned>(grid.columns), static_cast<unsigned>(grid.chunks)};
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

}  // namespace paceline::cuda
