// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/channels.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/pixel_index.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

template <class T, int V>
__global__ void copy(const T* from, T* to, const Runs runs, bool adds) {
  const std::int64_t packs = runs.width / V;
  const std::int64_t count = runs.rows * packs;
  const bool small = count <= 0xffffffffLL;  // 32-bit indices, since a 64-bit division is slow
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) {
    const std::int64_t row =
        small ? static_cast<unsigned>(i) / static_cast<unsigned>(packs) : i / packs;
    const std::int64_t column = (i - row * packs) * V;
    const Pack<T, V> x = load<V>(from + row * runs.from_pitch + column);
    float y[V];
#pragma unroll
    for (int j = 0; j < V; ++j) y[j] = to_float(x.at[j]);
    put<V>(to + row * runs.to_pitch + column, y, adds);
  }
}

template <class T, int V>
__global__ void pad(const PadShape p, const T* input, T* output, unsigned packs) {
  for_items(p.items, packs, [&](int item, unsigned i) {
    const PixelIndex out =
        pixel_index_of<V>(i, p.channels_last, p.out_channels, p.out_height, p.out_width);
    const int channel = out.channel - p.before;
    Pack<T, V> x;
    if (channel >= 0 && channel < p.in_channels) {
      x = load<V>(input + offset_of(p.channels_last, item,
                                    {channel, out.y * p.stride, out.x * p.stride}, p.in_channels,
                                    p.in_height, p.in_width));
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) set(x.at[j], 0);
    }
    store<V>(
        output + offset_of(p.channels_last, item, out, p.out_channels, p.out_height, p.out_width),
        x);
  });
}

template <class T, int V>
__global__ void unpad(const PadShape p, const T* gradient, T* input_gradient, bool adds,
                      unsigned packs) {
  for_items(p.items, packs, [&](int item, unsigned i) {
    const PixelIndex in =
        pixel_index_of<V>(i, p.channels_last, p.in_channels, p.in_height, p.in_width);
    const int y = in.y / p.stride, x = in.x / p.stride;
    float g[V] = {};
    if (y * p.stride == in.y && x * p.stride == in.x && y < p.out_height && x < p.out_width) {
      const Pack<T, V> dy =
          load<V>(gradient + offset_of(p.channels_last, item, {in.channel + p.before, y, x},
                                       p.out_channels, p.out_height, p.out_width));
#pragma unroll
      for (int j = 0; j < V; ++j) g[j] = to_float(dy.at[j]);
    }
    put<V>(input_gradient +
               offset_of(p.channels_last, item, in, p.in_channels, p.in_height, p.in_width),
           g, adds);
  });
}

/// Calls `f.template operator()<T, V>()` for a shape.
template <class F>
void with_shape(const PadShape& p, F f) {
  with_pack(
      p.element,
      [&](int wide) {
        return p.channels_last && p.in_channels % wide == 0 && p.out_channels % wide == 0 &&
               p.before % wide == 0;
      },
      f);
}

}  // namespace

void copy_runs(const void* from, std::int64_t from_offset, void* to, std::int64_t to_offset,
               const Runs& runs, bool adds, Element element, cudaStream_t stream) {
  const auto wide = [&](int pack) {
    return (from_offset | to_offset | runs.width | runs.from_pitch | runs.to_pitch) % pack == 0;
  };
  with_pack(element, wide, [&]<class T, int V>() {
    launch(elementwise("copy of channels", element, runs.rows * runs.width, adds ? 2 : 1, 1),
           copy<T, V>, dim3(blocks_for(runs.rows * runs.width / V)), dim3(kThreads), stream,
           static_cast<const T*>(from) + from_offset, static_cast<T*>(to) + to_offset, runs, adds);
  });
}

void pad_forward(const PadShape& p, const void* input, void* output, cudaStream_t stream) {
  const std::int64_t kept = std::int64_t{p.items} * p.in_channels * p.out_height * p.out_width;
  const Cost cost{"channel padding", kept * bytes_of(p.element), p.outputs() * bytes_of(p.element)};
  with_shape(p, [&]<class T, int V>() {
    const unsigned packs = packs_of(p.out_channels, p.out_height, p.out_width, V);
    launch(cost, pad<T, V>, blocks_for_items(packs, p.items), dim3(kThreads), stream, p,
           static_cast<const T*>(input), static_cast<T*>(output), packs);
  });
}

void pad_backward(const PadShape& p, const void* gradient, void* input_gradient, bool adds,
                  cudaStream_t stream) {
  const std::int64_t kept = std::int64_t{p.items} * p.in_channels * p.out_height * p.out_width;
  const std::int64_t written = p.inputs() * bytes_of(p.element);
  const Cost cost{"channel padding: gradient", kept * bytes_of(p.element) + (adds ? written : 0),
                  written};
  with_shape(p, [&]<class T, int V>() {
    const unsigned packs = packs_of(p.in_channels, p.in_height, p.in_width, V);
    launch(cost, unpad<T, V>, blocks_for_items(packs, p.items), dim3(kThreads), stream, p,
           static_cast<const T*>(gradient), static_cast<T*>(input_gradient), adds, packs);
  });
}

}  // namespace paceline::cuda
