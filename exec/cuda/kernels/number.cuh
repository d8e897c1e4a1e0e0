// SPDX-License-Identifier: MIT
/// \file
/// Numbers of a tensor inside a kernel: arithmetic is in fp32, memory in T, and a thread moves 16
/// bytes at a time if count and alignment allow.
#pragma once
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

__device__ inline float to_float(float x) {
  return x;
}
__device__ inline float to_float(__half x) {
  return __half2float(x);
}
__device__ inline float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

__device__ inline void set(float& to, float x) {
  to = x;
}
__device__ inline void set(__half& to, float x) {
  to = __float2half_rn(x);
}
__device__ inline void set(__nv_bfloat16& to, float x) {
  to = __float2bfloat16_rn(x);
}

/// `V` numbers that one instruction loads or stores: 16 bytes, or V is 1.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T at[V];
};

/// The number of T in 16 bytes.
template <class T>
constexpr int kWide = static_cast<int>(16 / sizeof(T));

template <int V, class T>
__device__ Pack<T, V> load(const T* from) {
  return *reinterpret_cast<const Pack<T, V>*>(from);
}
template <int V, class T>
__device__ void store(T* to, const Pack<T, V>& pack) {
  *reinterpret_cast<Pack<T, V>*>(to) = pack;
}

/// Writes `values` to `to`; `adds`: adds them.
template <int V, class T>
__device__ void put(T* to, const float (&values)[V], bool adds) {
  Pack<T, V> pack;
  if (adds) {
    pack = load<V>(to);
#pragma unroll
    for (int j = 0; j < V; ++j) set(pack.at[j], to_float(pack.at[j]) + values[j]);
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) set(pack.at[j], values[j]);
  }
  store<V>(to, pack);
}

/// Calls `f.template operator()<T>()` with the type of an element.
template <class F>
void with_element(Element element, F f) {
  switch (element) {
    case Element::fp32:
      return f.template operator()<float>();
    case Element::fp16:
      return f.template operator()<__half>();
    case Element::bf16:
      return f.template operator()<__nv_bfloat16>();
  }
}

/// Calls `f.template operator()<T, V>()` with packs of 16 bytes if `wide(V)`, else with V = 1.
template <class Wide, class F>
void with_pack(Element element, Wide wide, F f) {
  with_element(element, [&]<class T>() {
    if (wide(kWide<T>)) {
      f.template operator()<T, kWide<T>>();
    } else {
      f.template operator()<T, 1>();
    }
  });
}

}  // namespace paceline::cuda
