// SPDX-License-Identifier: MIT
/// \file
/// Arrays on the emulated device, for tests of its libraries.
#pragma once
#include <random>
#include <vector>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "tests/exec/cuda/emulation/numbers.hpp"

namespace paceline::cuda::emulation {

/// Numbers on the device, with a copy of their rounded values on the host.
class Array {
 public:
  /// Random numbers, or NaN if `generator` is null.
  Array(std::size_t count, Number number, std::mt19937* generator)
      : number_(number), memory_(count * bytes_of(number)), values_(count) {
    if (generator == nullptr) return;
    std::vector<std::byte> bytes(memory_.bytes());
    const Writer writer(bytes.data(), number);
    std::uniform_real_distribution<float> draw(-1.0F, 1.0F);
    for (std::size_t i = 0; i < count; ++i) {
      writer.set(static_cast<std::int64_t>(i), draw(*generator));
      values_[i] = writer[static_cast<std::int64_t>(i)];
    }
    check(cudaMemcpy(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyDefault), "filling");
  }

  void* data() const { return memory_.data(); }
  double operator[](std::int64_t at) const { return values_[static_cast<std::size_t>(at)]; }
  std::vector<double> read() const {
    std::vector<std::byte> bytes(memory_.bytes());
    check(cudaMemcpy(bytes.data(), memory_.data(), bytes.size(), cudaMemcpyDefault), "reading");
    std::vector<double> values;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values.push_back(Reader(bytes.data(), number_)[static_cast<std::int64_t>(i)]);
    }
    return values;
  }

 private:
  Number number_;
  DeviceMemory memory_;
  std::vector<double> values_;
};

/// Relative L2 distance; NaN where a number was not written.
inline double distance(const std::vector<double>& found, const std::vector<double>& expected) {
  double difference = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (found.at(i) - expected[i]) * (found.at(i) - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

/// The error of rounding the results, with a margin.
inline double tolerance(Number number) {
  if (number == Number::fp32) return 1e-6;
  return number == Number::fp16 ? 6e-4 : 5e-3;
}

}  // namespace paceline::cuda::emulation
