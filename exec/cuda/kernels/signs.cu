// SPDX-License-Identifier: MIT
// Sums are in double precision and in a fixed order: of a thread, of its block, of the blocks.
#include <algorithm>

#include "exec/cuda/kernels/block_sum.cuh"
#include "exec/cuda/kernels/encoding_scratch.hpp"
#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/range.cuh"
#include "exec/cuda/kernels/signs.hpp"

namespace paceline::cuda {
namespace {

/// Of the numbers that are not negative, and of the negative ones.
struct BySign {
  double sums[2], counts[2];
};
static_assert(sizeof(BySign) * kMostEncodingBlocks <= kEncodingScratch);

__device__ void fold(BySign& mine) {
  const auto add = [](double a, double b) { return a + b; };
  for (int sign = 0; sign < 2; ++sign) {
    mine.sums[sign] = fold_block<kThreads>(mine.sums[sign], add);
    mine.counts[sign] = fold_block<kThreads>(mine.counts[sign], add);
  }
}

__global__ void __launch_bounds__(kThreads)
    add_up(const float* numbers, float* residual, std::int64_t count, BySign* of_blocks) {
  BySign mine{};
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) {
    const float number = residual[i] + numbers[i];
    residual[i] = number;
    const int sign = number < 0 ? 1 : 0;
    mine.sums[sign] += number;
    mine.counts[sign] += 1;
  }
  fold(mine);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = mine;
}

/// One block.
__global__ void __launch_bounds__(kThreads)
    put_means(const BySign* of_blocks, unsigned blocks, float* words) {
  BySign mine{};
  for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) {
    for (int sign = 0; sign < 2; ++sign) {
      mine.sums[sign] += of_blocks[i].sums[sign];
      mine.counts[sign] += of_blocks[i].counts[sign];
    }
  }
  fold(mine);
  if (threadIdx.x < 2) {
    const double count = mine.counts[threadIdx.x];
    words[threadIdx.x] = static_cast<float>(mine.sums[threadIdx.x] / (count < 1 ? 1 : count));
  }
}

/// A warp makes a word at a time.
__global__ void put_signs(float* residual, std::int64_t count, const float* means,
                          std::uint32_t* bits) {
  const std::int64_t whole = (count + 31) / 32 * 32;
  for (std::int64_t i = first_thread(); i < whole; i += all_threads()) {
    const float number = i < count ? residual[i] : 0;
    const unsigned word = __ballot_sync(0xffffffffu, number < 0);
    if (threadIdx.x % 32 == 0) bits[i / 32] = word;
    if (i < count) residual[i] = number - means[number < 0 ? 1 : 0];
  }
}

template <bool kFresh>
__global__ void decode(const float* means, const std::uint32_t* bits, float* into,
                       std::int64_t count, KernelFactor factor) {
  const float value = value_of(factor);
  const float scaled[2] = {value * means[0], value * means[1]};
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) {
    const float number = scaled[bits[i / 32] >> i % 32 & 1U];
    into[i] = (kFresh ? 0.0F : into[i]) + number;
  }
}

}  // namespace

void encode_signs(std::span<float> words, std::span<const float> numbers, std::span<float> residual,
                  void* scratch, cudaStream_t stream) {
  if (numbers.empty()) return;
  const auto count = static_cast<std::int64_t>(numbers.size());
  const unsigned blocks = std::min(blocks_for(count), kMostEncodingBlocks);
  auto* of_blocks = static_cast<BySign*>(scratch);
  launch(add_up, blocks, kThreads, stream, numbers.data(), residual.data(), count, of_blocks);
  launch(put_means, 1, kThreads, stream, of_blocks, blocks, words.data());
  launch(put_signs, blocks_for(count), kThreads, stream, residual.data(), count, words.data(),
         reinterpret_cast<std::uint32_t*>(words.data() + 2));
}

void decode_signs(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                  bool fresh, cudaStream_t stream) {
  if (into.empty()) return;
  const auto count = static_cast<std::int64_t>(into.size());
  launch(fresh ? decode<true> : decode<false>, blocks_for(count), kThreads, stream, words.data(),
         reinterpret_cast<const std::uint32_t*>(words.data() + 2), into.data(), count, factor);
}

}  // namespace paceline::cuda
