// SPDX-License-Identifier: MIT
/// \file
/// The subset of CUDA C++ that kernels use, for the CPU: names that nvcc itself defines. Included
/// before every .cu file that is compiled as C++ (-include), and by tests with kernels.
#pragma once
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <cuda_runtime.h>

// A thread of the CPU runs one block at a time, so shared memory is thread-local.
#undef __shared__
#define __shared__ static thread_local
#undef __launch_bounds__
#define __launch_bounds__(...)

extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

namespace paceline::cuda::emulation {

enum class WarpCall : std::uint8_t { sync, shuffle, ballot, all, any };

/// Waits for all threads of the block that have not ended; returns the sum of their votes.
int wait_for_block(int vote, const std::source_location& at);
/// Waits for the lanes in `mask` that have not ended. Shuffle: returns the bits of lane `source`
/// (all ones if it does not take part); votes: the result.
std::uint64_t wait_for_warp(WarpCall call, unsigned mask, std::uint64_t bits, int source,
                            const std::source_location& at);
int lane();
/// A memory fence for all threads of the CPU.
void fence();
/// Sleeps; ends the kernel if its device is being reset.
void sleep_for(unsigned nanoseconds);
[[noreturn]] void trap(const std::source_location& at);

template <class T>
T shuffle(unsigned mask, T value, int source, const std::source_location& at) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = wait_for_warp(WarpCall::shuffle, mask, bits, source, at);
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

template <class T, class Change>
T change(T* address, Change new_value) {
  std::atomic_ref<T> word(*address);
  T old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, new_value(old), std::memory_order_relaxed)) {
  }
  return old;
}

}  // namespace paceline::cuda::emulation

#define PACELINE_HERE const std::source_location& at = std::source_location::current()

inline void __syncthreads(PACELINE_HERE) {
  paceline::cuda::emulation::wait_for_block(0, at);
}
inline int __syncthreads_count(int predicate, PACELINE_HERE) {
  return paceline::cuda::emulation::wait_for_block(predicate != 0, at);
}
inline int __syncthreads_or(int predicate, PACELINE_HERE) {
  return paceline::cuda::emulation::wait_for_block(predicate != 0, at) > 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffU, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  wait_for_warp(WarpCall::sync, mask, 0, 0, at);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  return static_cast<unsigned>(wait_for_warp(WarpCall::ballot, mask, predicate != 0, 0, at));
}
inline int __any_sync(unsigned mask, int predicate, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  return static_cast<int>(wait_for_warp(WarpCall::any, mask, predicate != 0, 0, at));
}
inline int __all_sync(unsigned mask, int predicate, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  return static_cast<int>(wait_for_warp(WarpCall::all, mask, predicate != 0, 0, at));
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  return shuffle(mask, value, (lane() & ~(width - 1)) | (source & (width - 1)), at);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  const int source = lane() - static_cast<int>(by);
  return shuffle(mask, value, source < (lane() & ~(width - 1)) ? lane() : source, at);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  const int source = lane() + static_cast<int>(by);
  return shuffle(mask, value, source > (lane() | (width - 1)) ? lane() : source, at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by, int width = warpSize, PACELINE_HERE) {
  using namespace paceline::cuda::emulation;
  const int source = lane() ^ by;
  return shuffle(mask, value, source > (lane() | (width - 1)) ? lane() : source, at);
}
#undef PACELINE_HERE

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address,
                                           [=](T old) { return static_cast<T>(old + value); });
}
inline unsigned atomicInc(unsigned* address, unsigned last) {
  return paceline::cuda::emulation::change(
      address, [=](unsigned old) { return old >= last ? 0U : old + 1; });
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address,
                                           [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address,
                                           [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address, [=](T) { return value; });
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address, [=](T old) { return old | value; });
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return paceline::cuda::emulation::change(address,
                                           [=](T old) { return old == expected ? value : old; });
}

inline void __threadfence() {
  paceline::cuda::emulation::fence();
}
inline void __threadfence_block() {
  paceline::cuda::emulation::fence();
}
inline void __threadfence_system() {
  paceline::cuda::emulation::fence();
}
inline void __nanosleep(unsigned nanoseconds) {
  paceline::cuda::emulation::sleep_for(nanoseconds);
}
inline void __trap(const std::source_location& at = std::source_location::current()) {
  paceline::cuda::emulation::trap(at);
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) * b) >> 32);
}
inline int __popc(unsigned bits) {
  return std::popcount(bits);
}
inline int __clz(int bits) {
  return std::countl_zero(static_cast<unsigned>(bits));
}
inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}
inline float __expf(float x) {
  return std::exp(x);
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __powf(float x, float y) {
  return std::pow(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline float __fmul_rn(float x, float y) {
  return x * y;
}
inline float __fadd_rn(float x, float y) {
  return x + y;
}
inline float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
using std::max;
using std::min;
