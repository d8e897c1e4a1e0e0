// SPDX-License-Identifier: MIT
/// \file
/// Arrays of fp32, fp16 or bf16, for the emulated libraries, which compute in fp32 and round
/// results when they store them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <library_types.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cudnn.h>

namespace paceline::cuda::emulation {

enum class Number : std::uint8_t { fp32, fp16, bf16 };

inline std::optional<Number> number_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return Number::fp32;
    case CUDA_R_16F:
      return Number::fp16;
    case CUDA_R_16BF:
      return Number::bf16;
    default:
      return std::nullopt;
  }
}
inline std::optional<Number> number_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return Number::fp32;
    case CUDNN_DATA_HALF:
      return Number::fp16;
    case CUDNN_DATA_BFLOAT16:
      return Number::bf16;
    default:
      return std::nullopt;
  }
}
inline std::size_t bytes_of(Number number) {
  return number == Number::fp32 ? 4 : 2;
}

/// Reads an array of numbers.
class Reader {
 public:
  Reader(const void* data, Number number) : data_(data), number_(number) {}
  float operator[](std::int64_t at) const {
    switch (number_) {
      case Number::fp16:
        return __half2float(static_cast<const __half*>(data_)[at]);
      case Number::bf16:
        return __bfloat162float(static_cast<const __nv_bfloat16*>(data_)[at]);
      default:
        return static_cast<const float*>(data_)[at];
    }
  }

 private:
  const void* data_;
  Number number_;
};

class Writer {
 public:
  Writer(void* data, Number number) : data_(data), number_(number) {}
  float operator[](std::int64_t at) const { return Reader(data_, number_)[at]; }
  void set(std::int64_t at, float value) const {
    switch (number_) {
      case Number::fp16:
        static_cast<__half*>(data_)[at] = __float2half(value);
        break;
      case Number::bf16:
        static_cast<__nv_bfloat16*>(data_)[at] = __float2bfloat16(value);
        break;
      default:
        static_cast<float*>(data_)[at] = value;
    }
  }
  /// Stores alpha x value + beta x old; does not read the old value if beta is 0.
  void blend(std::int64_t at, float value, float alpha, float beta) const {
    set(at, beta == 0.0F ? alpha * value : alpha * value + beta * (*this)[at]);
  }

 private:
  void* data_;
  Number number_;
};

/// The numbers [first, first + count) of an array in fp32.
inline std::vector<float> read_floats(const void* data, Number number, std::int64_t first,
                                      std::int64_t count) {
  const Reader from(data, number);
  std::vector<float> floats(static_cast<std::size_t>(count));
  for (float& value : floats) value = from[first++];
  return floats;
}

}  // namespace paceline::cuda::emulation
