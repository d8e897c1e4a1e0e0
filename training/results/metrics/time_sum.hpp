// SPDX-License-Identifier: MIT
/// \file
/// A sum of many lengths of time, exact to the picosecond, so that it does not depend on the order
/// in which they are added.
#pragma once
#include <cstdint>

#include "training/runtime/instant.hpp"

namespace paceline {

class TimeSum {
 public:
  /// Adds a length, `times` times.
  void add(std::int64_t length_ps, std::int64_t times = 1) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(length_ps, times, &product) || product > kMost || product < -kMost) {
      seconds_ += length_ps / kPerSecond * times;
      product = length_ps % kPerSecond * times;
    }
    rest_ps_ += product;
    carry();
  }
  TimeSum& operator-=(const TimeSum& other) {
    seconds_ -= other.seconds_;
    rest_ps_ -= other.rest_ps_;
    carry();
    return *this;
  }
  double seconds() const {
    const double whole = static_cast<double>(seconds_ + rest_ps_ / kPerSecond);
    return whole + static_cast<double>(rest_ps_ % kPerSecond) * 1e-12;
  }

 private:
  void carry() {
    if (rest_ps_ <= kMost && rest_ps_ >= -kMost) return;
    seconds_ += rest_ps_ / kPerSecond;
    rest_ps_ %= kPerSecond;
  }

  static constexpr std::int64_t kPerSecond = 1'000'000'000'000;
  static constexpr std::int64_t kMost = kEndOfClock / 4;
  std::int64_t seconds_ = 0;
  std::int64_t rest_ps_ = 0;
};

}  // namespace paceline
