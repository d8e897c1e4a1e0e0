// SPDX-License-Identifier: MIT
/// \file
/// Whether GPUs decided as the simulator did.
#pragma once
#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "tests/exec/decided_by_delays.hpp"

namespace paceline::cuda {

/// Whether an aggregation, as YAML, has servers, which take gradients in the order of the delays. A
/// slow computer changes nothing for workers without them.
inline bool has_servers(const std::string& aggregation) {
  return std::ranges::none_of(std::array{"allreduce", "peer-to-peer", "independent"},
                              [&](const char* kind) { return aggregation.find(kind) < 8; });
}

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
