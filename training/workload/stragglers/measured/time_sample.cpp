// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/measured/time_sample.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "training/workload/random/philox.hpp"

namespace paceline {
namespace {

std::string fingerprint_of(const std::vector<double>& times) {
  PhiloxCounter state{};
  for (const double time : times) {
    const auto bits = std::bit_cast<std::uint64_t>(time);
    state[0] ^= static_cast<std::uint32_t>(bits);
    state[1] ^= static_cast<std::uint32_t>(bits >> 32);
    state = philox(state, {});
  }
  std::string text;
  for (const std::uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

}  // namespace

TimeSample::TimeSample(std::vector<double> times) : times_(std::move(times)) {
  assert(!times_.empty());
  std::sort(times_.begin(), times_.end());
  fingerprint_ = fingerprint_of(times_);
  mean_ = times_.front();
  const std::size_t n = times_.size();
  if (n == 1) return;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) sum += times_[i] / 2 + times_[i + 1] / 2;
  mean_ = sum / static_cast<double>(n - 1);
  double squares = 0;  // about the mean; for a uniform time from a to b: (a^2 + a b + b^2) / 3
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double a = times_[i] - mean_;
    const double b = times_[i + 1] - mean_;
    squares += (a * a + a * b + b * b) / 3;
  }
  if (mean_ > 0) cv_ = std::sqrt(squares / static_cast<double>(n - 1)) / mean_;
}

double TimeSample::quantile(double u) const {
  const double place = u * static_cast<double>(times_.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  if (i + 1 >= times_.size()) return times_.back();
  return times_[i] + (times_[i + 1] - times_[i]) * (place - static_cast<double>(i));
}

double TimeSample::upper_quantile(double share) const {
  const double place = share * static_cast<double>(times_.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  if (i + 1 >= times_.size()) return times_.front();
  const double upper = times_[times_.size() - 1 - i];
  return upper - (upper - times_[times_.size() - 2 - i]) * (place - static_cast<double>(i));
}

double TimeSample::cdf(double time) const {
  if (time < times_.front()) return 0;
  if (time >= times_.back()) return 1;
  const auto above = std::upper_bound(times_.begin(), times_.end(), time);
  const double part = (time - above[-1]) / (*above - above[-1]);
  return (static_cast<double>(above - times_.begin() - 1) + part) /
         static_cast<double>(times_.size() - 1);
}

double TimeSample::survival(double time) const {
  if (time < times_.front()) return 1;
  if (time >= times_.back()) return 0;
  const auto above = std::upper_bound(times_.begin(), times_.end(), time);
  const double part = (*above - time) / (*above - above[-1]);
  return (static_cast<double>(times_.end() - above - 1) + part) /
         static_cast<double>(times_.size() - 1);
}

}  // namespace paceline
