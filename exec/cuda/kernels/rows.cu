// SPDX-License-Identifier: MIT
// A block of threads looks at a row at a time, and copies it while it is in its cache.
#include "exec/cuda/kernels/factor.cuh"
#include "exec/cuda/kernels/grid.hpp"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/range.cuh"
#include "exec/cuda/kernels/rows.hpp"

namespace paceline::cuda {
namespace {

/// Where the rows of a table lie in `numbers`, which may begin and end within a row.
struct Table {
  std::int64_t numbers, width, phase, rows, most;

  __device__ std::int64_t begin(std::int64_t row) const {
    const std::int64_t at = row * width - phase;
    return at < 0 ? 0 : at;
  }
  __device__ std::int64_t end(std::int64_t row) const {
    const std::int64_t at = (row + 1) * width - phase;
    return at < numbers ? at : numbers;
  }
};

Table table_of(const GradientCodec& codec, std::size_t numbers) {
  const auto count = static_cast<std::int64_t>(numbers);
  const std::int64_t rows = codec.rows_of(count);
  return {count, codec.width, codec.phase, rows, rows < codec.most ? rows : codec.most};
}

__global__ void __launch_bounds__(kThreads)
    encode(const Table table, const float* numbers, std::uint32_t* places, float* values) {
  __shared__ std::uint32_t place;
  for (std::int64_t row = blockIdx.x; row < table.rows; row += gridDim.x) {
    const std::int64_t begin = table.begin(row), end = table.end(row);
    int filled = 0;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
      filled |= numbers[i] != 0 ? 1 : 0;
    if (__syncthreads_or(filled) == 0) continue;
    if (threadIdx.x == 0) place = atomicAdd(places, 1u);
    __syncthreads();
    const std::int64_t at = 1 + place * (1 + table.width);
    if (place < table.most) {
      if (threadIdx.x == 0) places[at] = static_cast<std::uint32_t>(row);
      for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        values[at + 1 + i - begin] = numbers[i];
    }
    __syncthreads();  // before the next row has another place
  }
}

__global__ void __launch_bounds__(kThreads)
    decode(const Table table, const std::uint32_t* places, const float* values, float* into,
           KernelFactor factor) {
  const float value = value_of(factor);
  const std::int64_t filled = places[0] < table.most ? places[0] : table.most;
  for (std::int64_t i = blockIdx.x; i < filled; i += gridDim.x) {
    const std::int64_t at = 1 + i * (1 + table.width);
    const std::int64_t begin = table.begin(places[at]), end = table.end(places[at]);
    for (std::int64_t j = begin + threadIdx.x; j < end; j += blockDim.x)
      into[j] += value * values[at + 1 + j - begin];
  }
}

unsigned blocks_for_rows(std::int64_t rows) {
  return blocks_for(rows * kThreads);
}

}  // namespace

void encode_rows(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
                 cudaStream_t stream) {
  const Table table = table_of(codec, numbers.size());
  check(cudaMemsetAsync(words.data(), 0, sizeof(float), stream), "clearing a count");
  if (table.rows == 0) return;
  launch(encode, blocks_for_rows(table.rows), kThreads, stream, table, numbers.data(),
         reinterpret_cast<std::uint32_t*>(words.data()), words.data());
}

void decode_rows(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
                 const KernelFactor& factor, bool fresh, cudaStream_t stream) {
  if (into.empty()) return;
  if (fresh) check(cudaMemsetAsync(into.data(), 0, into.size_bytes(), stream), "clearing a sum");
  const Table table = table_of(codec, into.size());
  launch(decode, blocks_for_rows(table.most), kThreads, stream, table,
         reinterpret_cast<const std::uint32_t*>(words.data()), words.data(), into.data(), factor);
}

}  // namespace paceline::cuda
