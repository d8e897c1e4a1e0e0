// SPDX-License-Identifier: MIT
/// \file
/// Floats in device memory for the tests of kernels that work on slices.
#pragma once
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> floats(count);
  for (float& x : floats) x = normal(random);
  return floats;
}

/// Floats in device memory, surrounded by others that must not change.
class DeviceSlice {
 public:
  DeviceSlice(const std::vector<float>& values, std::size_t begin)
      : begin_(begin), all_(begin + values.size() + kBehind, kNan), memory_(bytes()) {
    std::copy(values.begin(), values.end(), all_.begin() + static_cast<std::ptrdiff_t>(begin));
    copy_now(memory_.data(), all_.data(), bytes(), "writing");
  }
  std::span<float> get() const {
    return {memory_.as<float>() + begin_, all_.size() - begin_ - kBehind};
  }
  /// The content; fails if a surrounding float has changed.
  std::vector<float> read() {
    copy_now(all_.data(), memory_.data(), bytes(), "reading");
    const auto first = all_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = all_.end() - kBehind;
    for (auto at = all_.begin(); at != all_.end(); ++at) {
      const bool around = at < first || at >= last;
      EXPECT_TRUE(!around || std::isnan(*at)) << at - first;
    }
    return {first, last};
  }

 private:
  static constexpr int kBehind = 5;
  std::size_t bytes() const { return all_.size() * sizeof(float); }

  std::size_t begin_;
  std::vector<float> all_;
  DeviceMemory memory_;
};

}  // namespace paceline::cuda
