// SPDX-License-Identifier: MIT
/// \file
/// Converts the time of a CUDA event to the clock that roles read. Differences between events are
/// measured by the device; only the offset between the two clocks is uncertain, by some
/// microseconds, and is corrected as the clocks drift apart.
#pragma once
#include "exec/cuda/machine/clock_tie.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "exec/machine/time_source.hpp"

namespace paceline::cuda {

class DeviceClock {
 public:
  /// For the current device. Synchronises with it several times to measure its offset to `time`.
  explicit DeviceClock(const TimeSource& time);

  /// The time at which the device passed `event`. Requires that it has passed it.
  Instant instant(const DeviceEvent& event) const;
  /// The same of an event that the host has just seen, at `seen`. If the reference event is too old
  /// to be exact, `event` replaces it and is swapped for a spare one.
  Instant instant_of_latest(DeviceEvent& event, Instant seen);

 private:
  DeviceEvent reference_;
  ClockTie tie_;
};

}  // namespace paceline::cuda
