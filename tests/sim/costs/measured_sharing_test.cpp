// SPDX-License-Identifier: MIT
#include "sim/costs/measured_sharing.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(MeasuredSharing, SeveralAtOnceSayWhatACardDoes) {
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
  Costs shared;
  take_turns_as_measured(shared, NetworkProfile{});
  EXPECT_TRUE(shared.turns.empty());
}

}  // namespace
}  // namespace paceline
