// SPDX-License-Identifier: MIT
/// \file
/// The walk of a thread through a tensor with parameters per channel. The thread keeps to one
/// channel (nchw) or to V adjacent ones (nhwc), holds their parameters in registers, and walks over
/// pixels. Adjacent blocks walk adjacent pixels, so that the grid reads memory once and in order.
#pragma once
#include "exec/cuda/kernels/channel_grid.hpp"
#include "exec/cuda/kernels/kept_pixels.hpp"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {

/// A pack of a walk: its first number's offset, and which of its numbers, [begin, end), are of the
/// thread's channels.
template <int V, bool kLast>
struct Place {
  std::int64_t offset = -1;  ///< -1: the walk has ended
  int begin = 0, end = V;

  __device__ bool has(int j) const { return kLast || V == 1 || (j >= begin && j < end); }
  __device__ bool whole() const { return kLast || V == 1 || (begin == 0 && end == V); }
};

/// A pixel of a walk. Images are items (nhwc) or planes (nchw).
struct Pixel {
  int image, y, x;
};

/// A thread's walk; `kLast`: channels last (nhwc). A walk that follows another over the same tensor
/// goes backwards, since the tensor's end is still in the L2 cache.
template <int V, bool kLast>
class ChannelWalk {
 public:
  static constexpr int kChannels = kLast ? V : 1;  ///< per thread

  __device__ explicit ChannelWalk(const ChannelGrid& grid, bool backwards = false)
      : grid_(grid), backwards_(backwards) {
    const auto thread = static_cast<int>(threadIdx.x);
    const auto column = static_cast<int>(blockIdx.x);
    const auto chunk = static_cast<int>(blockIdx.y);
    if constexpr (kLast) {
      const int rows_of_block = kThreads / grid.lanes;
      channel_ = (column * grid.lanes + thread % grid.lanes) * V;
      item_ = chunk * rows_of_block + thread / grid.lanes;
      item_step_ = grid.chunks * rows_of_block;
      if (channel_ >= grid.channels) item_ = rows();  // this thread has no channel
    } else {
      const int packs = grid.plane_packs();
      const int start = chunk * kThreads + thread, step = grid.chunks * kThreads;
      channel_ = column;
      item_ = start / packs;
      pack_ = start - item_ * packs;
      item_step_ = step / packs;
      pack_step_ = step - item_step_ * packs;
    }
  }

