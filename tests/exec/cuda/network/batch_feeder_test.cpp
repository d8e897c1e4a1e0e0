// SPDX-License-Identifier: MIT
#include "exec/cuda/network/batch_feeder.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cuda/kernels/words.hpp"
#include "exec/cuda/network/resident_batches.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

/// Items that encode their own origin; records the steps drawn.
struct RecordingDataset final : Dataset {
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override {
    if (step == forbidden) throw std::runtime_error("no such step");
    EXPECT_EQ(input, (Shape{3, 2, 1}));
    EXPECT_EQ(classes, 4);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = static_cast<float>(seed * 10000 + static_cast<std::uint64_t>(step)) +
                  static_cast<float>(i) / 100;
    }
    for (float& target : targets) target = static_cast<float>(100 * worker + step);
    const std::lock_guard lock(mutex);
    drawn.push_back(step);
    news.notify_all();
  }
  /// The first `count` steps drawn; waits until that many have been drawn.
  std::vector<std::int64_t> first(std::size_t count) const {
    std::unique_lock lock(mutex);
    news.wait(lock, [&] { return drawn.size() >= count; });
    return drawn;
  }

  std::int64_t forbidden = -1;
  mutable std::mutex mutex;
  mutable std::condition_variable news;
  mutable std::vector<std::int64_t> drawn;
};

constexpr int kItems = 5;
constexpr std::size_t kInputs = kItems * 6;

class Batches : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    network_.input = {3, 2, 1};
    network_.classes = 4;
    stream_.emplace();
    copies_.emplace();
    received_ = PinnedMemory(kMost * (kInputs + kItems) * sizeof(float));
  }
  BatchSetting setting(std::uint64_t seed = 1) const {
    return {&dataset_, &network_, kItems, /*worker=*/2, seed};
  }
  cudaStream_t stream() const { return stream_->get(); }
  cudaStream_t copies() const { return copies_->get(); }
  void wait() { check(cudaStreamSynchronize(stream()), "waiting"); }
  float* received(int place) { return received_.as<float>() + place * (kInputs + kItems); }
  /// Queues a read of a mini-batch into slot `place` of the results.
  void read(BatchSource& source, std::int64_t step, int place) {
    const Batch batch = source.begin(step);
    check(cudaMemcpyAsync(received(place), batch.inputs, kInputs * sizeof(float), cudaMemcpyDefault,
                          stream()),
          "copying");
    check(cudaMemcpyAsync(received(place) + kInputs, batch.targets, kItems * sizeof(float),
                          cudaMemcpyDefault, stream()),
          "copying");
    source.end();
  }
  void expect(int place, std::int64_t step, std::uint64_t seed = 1) {
    std::vector<float> inputs(kInputs), targets(kItems);
    BatchSetting other = setting(seed);
    other.draw(step, inputs.data(), targets.data());
    EXPECT_EQ(std::vector<float>(received(place), received(place) + kInputs), inputs);
    EXPECT_EQ(std::vector<float>(received(place) + kInputs, received(place) + kInputs + kItems),
              targets);
  }

  static constexpr int kMost = 12;
  RecordingDataset dataset_;
  Network network_;
  std::optional<DeviceStream> stream_, copies_;
  PinnedMemory received_;
};

TEST_F(Batches, ComeInTheOrderOfSteps) {
  BatchFeeder feeder(setting(), stream(), copies());
  for (int step = 0; step < kMost; ++step) {
    read(feeder, step, step);
    wait();
    expect(step, step);
  }
}

// Many more steps are begun than there are slots before the device reads the first one.
TEST_F(Batches, ComeThoughTheDeviceIsLate) {
  const PinnedMemory gate(sizeof(std::uint64_t));
  await_word(gate.as<std::uint64_t>(), 1, stream());
  BatchFeeder feeder(setting(), stream(), copies());
  for (int step = 0; step < kMost; ++step) read(feeder, step, step);
  constexpr std::size_t kAhead = BatchFeeder::kSlots + BatchFeeder::kDeviceSlots;
  EXPECT_THAT(dataset_.first(kAhead), testing::ElementsAre(0, 1, 2, 3, 4));
  std::atomic_ref(*gate.as<std::uint64_t>()).store(1, std::memory_order_release);
  wait();
  for (int step = 0; step < kMost; ++step) expect(step, step);
}

