// SPDX-License-Identifier: MIT
/// \file
/// The windows of a pooling, and the largest number of one.
#pragma once
#include <algorithm>
#include <limits>

#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/pooling.hpp"

namespace paceline::cuda {

/// The part of an output's window inside the input of an item.
struct Window {
  int top, bottom, left, right;
  __device__ Window(const PoolingShape& p, int item, int y, int x)
      : top(y * p.stride - p.pad_top), left(x * p.stride - p.pad_left) {
    const int rows = p.own_rows == nullptr ? p.in_height : p.own_rows[item];
    bottom = std::min(top + p.kernel_height, std::min(rows, p.in_height));
    right = std::min(left + p.kernel_width, p.in_width);
    top = std::max(top, 0);
    left = std::max(left, 0);
  }
  __device__ float share() const {
    return 1.0f / static_cast<float>(std::max(1, (bottom - top) * (right - left)));
  }
};

/// The position of an input in the window of an output.
__device__ inline int place_in_window(const PoolingShape& p, int out_y, int out_x, int y, int x) {
  return (y - out_y * p.stride + p.pad_top) * p.kernel_width + (x - out_x * p.stride + p.pad_left);
}

/// The first maximum of V windows, and its place; NaN wins.
template <int V, class Place>
struct Maximum {
  float value[V];
  Pack<Place, V> from{};

  __device__ Maximum() {
#pragma unroll
    for (int j = 0; j < V; ++j) value[j] = -std::numeric_limits<float>::infinity();
  }
  __device__ void take(int j, float candidate, int place) {
    if (candidate > value[j] || candidate != candidate) {
      value[j] = candidate;
      from.at[j] = static_cast<Place>(place);
    }
  }
};

}  // namespace paceline::cuda
