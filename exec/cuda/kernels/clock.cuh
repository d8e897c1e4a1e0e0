// SPDX-License-Identifier: MIT
/// \file
/// For kernels that wait: the device's clock, reads of words that the host writes at the same time,
/// and a pause that yields the multiprocessor.
#pragma once
#include <cuda_runtime.h>

#ifndef __CUDA_ARCH__
#include <chrono>
#include <thread>
#endif

namespace paceline::cuda {

/// Nanoseconds of the clock that all multiprocessors of a device share. It may advance in steps of
/// a microsecond.
__device__ inline unsigned long long device_nanoseconds() {
#ifdef __CUDA_ARCH__
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return static_cast<unsigned long long>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
#endif
}

/// Reads a word that the host or another thread may be writing.
template <class Word>
__device__ inline Word read_word(const Word* word) {
#ifdef __CUDA_ARCH__
  return *static_cast<const volatile Word*>(word);
#else
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

/// Pauses for about this time; GPUs before Volta (7.0) have no such instruction, and count clock
/// cycles of about a nanosecond.
__device__ inline void pause(unsigned nanoseconds = 200) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(nanoseconds);
#elif defined(__CUDA_ARCH__)
  const long long end = clock64() + nanoseconds;
  while (clock64() < end) {
  }
#else
  static_cast<void>(nanoseconds);
  std::this_thread::sleep_for(std::chrono::microseconds(20));
#endif
}

}  // namespace paceline::cuda
