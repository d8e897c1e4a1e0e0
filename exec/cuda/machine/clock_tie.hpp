// SPDX-License-Identifier: MIT
/// \file
/// Two clocks of one computer, with rates that differ by some millionths: a device's, on which
/// events are timed, and that of the roles. The roles see an event some time after it; the least
/// such delay of a while is always alike, so what it grows or shrinks by is drift.
#pragma once
#include <algorithm>
#include <optional>

#include "training/runtime/instant.hpp"

namespace paceline::cuda {

class ClockTie {
 public:
  /// Largest difference of rates that is followed. Crystals differ by tens of millionths; more is
  /// the host's own delay.
  static constexpr double kMostDrift = 100e-6;

  /// `at`: the roles' time of the reference event.
  explicit ClockTie(Instant at = {}) : at_(at) {}

  /// The roles' time of an event, `since` after the reference on the device's clock.
  Instant instant(Seconds since) const { return at_ + since; }
  /// The same of an event that was seen at `seen`.
  Instant note(Seconds since, Instant seen) {
    const Instant at = instant(since);
    least_ = std::min(least_, seen - at);
    return at;
  }
  /// Makes an event noted before the reference, and returns its time.
  Instant refer_to(Seconds since) {
    Instant at = instant(since);
    if (!usual_) usual_ = least_;
    const Seconds most = since * kMostDrift;
    at = at + std::clamp(least_ - *usual_, Seconds{} - most, most);
    least_ = kNone;
    return at_ = at;
  }

 private:
  static constexpr Seconds kNone{1e6};

  Instant at_;
  std::optional<Seconds> usual_;  ///< the least delay of the first while
  Seconds least_ = kNone;         ///< since the reference
};

}  // namespace paceline::cuda
