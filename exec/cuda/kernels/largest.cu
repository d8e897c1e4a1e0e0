// SPDX-License-Identifier: MIT
// A radix selection finds the magnitude that the kept numbers reach, by eight bits at a time from
// the highest: count the digits of the numbers that begin as the magnitude does, choose the digit
// in which the last kept number falls. Then each block of threads writes the kept numbers of its
// part, behind those of the parts before. Atomics add only integers, so the result does not depend
// on their order.
#include <algorithm>

#include "exec/cuda/kernels/block_scan.cuh"
#include "exec/cuda/kernels/encoding_scratch.hpp"
#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/largest.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/range.cuh"

namespace paceline::cuda {
namespace {

constexpr int kDigits = 256;
static_assert(kDigits == kThreads);

struct Selection {
  unsigned digits[kDigits];              ///< numbers with each digit
  unsigned least;                        ///< magnitude of the last kept number, as far as known
  unsigned left;                         ///< numbers still to keep among those that begin so
  unsigned larger[kMostEncodingBlocks];  ///< by part, then in all parts before
  unsigned alike[kMostEncodingBlocks];   ///< the same of numbers of magnitude `least`
};
static_assert(sizeof(Selection) <= kEncodingScratch);

__device__ unsigned magnitude(float number) {
  return __float_as_uint(number) & 0x7fffffffu;
}

/// One block.
__global__ void begin(Selection* selection, unsigned kept) {
  selection->digits[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    selection->least = 0;
    selection->left = kept;
  }
}

__global__ void add(const float* numbers, float* residual, std::int64_t count) {
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) residual[i] += numbers[i];
}

__global__ void __launch_bounds__(kThreads)
    count_digits(const float* numbers, std::int64_t count, unsigned shift, Selection* selection) {
  __shared__ unsigned here[kDigits];
  here[threadIdx.x] = 0;
  __syncthreads();
  const unsigned known = shift == 24 ? 0 : 0xffffffffu << (shift + 8);
  const unsigned least = selection->least;
  for (std::int64_t i = first_thread(); i < count; i += all_threads()) {
    const unsigned mine = magnitude(numbers[i]);
    if ((mine & known) == least) atomicAdd(here + (mine >> shift & (kDigits - 1)), 1u);
  }
  __syncthreads();
  if (here[threadIdx.x] > 0) atomicAdd(selection->digits + threadIdx.x, here[threadIdx.x]);
}

/// One block. Thread t has the digit kDigits - 1 - t: the largest first.
__global__ void __launch_bounds__(kThreads) choose_digit(unsigned shift, Selection* selection) {
  const unsigned digit = kDigits - 1 - threadIdx.x;
  const unsigned mine = selection->digits[digit];
  const unsigned left = selection->left;
  selection->digits[digit] = 0;
  unsigned all = 0;
  const unsigned larger = sum_before<kThreads>(mine, all);  // all threads have read `left` now
  if (larger < left && left <= larger + mine) {
    selection->least |= digit << shift;
    selection->left = left - larger;
  }
}

/// The numbers of a block: a run of `part`.
__global__ void __launch_bounds__(kThreads)
    count_kept(const float* numbers, std::int64_t count, std::int64_t part, Selection* selection) {
  const std::int64_t begin = blockIdx.x * part;
  const std::int64_t end = begin + part < count ? begin + part : count;
  const unsigned least = selection->least;
  unsigned larger = 0, alike = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const unsigned mine = magnitude(numbers[i]);
    larger += mine > least ? 1 : 0;
    alike += mine == least ? 1 : 0;
  }
  unsigned all_larger = 0, all_alike = 0;
  sum_before<kThreads>(larger, all_larger);
  sum_before<kThreads>(alike, all_alike);
  if (threadIdx.x == 0) {
    selection->larger[blockIdx.x] = all_larger;
    selection->alike[blockIdx.x] = all_alike;
  }
}

