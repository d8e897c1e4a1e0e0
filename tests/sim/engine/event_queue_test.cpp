// SPDX-License-Identifier: MIT
#include "sim/engine/event_queue.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "training/runtime/instant.hpp"

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

/// A heap of at most `most` events, beside which the others are far: the same order as on a heap
/// that may hold all of them, with lanes, steps of time of all sizes, and the end of the clock.
void expect_the_same_order(std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  EventQueue buckets(most), heap;
  std::uint32_t pushed = 0, popped = 0;
  std::int64_t now = 0;
  const auto push = [&] {
    const std::int64_t length = static_cast<std::int64_t>(random()) >> below(33);
    const std::int64_t at = below(1000) == 0 ? kEndOfClock : later_ps(now, length);
    const int lane = static_cast<int>(below(20));
    for (EventQueue* queue : {&buckets, &heap}) {
      if (lane < EventQueue::kLanes) {
        queue->push_in_lane(lane, at, 0, pushed);
      } else {
        queue->push(at, 0, pushed);
      }
    }
    ++pushed;
  };
  for (bool grows = true; grows || !heap.empty(); grows = pushed < 5000) {
    for (unsigned more = grows ? below(40) : 0; more > 0; --more) push();
    for (unsigned less = below(36); less > 0 && !heap.empty(); --less, ++popped) {
      ASSERT_FALSE(buckets.empty());
      const Event* ahead = buckets.ahead(0);
      const std::int64_t ahead_ps = ahead != nullptr ? ahead->time_ps : kEndOfClock;
      const Event event = buckets.pop(), expected = heap.pop();
      ASSERT_EQ(event.subject, expected.subject) << "event " << popped;
      ASSERT_EQ(event.time_ps, expected.time_ps);
      ASSERT_LE(event.time_ps, ahead_ps);
      now = event.time_ps == kEndOfClock ? now : event.time_ps;
      ASSERT_EQ(buckets.more_at(event.time_ps), heap.more_at(event.time_ps));
    }
  }
  EXPECT_TRUE(buckets.empty());
  EXPECT_EQ(popped, pushed);
}

TEST(EventQueueTest, BucketsKeepTheSameOrderAsTheHeap) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    for (const std::size_t most : {1, 8, 300}) {
      expect_the_same_order(most, seed);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", " << most << " on the heap";
    }
  }
}

/// In steady state the places of the next events are known, but for those of some thin buckets.
TEST(EventQueueTest, KnowsTheNextOfManyEvents) {
  EventQueue queue(100);
  std::mt19937 random(1);
  const auto push = [&](std::int64_t now) { queue.push(now + 1 + random() % 1'000'000, 0, 0); };
  for (int i = 0; i < 10'000; ++i) push(0);
  int known = 0;
  for (int i = 0; i < 10'000; ++i) {
    push(queue.pop().time_ps);
    known += queue.ahead(EventQueue::kLookAhead - 1) != nullptr;
  }
  EXPECT_GT(known, 9'800);
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
