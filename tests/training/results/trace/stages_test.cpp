// SPDX-License-Identifier: MIT
#include "training/results/trace/stages.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

constexpr std::int64_t kMs = 1'000'000'000;  // picoseconds

Span span(SpanKind kind, RoleId role, std::int64_t begin_ms, std::int64_t end_ms) {
  Span one;
  one.kind = kind;
  one.stream = {role, StreamKind::compute};
  one.begin = {begin_ms * kMs};
  one.end = {end_ms * kMs};
  return one;
}

Moment version(std::int64_t number, std::int64_t at_ms) {
  return {Moment::Kind::version, -1, number, {at_ms * kMs}};
}

// Two workers and a server; the update at 100 ms begins the only whole step.
Trace trace_of_two() {
  Trace trace;
  trace.workers = 2;
  trace.moments = {version(1, 100), version(2, 200)};
  trace.spans = {span(SpanKind::compute, 0, 90, 99),  // of the step before
                 span(SpanKind::compute, 0, 101, 120), span(SpanKind::compute, 0, 120, 160),
                 span(SpanKind::compute, 1, 105, 171), span(SpanKind::sum, 2, 160, 162),
                 span(SpanKind::sum, 2, 180, 190),     span(SpanKind::copy, 0, 100, 199),
                 span(SpanKind::update, 2, 195, 200),  span(SpanKind::update, 2, 290, 300)};
  return trace;
}

TEST(Stages, ReachFromTheFirstBeginToTheLastEndOnAnyRole) {
  const auto stages = stages_of(trace_of_two());
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_DOUBLE_EQ(stages.at("computation").value(), 0.070);
  EXPECT_DOUBLE_EQ(stages.at("merge").value(), 0.030);
  EXPECT_DOUBLE_EQ(stages.at("update").value(), 0.005);
  EXPECT_DOUBLE_EQ(shares_of(stages).at("merge"), 30.0 / 105);
}

TEST(Stages, WithoutWorkAreAbsent) {
  Trace trace = trace_of_two();
  std::erase_if(trace.spans, [](const Span& one) { return one.kind == SpanKind::sum; });
  EXPECT_EQ(stages_of(trace).count("merge"), 0U);
  EXPECT_TRUE(stages_of(Trace{}).empty());
  EXPECT_TRUE(shares_of({}).empty());
}

}  // namespace
}  // namespace paceline
