// SPDX-License-Identifier: MIT
/// \file
/// When a device passed an event, on the clock that the roles read. A span of time between two
/// events is the device's own measurement; only where the two clocks meet is uncertain, by some
/// microseconds.
#pragma once
#include "exec/cuda/runtime/stream.hpp"
#include "exec/host/time_source.hpp"

namespace paceline::cuda {

class DeviceClock {
 public:
  /// Of the current device. Waits for it some times, to see how its clock stands to `time`.
  explicit DeviceClock(const TimeSource& time);

  /// When `event`, which has been passed, was.
  Instant instant(const DeviceEvent& event) const;
  /// The same; and where its reference has become too old to be exact, `event` takes its place and
  /// is exchanged for a spare one.
  Instant instant_of_latest(DeviceEvent& event);

 private:
  DeviceEvent reference_;
  Instant at_;  ///< of the reference
};

}  // namespace paceline::cuda