  __device__ int channel() const { return channel_; }
  __device__ bool has_channel() const { return channel_ < grid_.channels; }
  __device__ bool within() const { return item_ < rows(); }
  /// Offset of the current pack's first number; in nchw only where planes are whole packs.
  __device__ std::int64_t offset() const {
    const int item = backwards_ ? rows() - 1 - item_ : item_;
    if constexpr (kLast) return static_cast<std::int64_t>(item) * grid_.channels + channel_;
    const int first = backwards_ ? grid_.pixels - V - pack_ * V : pack_ * V;
    return plane() * grid_.pixels + first;
  }
  /// Offset of the first number of the walk's first plane or pixel.
  __device__ std::int64_t origin() const {
    if constexpr (kLast) return offset();
    return plane() * grid_.pixels;
  }
  __device__ Place<V, kLast> place() const {
    if (!within()) return {};
    if constexpr (kLast || V == 1) return {offset()};
    const std::int64_t first = plane() * grid_.pixels;
    Place<V, kLast> place;
    place.offset = (first / V + pack()) * V;
    place.begin = static_cast<int>(max(first - place.offset, std::int64_t{0}));
    place.end = static_cast<int>(min(first + grid_.pixels - place.offset, std::int64_t{V}));
    return place;
  }
  /// The current pixel, where packs are single numbers in nchw.
  __device__ Pixel pixel(int height, int width) const {
    const int number = kLast ? (backwards_ ? rows() - 1 - item_ : item_) : pack();
    const auto w = static_cast<unsigned>(width), h = static_cast<unsigned>(height);
    const unsigned row = static_cast<unsigned>(number) / w;
    const unsigned above = kLast ? row / h : 0;  // images
    return {static_cast<int>(kLast ? above : static_cast<unsigned>(plane())),
            static_cast<int>(row - above * h),
            static_cast<int>(static_cast<unsigned>(number) - row * w)};
  }
  /// Offset of a pixel of the walk's channels in a tensor with images of this size.
  __device__ std::int64_t offset_of(const Pixel& at, int height, int width) const {
    if constexpr (kLast) {
      const int pixel = (at.image * height + at.y) * width + at.x;
      return static_cast<std::int64_t>(pixel) * grid_.channels + channel_;
    }
    return (static_cast<std::int64_t>(at.image) * height + at.y) * width + at.x;
  }
  /// Offset of the current pixel in the whole images, where the walk is over those kept of them.
  __device__ std::int64_t whole_offset(const KeptPixels& kept) const {
    const Pixel at = pixel(kept.rows(), kept.columns());
    return offset_of({at.image, at.y * kept.stride, at.x * kept.stride}, kept.height, kept.width);
  }
  /// Offset of the current pixel in the kept images, where the walk is over whole ones; -1: it is
  /// not kept.
  __device__ std::int64_t kept_offset(const KeptPixels& kept) const {
    const Pixel at = pixel(kept.height, kept.width);
    const auto stride = static_cast<unsigned>(kept.stride);
    const auto y = static_cast<int>(static_cast<unsigned>(at.y) / stride);
    const auto x = static_cast<int>(static_cast<unsigned>(at.x) / stride);
    if (y * kept.stride != at.y || x * kept.stride != at.x) return -1;
    return offset_of({at.image, y, x}, kept.rows(), kept.columns());
  }
  /// Number of the current pack among all.
  __device__ std::int64_t number() const {
    if constexpr (kLast) return offset() / V;
    return plane() * grid_.plane_packs() + pack();
  }
  __device__ void next() {
    item_ += item_step_;
    if constexpr (!kLast) {
      pack_ += pack_step_;
      if (pack_ >= grid_.plane_packs()) {
        pack_ -= grid_.plane_packs();
        ++item_;
      }
    }
  }

 private:
  __device__ std::int64_t plane() const {
    const int item = backwards_ ? rows() - 1 - item_ : item_;
    return static_cast<std::int64_t>(item) * grid_.channels + channel_;
  }
  __device__ int pack() const { return backwards_ ? grid_.plane_packs() - 1 - pack_ : pack_; }
  __device__ int rows() const { return kLast ? grid_.items * grid_.pixels : grid_.items; }

  const ChannelGrid& grid_;
  bool backwards_;
  int channel_;
  int item_, item_step_;          // nhwc: index over the pixels of all items; nchw: item
  int pack_ = 0, pack_step_ = 0;  // nchw: pack within the plane
};

/// The numbers of a place; others are 0.
template <class T, int V, bool kLast>
__device__ Pack<T, V> load_at(const T* from, const Place<V, kLast>& place) {
  if (place.whole()) return load<V>(from + place.offset);
  Pack<T, V> pack{};
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (place.has(j)) pack.at[j] = from[place.offset + j];
  }
  return pack;
}

/// Writes the place's `values` to `to`; `adds`: adds them.
template <class T, int V, bool kLast>
__device__ void put_at(T* to, const Place<V, kLast>& place, const float (&values)[V], bool adds) {
  if (place.whole()) return put<V>(to + place.offset, values, adds);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const float one[1] = {values[j]};
    if (place.has(j)) put<1>(to + place.offset + j, one, adds);
  }
}

/// Reduces the threads' states per channel over the block, in a fixed order; thread `thread` <
/// lanes then holds the result. `merge(into, from)` merges two states.
template <class State, class Merge>
__device__ void merge_in_block(State& mine, State* shared, int lanes, Merge merge) {
  const auto thread = static_cast<int>(threadIdx.x);
  shared[thread] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half >= lanes; half /= 2) {
    if (thread < half) {
      merge(mine, shared[thread + half]);
      shared[thread] = mine;
    }
    __syncthreads();
  }
}

}  // namespace paceline::cuda
