// SPDX-License-Identifier: MIT
#include "cli/explain_spans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A worker that computes half of the time, and `servers` servers that update for a quarter of it.
Trace with_servers(int servers) {
  Trace trace;
  trace.workers = 1;
  trace.end = {4'000'000};
  Span span;
  span.stream = {0, StreamKind::compute};
  span.end = {2'000'000};
  trace.spans.push_back(span);
  for (int i = 0; i < servers; ++i) {
    span.kind = SpanKind::update;
    span.stream.role = 1 + i;
    span.end = {1'000'000};
    trace.spans.push_back(span);
  }
  return trace;
}

TEST(BusyTable, SaysHowManyServersItLeavesOut) {
  const ExperimentFile file = load_experiment_text(
      "p.yaml",
      "name: p\nmodel: {kind: synthetic, compute: 9 ms, gradient: 10 MB}\nmachine: ideal\n", {});
  const Prediction setting = make_prediction(file.points.front(), nullptr);
  const auto table = [&](int servers) { return busy_table(with_servers(servers), setting); };
  const auto rows = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("25.0 %", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_THAT(table(8), HasSubstr("a worker, compute"));
  EXPECT_THAT(table(8), HasSubstr("50.0 %"));
  EXPECT_EQ(rows(table(8)), 8U);
  EXPECT_THAT(table(8), Not(HasSubstr("more")));
  EXPECT_EQ(rows(table(9)), 8U);
  EXPECT_THAT(table(9), testing::EndsWith("\nand 1 more server\n"));
  EXPECT_THAT(table(12), testing::EndsWith("\nand 4 more servers\n"));
}

}  // namespace
}  // namespace paceline
