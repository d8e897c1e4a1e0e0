// SPDX-License-Identifier: MIT
#include "training/results/metrics/mini_batch_count.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using Pace = MiniBatchCount::Pace;

Instant at(double seconds) {
  return Instant{} + Seconds{seconds};
}

TEST(MiniBatchCountTest, ThoseThatBeginInTheWindowCount) {
  MeasuredWindow window(false);
  MiniBatchCount count(1, Pace::common);
  count.begun(0, at(0), window);
  count.begun(0, at(2), window);  // cancelled by the update at 2 that opens the window
  window.open(at(2));
  count.window_opened(window);
  count.begun(0, at(2), window);
  count.begun(0, at(3), window);
  count.begun(0, at(5), window);  // without time, and before the update at 5 that closes the window
  count.window_closes(at(5), window);
  window.close(at(5));
  count.begun(0, at(5), window);
  EXPECT_EQ(count.in(window), 3);
}

// Mini-batches from 0 to 4, from 4 to 8, and from 8 on, of 4 s like the others: the window from 1
// to 10 holds 3/4, 1 and 1/2 of them.
TEST(MiniBatchCountTest, AtTheirOwnPaceTheyCountByTheirShares) {
  MeasuredWindow window(false);
  MiniBatchCount count(1, Pace::own);
  count.begun(0, at(0), window);
  window.open(at(1));
  count.window_opened(window);
  count.begun(0, at(4), window);
  count.begun(0, at(8), window);
  count.window_closes(at(10), window);
  window.close(at(10));
  EXPECT_DOUBLE_EQ(count.in(window), 2.25);
  count.begun(0, at(12), window);  // the worker had not received the order to stop
  EXPECT_DOUBLE_EQ(count.in(window), 2.25);
}

// On real clocks the mini-batch from 0 to 4 may be reported as ended before the update at 3 is.
TEST(MiniBatchCountTest, ABorderCutsMiniBatchesReportedBeforeIt) {
  MeasuredWindow window(false);
  MiniBatchCount count(1, Pace::own);
  count.begun(0, at(0), window);
  count.begun(0, at(4), window);
  window.open(at(3));
  count.window_opened(window);
  count.begun(0, at(8), window);
  count.window_closes(at(7), window);
  window.close(at(7));
  EXPECT_DOUBLE_EQ(count.in(window), 0.25 + 0.75);
}

// A worker goes on after the window, from 3 to 7, with mini-batches of 4 s and 6 s; on real
// clocks their ends may be reported before a border that cuts them.
TEST(MiniBatchCountTest, OfIndependentWorkersTheLastShareIsKnown) {
  for (const bool late : {false, true}) {
    MeasuredWindow window(false);
    MiniBatchCount count(1, Pace::independent);
    if (late) count.ended(0, at(4), window);
    window.open(at(3));
    count.window_opened(window);
    if (!late) count.ended(0, at(4), window);
    if (late) count.ended(0, at(10), window);
    count.window_closes(at(7), window);
    window.close(at(7));
    if (!late) count.ended(0, at(10), window);
    EXPECT_DOUBLE_EQ(count.in(window), 1.0 / 4 + 3.0 / 6);
  }
}

}  // namespace
}  // namespace paceline