/// One block of a thread for each part.
__global__ void __launch_bounds__(kMostEncodingBlocks)
    sum_parts(unsigned parts, Selection* selection) {
  const unsigned i = threadIdx.x;
  unsigned all = 0;
  const unsigned larger =
      sum_before<kMostEncodingBlocks>(i < parts ? selection->larger[i] : 0, all);
  const unsigned alike = sum_before<kMostEncodingBlocks>(i < parts ? selection->alike[i] : 0, all);
  if (i >= parts) return;
  selection->larger[i] = larger;
  selection->alike[i] = alike;
}

/// Of numbers of the least magnitude the first are kept.
__global__ void __launch_bounds__(kThreads)
    put_kept(float* numbers, std::int64_t count, std::int64_t part, const Selection* selection,
             std::uint32_t* places, float* values) {
  const std::int64_t first = blockIdx.x * part;
  const std::int64_t end = first + part < count ? first + part : count;
  const unsigned least = selection->least, most_alike = selection->left;
  unsigned larger = selection->larger[blockIdx.x], alike = selection->alike[blockIdx.x];
  for (std::int64_t tile = first; tile < end; tile += blockDim.x) {
    const std::int64_t i = tile + threadIdx.x;
    const unsigned mine = i < end ? magnitude(numbers[i]) : 0;
    const bool is_larger = i < end && mine > least;
    const bool is_alike = i < end && mine == least;
    unsigned all_larger = 0, all_alike = 0;
    const unsigned larger_before = larger + sum_before<kThreads>(is_larger ? 1 : 0, all_larger);
    const unsigned alike_before = alike + sum_before<kThreads>(is_alike ? 1 : 0, all_alike);
    larger += all_larger;
    alike += all_alike;
    if (!is_larger && !(is_alike && alike_before < most_alike)) continue;
    const std::int64_t at = larger_before + (alike_before < most_alike ? alike_before : most_alike);
    places[2 * at] = static_cast<std::uint32_t>(i);
    values[2 * at + 1] = numbers[i];
    numbers[i] = 0;
  }
}

__global__ void decode(const std::uint32_t* places, const float* values, std::int64_t kept,
                       float* into, KernelFactor factor) {
  const float value = value_of(factor);
  for (std::int64_t at = first_thread(); at < kept; at += all_threads()) {
    into[places[2 * at]] += value * values[2 * at + 1];
  }
}

}  // namespace

void encode_largest(std::span<float> words, std::span<const float> numbers,
                    std::span<float> residual, void* scratch, cudaStream_t stream) {
  if (numbers.empty()) return;
  const auto count = static_cast<std::int64_t>(numbers.size());
  const unsigned blocks = std::min(blocks_for(count), kMostEncodingBlocks);
  auto* selection = static_cast<Selection*>(scratch);
  launch(begin, 1, kDigits, stream, selection, static_cast<unsigned>(words.size() / 2));
  launch(add, blocks, kThreads, stream, numbers.data(), residual.data(), count);
  for (unsigned shift = 32; shift > 0;) {
    shift -= 8;
    launch(count_digits, blocks, kThreads, stream, residual.data(), count, shift, selection);
    launch(choose_digit, 1, kThreads, stream, shift, selection);
  }
  const std::int64_t part = (count + blocks - 1) / blocks;
  launch(count_kept, blocks, kThreads, stream, residual.data(), count, part, selection);
  launch(sum_parts, 1, kMostEncodingBlocks, stream, blocks, selection);
  launch(put_kept, blocks, kThreads, stream, residual.data(), count, part, selection,
         reinterpret_cast<std::uint32_t*>(words.data()), words.data());
}

void decode_largest(std::span<float> into, std::span<const float> words, const KernelFactor& factor,
                    bool fresh, cudaStream_t stream) {
  if (into.empty()) return;
  if (fresh) check(cudaMemsetAsync(into.data(), 0, into.size_bytes(), stream), "clearing a sum");
  const auto kept = static_cast<std::int64_t>(words.size() / 2);
  launch(decode, blocks_for(kept), kThreads, stream,
         reinterpret_cast<const std::uint32_t*>(words.data()), words.data(), kept, into.data(),
         factor);
}

}  // namespace paceline::cuda
