// SPDX-License-Identifier: MIT
// The workers that others wait for.
#include "cli/slow_workers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Workers with two mini-batches each, of these seconds.
Trace trace_of(const std::vector<int>& seconds) {
  Trace trace;
  trace.workers = static_cast<int>(seconds.size());
  for (int worker = 0; worker < trace.workers; ++worker) {
    for (int step = 0; step < 2; ++step) {
      Span span;
      span.kind = step == 0 ? SpanKind::compute : SpanKind::delay;
      span.work = {worker, step};
      span.end = Instant{seconds[static_cast<std::size_t>(worker)] * 1'000'000'000'000};
      trace.spans.push_back(span);
    }
  }
  return trace;
}

TEST(SlowWorkers, AreTheFewThatTakeLonger) {
  EXPECT_THAT(slow_workers(trace_of({10, 24, 10, 10})), ElementsAre(1));
  EXPECT_THAT(slow_workers(trace_of({10, 24})), ElementsAre(1));
  EXPECT_THAT(slow_workers(trace_of({10, 11, 10, 10})), IsEmpty());
  EXPECT_THAT(slow_workers(trace_of({24, 10, 10, 24})), ElementsAre(0, 3));
  EXPECT_THAT(slow_workers(trace_of({10})), IsEmpty());
}

// One mini-batch of 40 s, alone or among three of 10 s, is chance; four of 17 to 18 s are not.
TEST(SlowWorkers, AreNotThoseOfChance) {
  const auto trace_with = [](const std::vector<int>& seconds) {
    Trace trace;
    trace.workers = 2;
    for (std::size_t step = 0; step < seconds.size(); ++step) {
      for (const int worker : {0, 1}) {
        Span span;
        span.kind = SpanKind::compute;
        span.work = {worker, static_cast<std::int64_t>(step)};
        span.end = Instant{(worker == 0 ? 10 : seconds[step]) * 1'000'000'000'000};
        trace.spans.push_back(span);
      }
    }
    return trace;
  };
  EXPECT_THAT(slow_workers(trace_with({40})), IsEmpty());
  EXPECT_THAT(slow_workers(trace_with({10, 40, 10, 10})), IsEmpty());
  EXPECT_THAT(slow_workers(trace_with({17, 18, 17, 18})), ElementsAre(1));
}

TEST(SlowWorkers, AreNamed) {
  EXPECT_EQ(names_of_workers({1}), "worker 1");
  EXPECT_EQ(names_of_workers({1, 3}), "workers 1 and 3");
  EXPECT_EQ(names_of_workers({1, 3, 5, 7, 8}), "workers 1, 3, 5 and 2 more");
}

}  // namespace
}  // namespace paceline