// The next mini-batch comes to the device while it computes.
TEST_F(Batches, AreCopiedBesideTheWorkOfTheStepBefore) {
  BatchFeeder feeder(setting(), stream(), copies());
  feeder.begin(0);
  const PinnedMemory gate(sizeof(std::uint64_t));
  await_word(gate.as<std::uint64_t>(), 1, stream());  // its work
  feeder.end();
  const Batch next = feeder.begin(1);
  const DeviceStream other;
  std::vector<float> inputs(kInputs), targets(kItems);
  setting().draw(1, inputs.data(), targets.data());
  std::vector<float> got(kInputs);
  for (int look = 0; look < 2000 && got != inputs; ++look) {
    check(cudaMemcpyAsync(received(0), next.inputs, kInputs * sizeof(float), cudaMemcpyDefault,
                          other.get()),
          "copying");
    check(cudaStreamSynchronize(other.get()), "copying");
    got.assign(received(0), received(0) + kInputs);
  }
  EXPECT_EQ(got, inputs);
  std::atomic_ref(*gate.as<std::uint64_t>()).store(1, std::memory_order_release);
  wait();
}

TEST_F(Batches, AreDrawnAheadIntoEverySlotAndNoFurther) {
  BatchFeeder feeder(setting(), stream(), copies());
  EXPECT_THAT(dataset_.first(3), testing::ElementsAre(0, 1, 2));
  read(feeder, 0, 0);
  wait();
  EXPECT_THAT(dataset_.first(4), testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(Batches, GoOnWhereAWorkerGoesOn) {
  BatchFeeder feeder(setting(), stream(), copies());
  const std::int64_t steps[] = {0, 1, 7, 8, 9, 2, 3, 3, 40, 41, 42, 43};
  for (int i = 0; i < kMost; ++i) read(feeder, steps[i], i);
  wait();
  for (int i = 0; i < kMost; ++i) expect(i, steps[i]);
}

TEST_F(Batches, AreOfTheNewSeedAfterwards) {
  BatchFeeder feeder(setting(), stream(), copies());
  for (int repeat = 1; repeat <= 3; ++repeat) {
    const auto seed = static_cast<std::uint64_t>(repeat);
    if (repeat > 1) feeder.reseed(seed);
    for (int step = 0; step < 4; ++step) read(feeder, step, step);
    wait();
    for (int step = 0; step < 4; ++step) expect(step, step, seed);
  }
}

// A worker that ends early: every mini-batch begun gets some data, and all work completes.
TEST_F(Batches, LetTheDevicePassAtTheEnd) {
  {
    BatchFeeder feeder(setting(), stream(), copies());
    dataset_.first(3);
    for (int step = 0; step < 8; ++step) {
      feeder.begin(step);
      if (step < 2) feeder.end();
    }
  }
  wait();
}

TEST_F(Batches, ReportAnErrorWithTheNextMiniBatch) {
  dataset_.forbidden = 1;
  BatchFeeder feeder(setting(), stream(), copies());
  std::string message;
  try {
    for (int step = 0; step < 1000 && message.empty(); ++step) {
      feeder.begin(step);
      wait();  // waits of begun mini-batches end
    }
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "no such step");
}

TEST_F(Batches, OfBenchmarksAreTwoInTurn) {
  ResidentBatches batches(setting(), stream());
  EXPECT_THAT(dataset_.first(2), testing::ElementsAre(0, 1));
  for (int step = 0; step < 5; ++step) {
    read(batches, step, step);
    wait();
    expect(step, step % 2);
  }
  EXPECT_GE(batches.bytes(), 2 * (kInputs + kItems) * sizeof(float));
  batches.reseed(9);
  read(batches, 0, 0);
  wait();
  expect(0, 0);
}

}  // namespace
}  // namespace paceline::cuda
