// SPDX-License-Identifier: MIT
/// \file
/// The walk of a thread through a tensor with parameters per channel. The thread keeps to one
/// channel (nchw) or to V adjacent ones (nhwc), holds their parameters in registers, and walks over
/// pixels. Adjacent blocks walk adjacent pixels, so that the grid reads memory once and in order.
#pragma once
#include "exec/cuda/kernels/channel_grid.hpp"
#include "exec/cuda/kernels/number.cuh"

namespace paceline::cuda {

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
      const int packs = grid.pixels / V;  // per plane
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
  /// Offset of the current pack's first number.
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
  int item_, item_step_;          // nhwc: index over the pixels of all items; nchw: item
  int pack_ = 0, pack_step_ = 0;  // nchw: pack within the plane
};

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
