// SPDX-License-Identifier: MIT
/// \file
/// Whether GPUs decided as the simulator did.
#pragma once
#include <gtest/gtest.h>

#include "tests/exec/decided_by_delays.hpp"

namespace paceline::cuda {

/// Expects the same gradients, accepted and cancelled in the same order, and the same losses but
/// for the rounding of sums in another order.
inline void expect_decided_alike(const ClockRun& predicted, const ClockRun& real) {
  EXPECT_EQ(real.status, "ok");
  const Order expected(predicted.events);
  const Order measured(real.events);
  EXPECT_EQ(expected.accepted, measured.accepted);
  EXPECT_EQ(expected.cancelled, measured.cancelled);
  ASSERT_EQ(predicted.curve.size(), real.curve.size());
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    EXPECT_EQ(predicted.curve[i].updates, real.curve[i].updates);
    EXPECT_NEAR(predicted.curve[i].loss, real.curve[i].loss, 1e-4 * predicted.curve[i].loss);
  }
}

}  // namespace paceline::cuda
