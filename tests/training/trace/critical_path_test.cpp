// SPDX-License-Identifier: MIT
#include "training/trace/critical_path.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Span update(RoleId role, std::int64_t version, std::int64_t begin, std::int64_t end) {
  Span span;
  span.kind = SpanKind::update;
  span.stream = {role, StreamKind::compute};
  span.version = version;
  span.begin = {begin};
  span.end = {end};
  return span;
}

TEST(MedianUpdate, IsTheOneInTheMiddle) {
  Trace trace;
  trace.end = {100};
  EXPECT_FALSE(median_update(trace));
  std::int64_t version = 0;
  for (const std::int64_t at : {0, 30, 40, 60, 100}) {
    trace.moments.push_back({Moment::Kind::version, -1, ++version, {at}});
  }
  const auto middle = median_update(trace);  // 30, 10, 20, 40
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->version, 4);
  EXPECT_EQ(middle->begin.ps, 40);
  EXPECT_EQ(middle->end.ps, 60);
}

TEST(CriticalPath, SaysWhereNothingWasGoingOn) {
  Trace trace;
  trace.workers = 1;
  trace.end = {100};
  Span push;
  push.kind = SpanKind::copy;
  push.stream = {0, StreamKind::push};
  push.from = 0;
  push.to = 1;
  push.begin = {20};
  push.end = {50};
  Span other = push;  // to somebody else: nobody waited for it
  other.to = 2;
  other.end = {58};
  trace.spans = {push, other, update(1, 2, 60, 100)};
  const std::vector<PathPiece> path = critical_path(trace, {2, {0}, {100}});
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path[0].span, nullptr);
  EXPECT_EQ(path[0].end.ps, 20);
  EXPECT_EQ(path[1].span, &trace.spans[0]);
  EXPECT_EQ(path[2].span, nullptr);
  EXPECT_EQ(path[2].begin.ps, 50);
  EXPECT_EQ(path[3].span, &trace.spans[2]);
}

TEST(CriticalPath, NeverGoesRoundInSpansThatTakeNoTime) {
  Trace trace;
  trace.workers = 1;
  trace.end = {10};
  trace.spans = {update(0, 0, 5, 5), update(0, 0, 5, 5), update(0, 1, 5, 5), update(0, 2, 10, 10)};
  const std::vector<PathPiece> path = critical_path(trace, {2, {0}, {10}});
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[1].end.ps, 10);
}

}  // namespace
}  // namespace paceline
