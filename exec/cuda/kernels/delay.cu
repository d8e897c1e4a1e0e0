// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/clock.cuh"
#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/kernels/launch.cuh"

namespace paceline::cuda {
namespace {

__device__ void wait_until(unsigned long long end, const GivenUp& given_up) {
  while (device_nanoseconds() < end && read_word(given_up.until) < given_up.step) pause();
}

__global__ void delay_kernel(long long nanoseconds, GivenUp given_up) {
  wait_until(device_nanoseconds() + static_cast<unsigned long long>(nanoseconds), given_up);
}

__global__ void note_time_kernel(std::uint64_t* at) {
  *at = device_nanoseconds();
}

__global__ void stretch_kernel(const std::uint64_t* began, double slowdown, GivenUp given_up) {
  const unsigned long long start = *began;
  const double taken = static_cast<double>(device_nanoseconds() - start);
  wait_until(start + static_cast<unsigned long long>(slowdown * taken), given_up);
}

}  // namespace

void delay(std::int64_t nanoseconds, GivenUp given_up, cudaStream_t stream) {
  launch(Cost{"delay"}, delay_kernel, 1, 1, stream, nanoseconds, given_up);
}

void note_time(std::uint64_t* at, cudaStream_t stream) {
  launch(Cost{"note time"}, note_time_kernel, 1, 1, stream, at);
}

void stretch(const std::uint64_t* began, double slowdown, GivenUp given_up, cudaStream_t stream) {
  launch(Cost{"stretch"}, stretch_kernel, 1, 1, stream, began, slowdown, given_up);
}

}  // namespace paceline::cuda
