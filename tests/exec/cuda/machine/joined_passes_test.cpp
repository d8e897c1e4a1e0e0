// SPDX-License-Identifier: MIT
// The passes of one worker are one launch where nothing comes between them, and have the times of
// two.
#include <gmock/gmock.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/kernels/delay.hpp"
#include "exec/cuda/kernels/words.hpp"
#include "exec/machine/execution_plan.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

using testing::ElementsAre;

constexpr std::int32_t kLayers = 4;
constexpr Stream kCompute{0, StreamKind::compute};
constexpr LayerRange kForward{paceline::Pass::forward, 0, kLayers};
constexpr LayerRange kBackward{paceline::Pass::backward, 0, kLayers};

/// Passes of 2 and of 3 ms, which notes how they are handed over.
class NotedPasses final : public Passes {
 public:
  static constexpr std::int64_t kForwardNs = 2'000'000, kBackwardNs = 3'000'000;

  explicit NotedPasses(cudaStream_t stream) : stream_(stream), never_(sizeof(std::int64_t)) {
    *never_.as<std::int64_t>() = -1;
  }
  LayerRange piece(const LayerRange& rest) const override { return rest; }
  void queue(const LayerWork& part, WorkId work) override {
    const bool forward = part.layers.pass == paceline::Pass::forward;
    note(forward ? "forward" : "backward", part.layers, work);
    wait(forward ? kForwardNs : kBackwardNs);
  }
  void queue_both(const LayerRange& layers, WorkId work, const DeviceEvent& border) override {
    note("both", layers, work);
    wait(kForwardNs);
    border.record(stream_);
    wait(kBackwardNs);
  }
  double loss(std::int64_t step) const override {
    ++losses_read;
    return static_cast<double>(step);
  }
  mutable int losses_read = 0;

  const std::vector<std::string>& handed() const { return handed_; }

 private:
  void note(const std::string& how, const LayerRange& layers, WorkId work) {
    handed_.push_back(how + " " + std::to_string(layers.first) + "-" + std::to_string(layers.last) +
                      " of " + std::to_string(work.step));
  }
  void wait(std::int64_t ns) { delay(ns, {never_.as<std::int64_t>(), 0}, stream_); }

  cudaStream_t stream_;
  PinnedMemory never_;  ///< steps that are given up: none
  std::vector<std::string> handed_;
};

/// The passes that were computed, and their times.
class ComputeTimes final : public Observer {
 public:
  struct Pass {
    LayerRange layers;
    Instant begin, end;
  };
  void operation(Stream, const Command& command, Instant begin, Instant end) override {
    if (const auto* compute = command.as<Command::Compute>()) {
      passes.push_back({compute->layers, begin, end});
    }
  }
  void gradient_computed(WorkId, Instant at, double loss) override {
    computed.push_back(at);
    losses.push_back(loss);
  }
  std::vector<Pass> passes;
  std::vector<Instant> computed;
  std::vector<double> losses;
};

/// A worker alone, with passes that are noted, and its program.
struct NotedWorker {
  explicit NotedWorker(const std::string& more = "aggregation: allreduce\n")
      : file(experiment(1, more)) {}

  void run(Task<> (*program)(Backend&)) {
    WallTime time;
    CudaMachine machine(plan, place->site, time);
    machine.start_role(0, program(machine));
    machine.run();
  }

  ExperimentFile file;
  Setting setting = make_setting(file.points.front());
  ComputeTimes times;
  Plan plan = plan_of_execution(setting, 0, &times);
  CudaExecution execution{setting, ""};
  std::unique_ptr<Workplace> place = execution.workplace(plan, 0);
  NotedPasses passes{place->streams.of(kCompute)};
  Passes* of_worker = place->site.passes[0] = &passes;
};

class JoinedPassesTest : public DeviceTest {};

Task<> three_steps(Backend& backend) {
  Token last;
  for (std::int64_t step = 0; step < 3; ++step) {
    const Token forward = backend.compute(kCompute, kForward, {0, step}, last);
    last = backend.compute(kCompute, kBackward, {0, step}, forward);
    last = backend.mark(kCompute, last);
  }
  co_await backend.finished(0, last);
}

