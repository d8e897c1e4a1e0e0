// SPDX-License-Identifier: MIT
#include "sim/costs/measured_sharing.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// Two layers of 10 ms forward and 10 ms backward; the second draws 40 GB/s.
Costs costs() {
  Costs costs;
  costs.forward = costs.backward = {Seconds{0.01}, Seconds{0.01}};
  costs.forward_traffic = costs.backward_traffic = {Bytes{0}, Bytes{0.4e9}};
  costs.groups = {BytesPerSecond{1e12}, BytesPerSecond{2e11}, BytesPerSecond{}};
  return costs;
}

TEST(MeasuredSharing, SeveralAtOnceSayWhatTheMemoryGives) {
  NetworkProfile measured;
  measured.shared = {{2, Seconds{0.02}, Seconds{0.02}}, {8, Seconds{0.042}, Seconds{0.042}}};
  Costs shared = costs();
  share_as_measured(shared, measured);
  // Of the 42 ms of 8 workers, 10 ms are the first layer's; the second moves 8 x 0.4 GB in 32 ms.
  EXPECT_NEAR(shared.groups->memory.value(), 100e9, 1e3);
  EXPECT_EQ(shared.groups->worker_memory.value(), 2e11) << "known before";
  EXPECT_NEAR(shared.groups->server_memory.value(), 100e9, 1e3) << "not known: all";
}

TEST(MeasuredSharing, SeveralAtOnceSayWhatATimeSharedCardDoes) {
  NetworkProfile measured;
  measured.forward = {Seconds{0.01}};
  measured.backward = {Seconds{0.01}};
  measured.shared = {{2, Seconds{0.01}, Seconds{0.02}}, {4, Seconds{0.02}, Seconds{0.03}}};
  Costs card;
  take_turns_as_measured(card, measured);
  ASSERT_EQ(card.turns.size(), 4U);
  EXPECT_DOUBLE_EQ(card.turns[0], 1);
  EXPECT_DOUBLE_EQ(card.turns[1], 4.0 / 3);  // two steps of 20 ms in 30 ms
  EXPECT_DOUBLE_EQ(card.turns[2], (4.0 / 3 + 1.6) / 2);
  EXPECT_DOUBLE_EQ(card.turns[3], 1.6);
  measured.shared = {{2, Seconds{0.005}, Seconds{0.005}}};
  take_turns_as_measured(card, measured);
  ASSERT_EQ(card.turns.size(), 2U);
  EXPECT_DOUBLE_EQ(card.turns[1], 2) << "none is faster than alone";
}

TEST(MeasuredSharing, WithoutMeasurementsNothingChanges) {
  Costs shared = costs();
  share_as_measured(shared, NetworkProfile{});
  EXPECT_EQ(shared.groups->memory.value(), 1e12);
  take_turns_as_measured(shared, NetworkProfile{});
  EXPECT_TRUE(shared.turns.empty());
}

}  // namespace
}  // namespace paceline
