// SPDX-License-Identifier: MIT
/// \file
/// How the threads of a grid share a tensor out where what they do depends on the channel: a thread
/// keeps to one channel (nchw) or to V neighbours (nhwc), so that their parameters stay in its
/// registers, and walks over pixels. Blocks walk side by side, so that the whole grid moves through
/// memory once.
#pragma once
#include "exec/cuda/kernels/channel_grid.hpp"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {

/// A thread's way through the tensor; `kLast`: channels lie side by side. Backwards where it comes
/// after a walk over the same tensor, as the end of that is still in the L2 cache.
template <int V, bool kLast>
class ChannelWalk {
 public:
  static constexpr int kChannels = kLast ? V : 1;  ///< of one thread

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
      if (channel_ >= grid.channels) item_ = rows();  // nothing to do
    } else {
      const int packs = grid.pixels / V;  // of a plane
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
  /// Of the pack's first number.
  __device__ std::int64_t offset() const {
    const int item = backwards_ ? rows() - 1 - item_ : item_;
    if constexpr (kLast) return static_cast<std::int64_t>(item) * grid_.channels + channel_;
    const int first = backwards_ ? grid_.pixels - V - pack_ * V : pack_ * V;
    return (static_cast<std::int64_t>(item) * grid_.channels + channel_) * grid_.pixels + first;
  }
  __device__ void next() {
    item_ += item_step_;
    if constexpr (!kLast) {
      pack_ += pack_step_;
      if (pack_ * V >= grid_.pixels) {
        pack_ -= grid_.pixels / V;
        ++item_;
      }
    }
  }

 private:
  __device__ int rows() const { return kLast ? grid_.items * grid_.pixels : grid_.items; }

  const ChannelGrid& grid_;
  bool backwards_;
  int channel_;
  int item_, item_step_;          // nhwc: a pixel of all items; nchw: an item
  int pack_ = 0, pack_step_ = 0;  // nchw: of the plane
};

/// What a thread holds of a channel, added up over the block's threads that share the channel in a
/// fixed order; thread `thread` < lanes then holds the sum. `merge(into, from)` joins two.
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
