// SPDX-License-Identifier: MIT
#include "exec/cuda/network/range_graphs.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

/// Copies a number on the device, so that the work that ran is visible.
class RangeGraphsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    stream_.emplace();
    memory_ = PinnedMemory(2 * sizeof(int));
  }
  int& from() { return memory_.as<int>()[0]; }
  int& to() { return memory_.as<int>()[1]; }
  void copy() {
    ++launches_;
    check(cudaMemcpyAsync(&to(), &from(), sizeof(int), cudaMemcpyDefault, stream_->get()),
          "copying");
  }
  void wait() { check(cudaStreamSynchronize(stream_->get()), "waiting"); }
  /// Runs a range and returns the value that reached the device.
  int run(RangeGraphs& graphs, const LayerRange& range, int value) {
    from() = value;
    graphs.run(range, [this] { copy(); });
    wait();
    return to();
  }

  std::optional<DeviceStream> stream_;
  PinnedMemory memory_;
  int launches_ = 0;
};

TEST_F(RangeGraphsTest, RecordTheSecondTimeAndReplayAfter) {
  RangeGraphs graphs(stream_->get(), true);
  const LayerRange range{Pass::forward, 0, 4};
  EXPECT_EQ(run(graphs, range, 11), 11);
  EXPECT_EQ(launches_, 1);
  EXPECT_EQ(graphs.size(), 0u);
  EXPECT_EQ(run(graphs, range, 12), 12);
  EXPECT_EQ(launches_, 2);
  EXPECT_EQ(graphs.size(), 1u);
  EXPECT_EQ(run(graphs, range, 13), 13);
  EXPECT_EQ(run(graphs, range, 14), 14);
  EXPECT_EQ(launches_, 2);
}

// The event between the passes may be another one each time, also while earlier ones are queued.
TEST_F(RangeGraphsTest, RecordBothPassesWithAnEventBetweenThem) {
  RangeGraphs graphs(stream_->get(), true);
  const LayerRange range{Pass::forward, 0, 4};
  constexpr int kTimes = 5;
  std::vector<DeviceEvent> begins(kTimes), borders(kTimes), ends(kTimes);
  from() = 7;
  for (std::size_t time = 0; time < kTimes; ++time) {
    begins[time].record(stream_->get());
    graphs.run_both(
        range, [this] { copy(); }, [this] { copy(); }, borders[time]);
    ends[time].record(stream_->get());
  }
  wait();
  EXPECT_EQ(to(), 7);
  EXPECT_EQ(launches_, 4);
  EXPECT_EQ(graphs.size(), 1u);
  const auto between = [](const DeviceEvent& first, const DeviceEvent& second) {
    float milliseconds = -1;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first.get(), second.get()), cudaSuccess);
    return milliseconds;
  };
  for (std::size_t time = 0; time < kTimes; ++time) {
    EXPECT_GE(between(begins[time], borders[time]), 0) << time;
    EXPECT_GE(between(borders[time], ends[time]), 0) << time;
  }
  run(graphs, range, 1);
  run(graphs, range, 2);
  EXPECT_EQ(graphs.size(), 2u) << "of the forward pass alone";
}

TEST_F(RangeGraphsTest, KeepRangesApart) {
  RangeGraphs graphs(stream_->get(), true);
  const LayerRange ranges[] = {
      {Pass::forward, 0, 4}, {Pass::backward, 0, 4}, {Pass::forward, 0, 3}, {Pass::forward, 1, 4}};
  for (const LayerRange& range : ranges) run(graphs, range, 1);
  EXPECT_EQ(graphs.size(), 0u);
  for (const LayerRange& range : ranges) run(graphs, range, 1);
  EXPECT_EQ(graphs.size(), 4u);
  EXPECT_EQ(launches_, 8);
}

TEST_F(RangeGraphsTest, NeverRecordWhereSwitchedOff) {
  RangeGraphs graphs(stream_->get(), false);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(graphs, {Pass::forward, 0, 4}, i), i);
  EXPECT_EQ(launches_, 4);
  EXPECT_EQ(graphs.size(), 0u);
}

// A range that cannot be recorded runs directly, and recording is not tried again.
TEST_F(RangeGraphsTest, LeaveAloneWhatCannotBeRecorded) {
  RangeGraphs graphs(stream_->get(), true);
  int value = 0;
  const auto launch = [&] {
    copy();
    wait();  // forbidden during a recording
    value = to();
  };
  for (int time = 1; time <= 4; ++time) {
    from() = time;
    graphs.run({Pass::backward, 2, 5}, launch);
    EXPECT_EQ(value, time);
  }
  EXPECT_EQ(launches_, 5);  // one of them failed to record
  EXPECT_EQ(graphs.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const LayerRange other{Pass::backward, 0, 2};
  for (int time = 0; time < 3; ++time) EXPECT_EQ(run(graphs, other, time), time);
  EXPECT_EQ(graphs.size(), 1u);
}

TEST_F(RangeGraphsTest, KeepSoManyAndNoMore) {
  RangeGraphs graphs(stream_->get(), true);
  const int ranges = static_cast<int>(RangeGraphs::kMost) + 2;
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < ranges; ++i) EXPECT_EQ(run(graphs, {Pass::forward, i, i + 1}, i), i);
  }
  EXPECT_EQ(graphs.size(), RangeGraphs::kMost);
  EXPECT_EQ(launches_, 2 * ranges + 2);
}

}  // namespace
}  // namespace paceline::cuda
