// SPDX-License-Identifier: MIT
// A thread works on a word at a time: slices begin at any word, and memory is the bound.
#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/halves.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/number.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

__global__ void encode(const float* numbers, __half* halves, std::int64_t count) {
  for (std::int64_t word = first_thread(); 2 * word < count; word += all_threads()) {
    const std::int64_t i = 2 * word;
    set(halves[i], numbers[i]);
    set(halves[i + 1], i + 1 < count ? numbers[i + 1] : 0.0F);
  }
}

template <bool kFresh>
__global__ void decode(const __half* halves, float* into, std::int64_t count, KernelFactor factor) {
  const float value = value_of(factor);
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) {
    const float number = value * to_float(halves[i]);
    into[i] = kFresh ? number : into[i] + number;
  }
}

__global__ void add(const __half* from, __half* into, std::int64_t words) {
  for (std::int64_t word = first_thread(); word < words; word += all_threads()) {
    for (std::int64_t i = 2 * word; i < 2 * word + 2; ++i) {
      set(into[i], to_float(into[i]) + to_float(from[i]));
    }
  }
}

const __half* halves_of(std::span<const float> words) {
  return reinterpret_cast<const __half*>(words.data());
}
__half* halves_of(std::span<float> words) {
  return reinterpret_cast<__half*>(words.data());
}

}  // namespace

void encode_halves(std::span<float> words, std::span<const float> numbers, cudaStream_t stream) {
  if (numbers.empty()) return;
  const auto count = static_cast<std::int64_t>(numbers.size());
  launch(encode, blocks_for(count / 2 + 1), kThreads, stream, numbers.data(), halves_of(words),
         count);
}

void decode_halves(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                   bool fresh, cudaStream_t stream) {
  if (into.empty()) return;
  const auto count = static_cast<std::int64_t>(into.size());
  launch(fresh ? decode<true> : decode<false>, blocks_for(count), kThreads, stream,
         halves_of(words), into.data(), count, factor);
}

void add_halves(std::span<float> into, std::span<const float> from, cudaStream_t stream) {
  if (into.empty()) return;
  const auto words = static_cast<std::int64_t>(into.size());
  launch(add, blocks_for(words), kThreads, stream, halves_of(from), halves_of(into), words);
}

}  // namespace paceline::cuda
