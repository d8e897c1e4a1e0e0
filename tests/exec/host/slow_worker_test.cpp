// SPDX-License-Identifier: MIT
// One slow worker, alone: both clocks multiply its arithmetic, and the wait is the clock's.
#include <atomic>
#include <mutex>

#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

/// Each look at it is a millisecond later.
class TickingTime final : public TimeSource {
 public:
  Instant now() const override { return Instant{} + Seconds{1e-3 * static_cast<double>(++ticks_)}; }
  void sleep(Instant, const std::function<bool()>&) override {}
  void stay_busy(Instant until, const std::function<bool()>&) override {
    const std::lock_guard lock(mutex_);
    waits_.push_back(until);
  }
  void wake() override {}
  std::vector<Instant> waits() const { return waits_; }

 private:
  mutable std::atomic<int> ticks_{0};
  std::mutex mutex_;
  std::vector<Instant> waits_;
};

ExperimentFile one_worker(const std::string& slowdown) {
  return load_experiment_text(
      "slow.yaml",
      "name: slow\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 3\nwarmup: 1\nworkers: 1\ntrain: {held_out: 64}\n"
      "stragglers: {workers: {0: {slowdown: " +
          slowdown + "}}}\n",
      {});
}

TEST(SlowWorkerTest, OnTheHostItsCoreIsBusyForLonger) {
  const std::map<std::string, std::size_t> computes_that_wait{{"1", 0}, {"3", 4 * 2}};
  for (const auto& [slowdown, computes] : computes_that_wait) {
    const ExperimentFile file = one_worker(slowdown);
    const Profile profile = free_computer(file.points.front());
    const Prediction setting = make_prediction(file.points.front(), &profile);
    Execution execution(setting);
    Recorder recorder(setting.counting);
    TickingTime time;
    execution.run(0, recorder, time);
    EXPECT_EQ(time.waits().size(), computes);  // forward and backward of four mini-batches
  }
}

TEST(SlowWorkerTest, WhereTimeDoesNotPassNothingWaits) {
  const ExperimentFile file = one_worker("1e6");  // a busy wait would take minutes
  const Profile profile = free_computer(file.points.front());
  const Prediction setting = make_prediction(file.points.front(), &profile);
  Execution execution(setting);
  Recorder recorder(setting.counting);
  JumpingTime time;
  execution.run(0, recorder, time);
  EXPECT_EQ(time.now(), Instant{});
}

TEST(SlowWorkerTest, TheSimulatorMultipliesItsArithmetic) {
  const auto iteration = [](const std::string& slowdown) {
    const ExperimentFile file = one_worker(slowdown);
    Profile profile = free_computer(file.points.front());
    for (Seconds& layer : profile.networks.front().forward) layer = Seconds{0.01};
    return *simulate(make_prediction(file.points.front(), &profile)).compute;
  };
  EXPECT_NEAR(iteration("3"), 3 * iteration("1"), 1e-6);
}

}  // namespace
}  // namespace paceline
