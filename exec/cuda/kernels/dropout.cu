// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/dropout.hpp"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"
#include "training/random/draw.hpp"
#include "training/random/philox.hpp"

namespace paceline::cuda {
namespace {

constexpr int kDraws = 4;  // words that one call gives, a word an element

template <class T>
__global__ void drop(const T* from, T* to, bool adds, std::uint32_t least_kept, float scale,
                     std::uint32_t layer, const DrawKeys keys, std::int64_t elements) {
  const PhiloxKey key{keys.key[0], keys.key[1]};
  // The purpose is where uniform() has it, so that these draws meet none of the host's.
  const std::uint32_t what = layer | static_cast<std::uint32_t>(Purpose::dropout) << 16;
  const std::uint32_t who = *keys.worker | keys.step[1] << 16;
  const std::uint32_t when = keys.step[0];
  for_packs<kWide<T>>(elements, [&]<int V>(std::int64_t i) {
    const Pack<T, V> x = load<V>(from + i);
    float y[V];
    PhiloxCounter words{};
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j % kDraws == 0) {
        words = philox({static_cast<std::uint32_t>((i + j) / kDraws), what, who, when}, key);
      }
      const std::uint32_t word =
          V == 1 ? words[static_cast<std::size_t>(i % kDraws)] : words[j % kDraws];
      y[j] = word >= least_kept ? to_float(x.at[j]) * scale : 0.0f;
    }
    put<V>(to + i, y, adds);
  });
}

}  // namespace

void drop_out(const void* from, void* to, bool adds, double rate, std::uint32_t layer,
              const DrawKeys& keys, Element element, std::int64_t elements, cudaStream_t stream) {
  constexpr double kWords = 4294967296.0;  // 2^32
  const double least = rate * kWords;
  const auto least_kept = least < kWords - 1 ? static_cast<std::uint32_t>(least) : 0xffffffffu;
  const auto scale = static_cast<float>(1 / (1 - rate));
  with_element(element, [&]<class T>() {
    launch(drop<T>, dim3(blocks_for(elements / kWide<T> + 1)), dim3(kThreads), stream,
           static_cast<const T*>(from), static_cast<T*>(to), adds, least_kept, scale, layer, keys,
           elements);
  });
}

}  // namespace paceline::cuda