// All steps are queued before the first has ended: each has a border of its own.
TEST_F(JoinedPassesTest, AreOneLaunchWithTheTimesOfTwo) {
  NotedWorker worker;
  worker.run(three_steps);
  EXPECT_THAT(worker.passes.handed(),
              ElementsAre("both 0-4 of 0", "both 0-4 of 1", "both 0-4 of 2"));
  EXPECT_THAT(worker.times.losses, ElementsAre(0, 1, 2));
  const auto& passes = worker.times.passes;
  ASSERT_EQ(passes.size(), 6U);
  ASSERT_EQ(worker.times.computed.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    const auto& forward = passes[2 * step];
    const auto& backward = passes[2 * step + 1];
    EXPECT_EQ(forward.layers.pass, paceline::Pass::forward);
    EXPECT_EQ(backward.layers.pass, paceline::Pass::backward);
    EXPECT_GE(forward.end - forward.begin, Seconds{1.99e-3}) << step;
    EXPECT_EQ(backward.begin, forward.end) << step;
    EXPECT_GE(backward.end - backward.begin, Seconds{2.99e-3}) << step;
    EXPECT_EQ(worker.times.computed[step], backward.end) << step;
    if (step > 0) {
      EXPECT_GE(forward.begin, passes[2 * step - 1].end) << step;
    }
  }
}

// Before that the loss may be written while it is read, or be that of an earlier mini-batch.
TEST_F(JoinedPassesTest, TheLossIsReadOnceTheLastForwardLayerHasRun) {
  static std::vector<int> read;
  static const NotedPasses* passes = nullptr;
  NotedWorker worker;
  ASSERT_EQ(worker.plan.cut.buckets.front().last_layer, kLayers);
  read.clear();
  passes = &worker.passes;
  worker.run([](Backend& backend) -> Task<> {
    for (const LayerRange& layers : {LayerRange{paceline::Pass::forward, 0, 2},
                                     LayerRange{paceline::Pass::forward, 2, kLayers},
                                     LayerRange{paceline::Pass::backward, 2, kLayers}}) {
      co_await backend.finished(0, backend.compute(kCompute, layers, {0, 0}));
      read.push_back(passes->losses_read);
    }
  });
  EXPECT_THAT(read, ElementsAre(0, 1, 2));
}

TEST_F(JoinedPassesTest, AreTwoLaunchesWhereTheRoleDecidesBetweenThem) {
  NotedWorker worker;
  worker.run([](Backend& backend) -> Task<> {
    const Token forward = backend.compute(kCompute, kForward, {0, 0});
    co_await backend.finished(0, forward);
    co_await backend.finished(0, backend.compute(kCompute, kBackward, {0, 0}));
  });
  EXPECT_THAT(worker.passes.handed(), ElementsAre("forward 0-4 of 0", "backward 0-4 of 0"));
}

TEST_F(JoinedPassesTest, AreTwoLaunchesWhereTheSecondWaitsForAnotherStream) {
  NotedWorker worker;
  worker.run([](Backend& backend) -> Task<> {
    const Token forward = backend.compute(kCompute, kForward, {0, 0});
    const Token beside = backend.delay({0, StreamKind::push}, Seconds{1e-3}, {0, 0}, forward);
    co_await backend.finished(0, backend.compute(kCompute, kBackward, {0, 0}, beside));
  });
  EXPECT_THAT(worker.passes.handed(), ElementsAre("forward 0-4 of 0", "backward 0-4 of 0"));
}

TEST_F(JoinedPassesTest, AreTwoLaunchesOfOtherLayersOrWithWorkBetweenThem) {
  NotedWorker worker;
  worker.run([](Backend& backend) -> Task<> {
    backend.compute(kCompute, kForward, {0, 0});
    backend.compute(kCompute, {paceline::Pass::backward, 1, kLayers}, {0, 0});
    backend.compute(kCompute, {paceline::Pass::backward, 0, 1}, {0, 0});
    backend.compute(kCompute, kForward, {0, 1});
    backend.delay(kCompute, Seconds{1e-3}, {0, 1});
    backend.compute(kCompute, kBackward, {0, 1});
    co_await backend.finished(0, backend.compute(kCompute, kForward, {0, 2}));
  });
  EXPECT_THAT(worker.passes.handed(),
              ElementsAre("forward 0-4 of 0", "backward 1-4 of 0", "backward 0-1 of 0",
                          "forward 0-4 of 1", "backward 0-4 of 1", "forward 0-4 of 2"));
}

TEST_F(JoinedPassesTest, AreTwoLaunchesBesideAServer) {
  NotedWorker worker("aggregation: parameter-server\n");
  worker.run(three_steps);
  EXPECT_EQ(worker.passes.handed().size(), 6U);
}

// A card that computes slower waits after each pass.
TEST_F(JoinedPassesTest, AreTwoLaunchesOfASlowWorker) {
  NotedWorker worker("aggregation: allreduce\nstragglers: {workers: {0: {slowdown: 2}}}\n");
  ASSERT_GT(worker.plan.slowdown_of(0), 1);
  worker.run(three_steps);
  EXPECT_EQ(worker.passes.handed().size(), 6U);
}

}  // namespace
}  // namespace paceline::cuda
