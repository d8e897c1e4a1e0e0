// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/clock.cuh"
#include "exec/cuda/kernels/launch.cuh"
#include "exec/cuda/kernels/words.hpp"

namespace paceline::cuda {
namespace {

/// Pause between two reads of a word: a read crosses the bus to the host and back in about 1 us, so
/// a shorter pause would only add bus traffic.
constexpr unsigned kPauseNs = 500;

__device__ void set(std::uint64_t* word, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  *static_cast<volatile std::uint64_t*>(word) = value;
#else
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

__global__ void await_word_kernel(const std::uint64_t* word, std::uint64_t value) {
  while (read_word(word) < value) pause(kPauseNs);
  __threadfence_system();
}

__global__ void write_word_kernel(std::uint64_t* word, std::uint64_t value) {
  __threadfence_system();
  set(word, value);
}

}  // namespace

void await_word(const std::uint64_t* word, std::uint64_t value, cudaStream_t stream) {
  launch(Cost{"await word"}, await_word_kernel, 1, 1, stream, word, value);
}

void write_word(std::uint64_t* word, std::uint64_t value, cudaStream_t stream) {
  launch(Cost{"write word"}, write_word_kernel, 1, 1, stream, word, value);
}

}  // namespace paceline::cuda
