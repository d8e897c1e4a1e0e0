// SPDX-License-Identifier: MIT
// A 32-bit word u stands for the probability u / 2^32. Its upper 12 bits choose an interval between
// two quantiles, its lower 20 bits the place within the interval.
#include "training/learning/normal_noise.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <boost/math/distributions/normal.hpp>

namespace paceline {
namespace {

constexpr int kIndexBits = 12;
constexpr int kPlaceBits = 32 - kIndexBits;
constexpr std::size_t kIntervals = std::size_t{1} << kIndexBits;

/// The normal's quantiles at multiples of 1 / kIntervals.
struct Quantiles {
  std::array<float, kIntervals + 1> at;

  Quantiles() {
    const boost::math::normal normal;
    const double width = 1.0 / static_cast<double>(kIntervals);
    for (std::size_t i = 1; i < kIntervals; ++i) {
      at[i] = static_cast<float>(quantile(normal, static_cast<double>(i) * width));
    }
    // The outer ends are infinite; these values keep the mean of the outermost intervals, pdf /
    // width.
    const double last = quantile(complement(normal, width));
    at[kIntervals] = static_cast<float>(2 * pdf(normal, last) / width - last);
    at[0] = -at[kIntervals];
  }

  float operator()(std::uint32_t word) const {
    const std::size_t index = word >> kPlaceBits;
    const auto place = static_cast<std::int32_t>(word & ((1u << kPlaceBits) - 1));
    const float share = static_cast<float>(place) * (1.0f / static_cast<float>(1 << kPlaceBits));
    return at[index] + share * (at[index + 1] - at[index]);
  }
};

}  // namespace

void add_normal(std::span<float> into, float scale, PhiloxKey key, std::uint32_t stream) {
  static const Quantiles normal;
  std::size_t i = 0;
  for (std::uint32_t block = 0; i < into.size(); ++block) {
    const PhiloxCounter words = philox({block, stream, 0, 0}, key);
    const std::size_t count = std::min(words.size(), into.size() - i);
    for (std::size_t k = 0; k < count; ++k, ++i) into[i] += scale * normal(words[k]);
  }
}

}  // namespace paceline
