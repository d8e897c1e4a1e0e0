// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/device_clock.hpp"

#include <cmath>
#include <utility>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

constexpr int kMeetings = 20;
// CUDA returns milliseconds in single precision: below 2 s the error is 0.1 us, less than the
// resolution of an event (about 0.5 us by the CUDA runtime's documentation).
constexpr float kTooOldMs = 2000;

float milliseconds_between(const DeviceEvent& begin, const DeviceEvent& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading an event's time");
  return milliseconds;
}

Seconds seconds_of(float milliseconds) {
  return Seconds{static_cast<double>(milliseconds) * 1e-3};
}

}  // namespace

DeviceClock::DeviceClock(const TimeSource& time) {
  const DeviceStream stream;
  Seconds narrowest{1e9};
  for (int i = 0; i < kMeetings; ++i) {
    DeviceEvent event;
    const Instant before = time.now();
    event.record(stream.get());
    while (!event.passed()) {
    }
    const Seconds width = time.now() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    tie_ = ClockTie(before + width * 0.5);
    std::swap(reference_, event);
  }
}

Instant DeviceClock::instant(const DeviceEvent& event) const {
  return tie_.instant(seconds_of(milliseconds_between(reference_, event)));
}

Instant DeviceClock::instant_of_latest(DeviceEvent& event, Instant seen) {
  const float since = milliseconds_between(reference_, event);
  const Instant at = tie_.note(seconds_of(since), seen);
  if (since <= kTooOldMs) return at;
  std::swap(reference_, event);
  return tie_.refer_to(seconds_of(since));
}

}  // namespace paceline::cuda
