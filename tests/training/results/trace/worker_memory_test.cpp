// SPDX-License-Identifier: MIT
#include "training/results/trace/worker_memory.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

class WorkerMemoryTest : public testing::Test {
 protected:
  WorkerMemoryTest() {
    memory_.always = Bytes{100};
    memory_.kept = {Bytes{10}, Bytes{20}, Bytes{0}};
    trace_.begin = {0};
  }

  void ran(SpanKind kind, LayerRange layers, std::int64_t end_ps, RoleId worker = 0) {
    Span span;
    span.kind = kind;
    span.work = {worker, 3};
    span.layers = layers;
    span.end = {end_ps};
    trace_.spans.push_back(span);
  }
  /// "at:bytes" of each change.
  std::string changes(RoleId worker = 0) const {
    std::string text;
    for (const MemoryChange& change : memory_over_time(trace_, memory_, worker)) {
      text += (text.empty() ? "" : " ") + std::to_string(change.at.ps) + ":" +
              std::to_string(static_cast<int>(change.held.value()));
    }
    return text;
  }

  Trace trace_;
  WorkerMemory memory_;
};

TEST_F(WorkerMemoryTest, ALayerIsKeptFromForwardToBackward) {
  ran(SpanKind::part, {Pass::forward, 0, 1}, 5);
  ran(SpanKind::part, {Pass::forward, 1, 2}, 6);
  ran(SpanKind::part, {Pass::forward, 2, 3}, 7);
  ran(SpanKind::compute, {Pass::forward, 0, 3}, 7);  // the parts count
  ran(SpanKind::part, {Pass::backward, 2, 3}, 8);
  ran(SpanKind::part, {Pass::backward, 1, 2}, 9);
  ran(SpanKind::part, {Pass::backward, 0, 1}, 11);
  ran(SpanKind::part, {Pass::forward, 0, 1}, 20, 1);  // another worker's
  EXPECT_EQ(changes(), "0:100 5:110 6:130 7:130 8:130 9:110 11:100");
  EXPECT_EQ(changes(1), "0:100 20:110");
}

TEST_F(WorkerMemoryTest, AGpuReportsLayersTogether) {
  ran(SpanKind::compute, {Pass::forward, 0, 3}, 7);
  ran(SpanKind::compute, {Pass::backward, 1, 3}, 9);
  EXPECT_EQ(changes(), "0:100 7:130 9:110");
}

TEST_F(WorkerMemoryTest, ACancelledMiniBatchIsFreedByTheNext) {
  ran(SpanKind::part, {Pass::forward, 0, 1}, 5);
  ran(SpanKind::part, {Pass::forward, 1, 2}, 6);
  ran(SpanKind::part, {Pass::forward, 0, 1}, 9);
  EXPECT_EQ(changes(), "0:100 5:110 6:130 9:110");
}

TEST_F(WorkerMemoryTest, NothingIsToldOfAnUnknownMemory) {
  ran(SpanKind::part, {Pass::forward, 0, 1}, 5);
  memory_.kept.clear();
  EXPECT_EQ(changes(), "");
}

}  // namespace
}  // namespace paceline
