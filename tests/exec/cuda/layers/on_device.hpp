// SPDX-License-Identifier: MIT
/// \file
/// Tensors on a device for tests. On the host they are doubles in the order
/// [item][channel][height][width], whatever the layout and number format on the device.
#pragma once
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "exec/cuda/layers/tensor.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "experiments/language/value.hpp"

namespace paceline::cuda {

using Numbers = std::vector<double>;

/// Rounds to the element's format.
inline double rounded_number(double x, Element element) {
  const auto single = static_cast<float>(x);
  if (element == Element::fp16) return __half2float(__float2half_rn(single));
  if (element == Element::bf16) return __bfloat162float(__float2bfloat16_rn(single));
  return single;
}

/// Uniform in [-1, 1), rounded to the element's format.
inline Numbers random_numbers(std::size_t count, Element element, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  Numbers numbers(count);
  for (double& number : numbers) number = rounded_number(draw(random), element);
  return numbers;
}

/// L2 norm of the difference, relative to that of `expected`.
inline double relative_error(const Numbers& found, const Numbers& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return std::sqrt(difference / std::max(length, std::numeric_limits<double>::min()));
}

/// The bound for relative_error(): sums of some hundred products, then one or two roundings.
inline double tolerance(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 2e-6;
    case Precision::tf32:
      return 2e-3;
    case Precision::fp16:
      return 1e-3;
    case Precision::bf16:
      return 8e-3;
  }
  return 0;
}

inline std::string name_of(Precision precision) {
  return Value<Precision>::write(precision).text;
}
inline std::string name_of(Layout layout) {
  return Value<Layout>::write(layout).text;
}

/// NaN at first, so that elements that are not written show. Filters are tensors with one item per
/// output channel.
class LaidOutTensor {
 public:
  LaidOutTensor(Element element, Layout layout, int batch, Shape shape)
      : tensor_{nullptr, element, layout, batch, shape},
        memory_(static_cast<std::size_t>(tensor_.bytes())) {
    tensor_.data = memory_.data();
    poison();
  }

  const Tensor& tensor() const { return tensor_; }
  void* data() const { return tensor_.data; }

  /// Sets all bits, which is NaN in every format.
  void poison() {
    check(cudaMemset(data(), 0xff, memory_.bytes()), "poisoning");
    check(cudaDeviceSynchronize(), "poisoning");
  }

  void set(const Numbers& numbers) {
    std::vector<std::byte> bytes(memory_.bytes());
    for (std::size_t i = 0; i < numbers.size(); ++i) write(bytes, place_of(i), numbers[i]);
    copy_now(data(), bytes.data(), bytes.size(), "copying");
  }

  Numbers get() const {
    std::vector<std::byte> bytes(memory_.bytes());
    check(cudaDeviceSynchronize(), "computing");
    copy_now(bytes.data(), data(), bytes.size(), "copying");
    Numbers numbers(static_cast<std::size_t>(tensor_.elements()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = read(bytes, place_of(i));
    return numbers;
  }

 private:
  /// Index of the i-th number on the device.
  std::size_t place_of(std::size_t i) const {
    if (tensor_.layout == Layout::nchw) return i;
    const auto pixels = static_cast<std::size_t>(tensor_.shape.height * tensor_.shape.width);
    const auto channels = static_cast<std::size_t>(tensor_.shape.channels);
    const std::size_t item = i / (channels * pixels), channel = i / pixels % channels;
    return (item * pixels + i % pixels) * channels + channel;
  }

  void write(std::vector<std::byte>& bytes, std::size_t place, double number) const {
    const auto single = static_cast<float>(number);
    const auto put = [&](auto value) {
      std::memcpy(&bytes[place * sizeof(value)], &value, sizeof(value));
    };
    if (tensor_.element == Element::fp32) put(single);
    if (tensor_.element == Element::fp16) put(__float2half_rn(single));
    if (tensor_.element == Element::bf16) put(__float2bfloat16_rn(single));
  }
  double read(const std::vector<std::byte>& bytes, std::size_t place) const {
    const auto take = [&](auto value) {
      std::memcpy(&value, &bytes[place * sizeof(value)], sizeof(value));
      return value;
    };
    if (tensor_.element == Element::fp16) return __half2float(take(__half{}));
    if (tensor_.element == Element::bf16) return __bfloat162float(take(__nv_bfloat16{}));
    return take(0.0F);
  }

  Tensor tensor_;
  DeviceMemory memory_;
};

/// A vector, in fp32 or another format.
inline LaidOutTensor device_vector(std::size_t count, Element element = Element::fp32) {
  return {element, Layout::nchw, 1, {static_cast<int>(count), 1, 1}};
}

}  // namespace paceline::cuda
