// SPDX-License-Identifier: MIT
#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(EventQueueTest, OrdersByTimeAndTiesByInsertion) {
  EventQueue queue;
  const std::vector<std::int64_t> times{5, 1, 3, 1, 5, 0, 3, 1, 2, 9, 5, 0};
  for (std::uint32_t i = 0; i < times.size(); ++i) queue.push(times[i], 0, i);
  std::vector<std::uint32_t> expected(times.size());
  for (std::uint32_t i = 0; i < times.size(); ++i) expected[i] = i;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; });
  std::vector<std::uint32_t> order;
  while (!queue.empty()) order.push_back(queue.pop().subject);
  EXPECT_EQ(order, expected);
}

TEST(EventQueueTest, KeepsItsOrderWhilePushesAndPopsAlternate) {
  EventQueue queue;
  std::uint64_t random = 12345;
  std::int64_t now = 0;
  for (int i = 0; i < 64; ++i) queue.push(i * 7 % 13, 0, 0);
  for (int i = 0; i < 10'000; ++i) {
    const Event event = queue.pop();
    ASSERT_GE(event.time_ps, now);
    now = event.time_ps;
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    queue.push(now + static_cast<std::int64_t>(random >> 60), 0, 0);
  }
}

/// Several pushes or pops in a row, and looks at the first event in between.
TEST(EventQueueTest, KeepsTheOrderOfASortedListInAnyMixOfPushesAndPops) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    EventQueue queue;
    std::set<std::pair<std::int64_t, std::uint32_t>> sorted;  // by time, then insertion
    std::int64_t now = 0;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      ASSERT_EQ(queue.empty(), sorted.empty());
      if (sorted.empty() || random() % 2 == 0) {
        const std::int64_t at = now + random() % 8;
        queue.push(at, 0, i);
        sorted.emplace(at, i);
      } else {
        if (random() % 2 == 0) {
          ASSERT_EQ(queue.top().subject, sorted.begin()->second);
        }
        const Event event = queue.pop();
        ASSERT_EQ(std::pair(event.time_ps, event.subject), *sorted.begin());
        now = event.time_ps;
        sorted.erase(sorted.begin());
      }
    }
  }
}

TEST(EventQueueTest, LanesKeepTheSameOrderAsTheHeap) {
  EventQueue queue;
  const std::vector<std::int64_t> times{4, 4, 2, 6, 6, 5, 1, 8, 4};
  for (std::uint32_t i = 0; i < times.size(); ++i) {
    if (i % 3 == 2) {
      queue.push(times[i], 0, i);
    } else {
      queue.push_in_lane(static_cast<int>(i % 3), times[i], 0, i);
    }
  }
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    EXPECT_EQ(queue.top().time_ps, times[queue.top().subject]);
    order.push_back(queue.pop().subject);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{6, 2, 0, 1, 8, 5, 3, 4, 7}));
}

}  // namespace
}  // namespace paceline
