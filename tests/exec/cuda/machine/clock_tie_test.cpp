// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/clock_tie.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "training/workload/random/draw.hpp"

namespace paceline::cuda {
namespace {

/// The error of the last of many events on a clock that is off by `drift`. The roles see each 20 us
/// to 2 ms late.
Seconds error_after(Seconds length, double drift) {
  ClockTie tie;
  double reference = 0;
  Seconds error;
  for (int i = 1; i * 0.01 < length.value(); ++i) {
    const double real = 0.01 * i;
    const double lag =
        20e-6 + 2e-3 * std::pow(uniform(1, 0, Purpose::order, 0, static_cast<std::uint64_t>(i)), 4);
    const Seconds since{real * (1 + drift) - reference};
    Instant at = tie.note(since, Instant{} + Seconds{real + lag});
    if (since.value() > 2) {
      at = tie.refer_to(since);
      reference = real * (1 + drift);
    }
    error = at - (Instant{} + Seconds{real});
  }
  return error;
}

TEST(ClockTie, FollowsAClockThatDrifts) {
  for (const double drift : {0.0, 10e-6, -10e-6, 60e-6, -60e-6}) {
    // what is not followed: the drift since the reference and within the first while, and the
    // scatter of the least delays
    const double bound = 2 * 2.02 * std::abs(drift) + 10e-6;
    EXPECT_LT(std::abs(error_after(Seconds{600}, drift).value()), bound) << drift;
  }
}

TEST(ClockTie, AHostThatIsLateForAWhileShiftsItLittle) {
  ClockTie tie;
  tie.note(Seconds{2.5}, Instant{} + Seconds{2.5});
  EXPECT_EQ(tie.refer_to(Seconds{2.5}), Instant{} + Seconds{2.5});
  tie.note(Seconds{2}, Instant{} + Seconds{4.6});  // 100 ms late
  const Seconds shift = tie.refer_to(Seconds{2}) - (Instant{} + Seconds{4.5});
  EXPECT_NEAR(shift.value(), 2 * ClockTie::kMostDrift, 1e-9);
}

}  // namespace
}  // namespace paceline::cuda
