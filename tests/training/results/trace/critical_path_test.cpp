// SPDX-License-Identifier: MIT
#include "training/results/trace/critical_path.hpp"

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

TEST(AllUpdates, AreThoseOfTheWindow) {
  Trace trace;
  trace.begin = {5};
  trace.end = {100};
  EXPECT_FALSE(all_updates(trace));
  std::int64_t version = 0;
  for (const std::int64_t at : {0, 30, 40, 60, 95, 110}) {
    trace.moments.push_back({Moment::Kind::version, -1, ++version, {at}});
  }
  const auto window = all_updates(trace);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->version, 5);
  EXPECT_EQ(window->updates, 4);
  EXPECT_EQ(window->begin.ps, 5);
  EXPECT_EQ(window->end.ps, 95);
}

/// Three workers with gradients that arrive together, as in asynchronous training without jitter:
/// two of three gaps between updates are spent on the server alone, which works for 30 of 100. The
/// server has 10 of 100 of the path, the workers' arithmetic the rest.
TEST(CriticalPath, OfABurstIsNotTheServersAlone) {
  Trace trace;
  trace.workers = 3;
  std::int64_t version = 0;
  for (std::int64_t cycle = 0; cycle < 4; ++cycle) {
    for (RoleId worker = 0; worker < 3; ++worker) {
      const std::int64_t at = 100 * cycle + 10 * worker;  // the update of its gradient
      Span compute;
      compute.kind = SpanKind::compute;
      compute.stream = {worker, StreamKind::compute};
      compute.begin = {cycle == 0 ? at : at - 90};
      compute.end = {100 * cycle + (cycle == 0 ? 0 : 10 * worker)};
      Span push;
      push.kind = SpanKind::copy;
      push.stream = {worker, StreamKind::push};
      push.from = worker;
      push.to = 3;
      push.begin = push.end = {at};
      Span fetch = push;
      fetch.stream.kind = StreamKind::fetch;
      fetch.from = 3;
      fetch.to = worker;
      fetch.begin = fetch.end = {at + 10};
      if (cycle > 0) trace.spans.push_back(compute);
      trace.spans.push_back(push);
      trace.spans.push_back(update(3, ++version, at, at + 10));
      trace.spans.push_back(fetch);
      trace.moments.push_back({Moment::Kind::version, -1, version, {at + 10}});
    }
  }
  trace.begin = {30};
  trace.end = {330};
  const auto window = all_updates(trace);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->updates, 9);
  std::int64_t server = 0;
  for (const PathPiece& piece : critical_path(trace, *window)) {
    ASSERT_NE(piece.span, nullptr);
    if (piece.span->kind == SpanKind::update) server += piece.end.ps - piece.begin.ps;
  }
  EXPECT_LT(server, 300 * 2 / 10);
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
  Span other = push;  // to another role: the path does not depend on it
  other.to = 2;
  other.end = {58};
  trace.spans = {push, other, update(1, 2, 60, 100)};
  const std::vector<PathPiece> path = critical_path(trace, {2, 1, {0}, {100}});
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path[0].span, nullptr);
  EXPECT_EQ(path[0].end.ps, 20);
  EXPECT_EQ(path[1].span, &trace.spans[0]);
  EXPECT_EQ(path[2].span, nullptr);
  EXPECT_EQ(path[2].begin.ps, 50);
  EXPECT_EQ(path[3].span, &trace.spans[2]);
}

// Two calls of the collective library, of which the second waits for the first and not only for the
// arithmetic, and an update after them.
TEST(CriticalPath, FollowsOneCallOfTheLibraryToTheNext) {
  Trace trace;
  trace.workers = 2;
  trace.end = {100};
  for (const RoleId worker : {0, 1}) {
    Span compute;
    compute.kind = SpanKind::compute;
    compute.stream = {worker, StreamKind::compute};
    compute.begin = {0};
    compute.end = {30};
    trace.spans.push_back(compute);
    Span call = compute;
    call.kind = SpanKind::collective;
    call.stream.kind = StreamKind::push;
    call.begin = {30};
    call.end = {60};
    trace.spans.push_back(call);
    call.begin = {60};
    call.end = {90};
    trace.spans.push_back(call);
  }
  trace.spans.push_back(update(0, 2, 90, 100));
  const std::vector<PathPiece> path = critical_path(trace, {2, 1, {0}, {100}});
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path[0].span->kind, SpanKind::compute);
  EXPECT_EQ(path[1].span->kind, SpanKind::collective);
  EXPECT_EQ(path[2].span->kind, SpanKind::collective);
  EXPECT_EQ(path[2].begin.ps, 60);
  EXPECT_EQ(path[3].span->kind, SpanKind::update);
}

TEST(CriticalPath, NeverGoesRoundInSpansThatTakeNoTime) {
  Trace trace;
  trace.workers = 1;
  trace.end = {10};
  trace.spans = {update(0, 0, 5, 5), update(0, 0, 5, 5), update(0, 1, 5, 5), update(0, 2, 10, 10)};
  const std::vector<PathPiece> path = critical_path(trace, {2, 1, {0}, {10}});
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[1].end.ps, 10);
}

}  // namespace
}  // namespace paceline
