// SPDX-License-Identifier: MIT
// The spans that a recorder keeps, event by event.
#include "training/results/trace/span_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/runtime/observers.hpp"

namespace paceline {
namespace {

constexpr Instant at(std::int64_t us) {
  return {us * 1'000'000};
}

/// Two workers and a server that updates after two gradients; the window starts at version 1 and
/// ends at version 3.
Counting served() {
  Counting counting;
  counting.workers = 2;
  counting.served = true;
  counting.warmup_gradients = 2;
  counting.gradients = 6;
  counting.gradients_per_update = 2;
  return counting;
}

Command layers(RoleId worker, std::int64_t step) {
  return {{worker, step}, Command::Compute{{Pass::forward, 0, 3}}};
}

Command copy(RoleId from, RoleId to, double bytes) {
  return {{}, Command::Copy{{from, Buffer::gradient}, {to, Buffer::landing, from}, {0, 1, bytes}}};
}

class SpanRecorderTest : public testing::Test {
 protected:
  void follow(const Counting& counting, std::size_t most = SpanRecorder::kMostSpans) {
    metrics_ = std::make_unique<Recorder>(counting);
    spans_ = std::make_unique<SpanRecorder>(most);
    spans_->follow(*metrics_);
    both_ = std::make_unique<Observers>(std::vector<Observer*>{metrics_.get(), spans_.get()});
  }
  const Trace& finish() {
    spans_->finish();
    return spans_->trace();
  }

  std::unique_ptr<Recorder> metrics_;
  std::unique_ptr<SpanRecorder> spans_;
  std::unique_ptr<Observers> both_;
};

TEST_F(SpanRecorderTest, KeepsWhatReachesIntoTheWindow) {
  follow(served());
  EXPECT_TRUE(both_->observes_parts());
  both_->operation({0, StreamKind::compute}, layers(0, 0), at(0), at(5));  // before the window
  both_->updated(2, 1, at(10));
  both_->operation({0, StreamKind::compute}, layers(0, 1), at(8), at(20));  // into the window
  both_->part({1, 1}, {Pass::forward, 1, 2}, at(11), at(12));
  both_->part({1, 1}, {Pass::forward, 2, 3}, at(12), at(12));  // no duration
  both_->operation({0, StreamKind::push}, copy(0, 2, 4e6), at(20), at(25));
  const Command place{{}, Command::Publish{2, 0}};
  both_->operation({2, StreamKind::compute}, place, at(25), at(25));
  const Command timer{{}, Command::Delay{15}};
  both_->operation({0, StreamKind::input}, timer, at(10), at(25));
  both_->accepted(0, 1, 0, 1);
  both_->cancelled(1, 1, 1, at(26));
  both_->updated(2, 2, at(30));
  both_->updated(2, 3, at(40));
  both_->operation({0, StreamKind::push}, copy(0, 2, 4e6), at(39), at(45));  // out of the window
  both_->operation({0, StreamKind::push}, copy(0, 2, 4e6), at(40), at(45));  // after the window
  const Trace& trace = finish();
  EXPECT_EQ(trace.begin, at(10));
  EXPECT_EQ(trace.end, at(40));
  ASSERT_EQ(trace.spans.size(), 4U);
  EXPECT_EQ(trace.spans[0].begin, at(8));
  EXPECT_EQ(trace.spans[1].kind, SpanKind::part);
  EXPECT_EQ(trace.spans[1].stream.role, 1);
  EXPECT_EQ(trace.spans[2].bytes, 4e6);
  EXPECT_EQ(trace.spans[2].to, 2);
  EXPECT_EQ(trace.spans[3].end, at(45));
  ASSERT_EQ(trace.taken.size(), 1U);
  EXPECT_EQ(trace.taken[0].version, 2);
  ASSERT_EQ(trace.moments.size(), 4U);  // versions 1, 2, 3 and one cancellation
  EXPECT_EQ(trace.moments[1].kind, Moment::Kind::cancelled);
  EXPECT_EQ(trace.moments[3].count, 3);
}

TEST_F(SpanRecorderTest, CountsTheDeadAsWaiting) {
  follow(served());
  both_->updated(2, 1, at(10));
  both_->died(0, at(12));
  both_->died(1, at(15));
  both_->span({1, -1}, Activity::wait, at(15), at(20));  // it has restarted
  both_->updated(2, 2, at(30));
  both_->updated(2, 3, at(40));
  const Trace& trace = finish();
  ASSERT_EQ(trace.spans.size(), 2U);
  EXPECT_EQ(trace.spans[0].stream.role, 1);
  EXPECT_EQ(trace.spans[0].end, at(20));
  EXPECT_EQ(trace.spans[1].stream.role, 0);
  EXPECT_EQ(trace.spans[1].begin, at(12));
  EXPECT_EQ(trace.spans[1].end, at(40));
  const Measurement measurement = metrics_->result();
  EXPECT_NEAR(*measurement.wait, 33e-6 / 1, 1e-12);  // the divisor is 1 if no mini-batch began
}

TEST_F(SpanRecorderTest, FindsTheWaitsOfEquals) {
  Counting counting = served();
  counting.served = false;
  counting.replicas = true;
  follow(counting);
  for (const RoleId worker : {0, 1}) both_->updated(worker, 1, at(10));
  both_->gradient_computed({1, 1}, at(15), 0);
  both_->gradient_computed({0, 1}, at(22), 0);
  for (const RoleId worker : {0, 1}) both_->updated(worker, 2, at(30));
  for (const RoleId worker : {0, 1}) both_->updated(worker, 3, at(40));
  const Trace& trace = finish();
  ASSERT_EQ(trace.spans.size(), 1U);
  EXPECT_EQ(trace.spans[0].kind, SpanKind::wait);
  EXPECT_EQ(trace.spans[0].work.worker, 1);
  EXPECT_EQ(trace.spans[0].end - trace.spans[0].begin, Seconds{7e-6});
  EXPECT_NEAR(*metrics_->result().wait, 7e-6 / 4, 1e-12);  // two updates of two gradients
}

TEST_F(SpanRecorderTest, IsCutAtTheLastUpdateBeforeItIsFull) {
  follow(served(), 2);
  both_->updated(2, 1, at(10));
  both_->operation({0, StreamKind::compute}, layers(0, 1), at(10), at(12));
  both_->operation({0, StreamKind::compute}, layers(0, 2), at(12), at(14));
  both_->updated(2, 2, at(20));
  both_->operation({1, StreamKind::compute}, layers(1, 1), at(15), at(25));  // begun before the cut
  both_->operation({0, StreamKind::compute}, layers(0, 3), at(20), at(26));
  both_->updated(2, 3, at(40));
  const Trace& trace = finish();
  EXPECT_TRUE(trace.cut);
  EXPECT_EQ(trace.end, at(20));
  ASSERT_EQ(trace.spans.size(), 3U);
  EXPECT_EQ(trace.spans[2].stream.role, 1);
}

}  // namespace
}  // namespace paceline
