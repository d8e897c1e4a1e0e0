// SPDX-License-Identifier: MIT
// A worker's thread throws: where there are servers that is a death like any other, elsewhere it is
// the end of the point, with the thread's own words.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>

#include "exec/host/execute.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

/// Another dataset, but worker 2 cannot draw some of its mini-batches.
struct Broken final : Dataset {
  std::shared_ptr<const Dataset> whole;
  std::set<std::int64_t> broken;  ///< steps of worker 2
  mutable std::atomic<int> thrown{0};
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override {
    if (worker == 2 && broken.count(step) > 0) {
      ++thrown;
      throw std::runtime_error("the disk is gone");
    }
    whole->draw(input, classes, seed, worker, step, inputs, targets);
  }
};

ExperimentFile experiment(const std::string& aggregation, const std::string& update,
                          const std::string& failures) {
  const std::string text =
      "name: throwing\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\nworkers: 4\nupdate: " +
      update + "\naggregation: " + aggregation + "\nstragglers:\n" +
      "  compute: {kind: shifted-exponential, shift: 0.2 ms, mean: 1 ms}\n" +
      (failures.empty() ? "" : "  failures: " + failures + "\n");
  return load_experiment_text("throwing.yaml", text, {});
}

/// The point with worker 2 broken, and what it needs.
struct Point {
  ExperimentFile file;
  Profile profile;
  Setting setting;
  std::shared_ptr<Broken> broken = std::make_shared<Broken>();
  Point(const std::string& aggregation, const std::string& update, const std::string& failures,
        std::set<std::int64_t> steps)
      : file(experiment(aggregation, update, failures)), profile(free_computer(file.points[0])) {
    Choice<Dataset>& dataset = file.points[0].experiment.train->dataset;
    broken->whole = dataset.part();
    broken->broken = std::move(steps);
    dataset = Choice<Dataset>(dataset.row(), broken);
    setting = make_prediction(file.points[0], &profile);
    setting.counting.keep_gradients = true;
  }
};

/// Steps `first` and all that follow.
std::set<std::int64_t> from(std::int64_t first) {
  std::set<std::int64_t> steps;
  for (std::int64_t step = first; step < 1000; ++step) steps.insert(step);
  return steps;
}

std::size_t threads_of_this_process() {
  std::thread([] {}).join();  // with the first thread, the thread sanitizer starts one of its own
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

/// Whether no more threads than `before` are left. The kernel wakes `join` shortly before it
/// removes the thread that has ended from the list.
bool only_these_are_left(std::size_t before) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (threads_of_this_process() > before) {
    if (std::chrono::steady_clock::now() > latest) return false;
  }
  return true;
}

/// Each gradient is taken once, none that is broken is, and each update is complete.
void expect_none_lost(const ClockRun& clock_run, const Point& point) {
  std::set<std::pair<int, std::int64_t>> taken;
  for (const GradientEvent& event : clock_run.events) {
    if (event.applied < 0) continue;
    EXPECT_TRUE(taken.insert({event.worker, event.step}).second);
    EXPECT_FALSE(event.worker == 2 && point.broken->broken.count(event.step) > 0);
  }
  EXPECT_EQ(static_cast<std::int64_t>(taken.size()), point.setting.plan.gradients);
  EXPECT_EQ(clock_run.curve.back().updates, point.setting.plan.updates);
  EXPECT_LT(clock_run.curve.back().loss, clock_run.curve.front().loss);
}

constexpr const char* kServer = "{kind: parameter-server, shards: 2, bucket: 200 B}";

class ThrowingTest : public testing::TestWithParam<const char*> {};

TEST_P(ThrowingTest, TheOthersGoOnWithoutIt) {
  // steps that are cancelled in their delay never get to the disk
  const Point point(kServer, GetParam(), "", from(5));
  const ClockRun clock_run = on_threads(point.setting);
  EXPECT_EQ(clock_run.status, "ok");
  EXPECT_EQ(*clock_run.result.failures, 1);
  EXPECT_EQ(point.broken->thrown, 1);
  expect_none_lost(clock_run, point);
}

TEST_P(ThrowingTest, ItsReplacementGoesOn) {
  // the mean life is so long that no worker reaches its end
  const Point point(kServer, GetParam(), "{every: 10000 h, restart: 1.7 ms}", {5, 6, 9, 10});
  const ClockRun clock_run = on_threads(point.setting);
  EXPECT_EQ(clock_run.status, "ok");
  EXPECT_GE(point.broken->thrown, 1);
  EXPECT_EQ(*clock_run.result.failures, point.broken->thrown);
  expect_none_lost(clock_run, point);
  EXPECT_TRUE(
      std::any_of(clock_run.events.begin(), clock_run.events.end(), [](const GradientEvent& event) {
        return event.worker == 2 && event.step > 10 && event.applied >= 0;
      }));
}

TEST_P(ThrowingTest, SoItIsOnTheWallsClock) {
  const Point point(kServer, GetParam(), "{every: 10000 h, restart: 1 ms}", {5, 6, 9});
  const std::size_t before = threads_of_this_process();
  const Measurement got = execute_on_host(point.setting);
  EXPECT_EQ(got.status, "ok");
  EXPECT_LE(*got.failures, point.broken->thrown);
  EXPECT_LT(*got.loss_final, got.curve.front().loss);
  EXPECT_TRUE(only_these_are_left(before));
}

INSTANTIATE_TEST_SUITE_P(WhoGoesOn, ThrowingTest,
                         testing::Values("{kind: k-sync, k: 3}", "{kind: k-batch-sync, k: 3}",
                                         "async", "{kind: k-async, k: 2}",
                                         "{kind: k-batch-async, k: 3}", "{kind: ssp, slack: 2}",
                                         "downpour"));

TEST(ThrowingTest, SyncCannotGoOnAndSaysWhy) {
  const Point point(kServer, "sync", "", {5});
  const std::string why =
      "worker 2 died (the disk is gone), 3 of 4 are left and an update takes gradients of 4";
  EXPECT_EQ(on_threads(point.setting).status, "failed: " + why);
  const std::size_t before = threads_of_this_process();
  try {
    execute_on_host(point.setting);
    FAIL() << "it should have thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), why);
  }
  EXPECT_TRUE(only_these_are_left(before));
}

TEST(ThrowingTest, SyncWaitsForTheReplacement) {
  const Point point(kServer, "sync", "{every: 10000 h, restart: 30 ms}", {5, 9});
  const ClockRun clock_run = on_threads(point.setting);
  EXPECT_EQ(clock_run.status, "ok");
  EXPECT_EQ(*clock_run.result.failures, 2);
  expect_none_lost(clock_run, point);
  const std::size_t longest = static_cast<std::size_t>(
      std::count_if(clock_run.samples.iterations.begin(), clock_run.samples.iterations.end(),
                    [](double seconds) { return seconds > 0.03; }));
  EXPECT_EQ(longest, 2U);
}

TEST(ThrowingTest, ServersThatOnlySumHaveNoAnswer) {
  for (const char* aggregation : {"{kind: allreduce, algorithm: ring}", "replicated"}) {
    const Point point(aggregation, "sync", "", {5});
    EXPECT_EQ(on_threads(point.setting).status, "failed: the disk is gone");
    const std::size_t before = threads_of_this_process();
    EXPECT_THROW(execute_on_host(point.setting), std::runtime_error);
    EXPECT_TRUE(only_these_are_left(before));
  }
}

}  // namespace
}  // namespace paceline
