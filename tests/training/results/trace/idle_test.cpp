// SPDX-License-Identifier: MIT
// The causes of idleness, computed by hand.
#include "training/results/trace/idle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

Span span(SpanKind kind, Stream stream, std::int64_t begin, std::int64_t end) {
  Span result;
  result.kind = kind;
  result.stream = stream;
  result.begin = {begin};
  result.end = {end};
  return result;
}

Span copy(Stream stream, RoleId from, RoleId to, std::int64_t begin, std::int64_t end) {
  Span result = span(SpanKind::copy, stream, begin, end);
  result.from = from;
  result.to = to;
  return result;
}

std::vector<std::string> words(const std::vector<Idle>& idle, RoleId worker) {
  std::vector<std::string> all;
  for (const Idle& one : idle) {
    if (one.worker != worker) continue;
    all.push_back(std::to_string(one.begin.ps) + "-" + std::to_string(one.end.ps) + " " +
                  name_of(one.cause));
  }
  return all;
}

TEST(IdleTimes, AreCutWhereTheirCausesChange) {
  Trace trace;
  trace.workers = 2;
  trace.begin = {100};
  trace.end = {200};
  trace.spans = {
      span(SpanKind::compute, {0, StreamKind::compute}, 90, 120),
      copy({0, StreamKind::push}, 0, 2, 110, 130),
      span(SpanKind::sum, {2, StreamKind::compute}, 130, 135),
      span(SpanKind::sum, {2, StreamKind::compute}, 134, 140),
      copy({1, StreamKind::fetch}, 2, 1, 138, 150),  // for another worker
      copy({0, StreamKind::fetch}, 2, 0, 155, 170),
      span(SpanKind::part, {0, StreamKind::compute}, 171, 172),  // its compute is not reported
      span(SpanKind::delay, {0, StreamKind::compute}, 170, 220),
      span(SpanKind::wait, {1, StreamKind::compute}, 100, 200),
  };
  const std::vector<Idle> idle = idle_times(trace);
  EXPECT_THAT(words(idle, 0),
              testing::ElementsAre("120-130 sending", "130-140 waits for a server's arithmetic",
                                   "140-150 link busy with other transfers",
                                   "150-155 waits for a message", "155-170 receiving"));
  EXPECT_EQ(idle.front().from, 0);
  EXPECT_EQ(idle.front().to, 2);
  EXPECT_EQ(idle[1].from, -1);
  EXPECT_THAT(words(idle, 1), testing::IsEmpty());
}

TEST(IdleTimes, OfAWorkerThatDoesNothingAreTheWindow) {
  Trace trace;
  trace.workers = 1;
  trace.begin = {5};
  trace.end = {9};
  EXPECT_THAT(words(idle_times(trace), 0), testing::ElementsAre("5-9 waits for a message"));
  trace.end = trace.begin;
  EXPECT_TRUE(idle_times(trace).empty());
}

}  // namespace
}  // namespace paceline
