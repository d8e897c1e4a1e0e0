// SPDX-License-Identifier: MIT
// The causes of a worker's death: two roles on real threads, step by step.
#include "exec/host/host_machine.hpp"

#include <atomic>

#include "exec/machine/execution_plan.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

/// Worker 0 draws a mini-batch only once the gate is open, and then throws.
struct Gate final : Dataset {
  mutable std::atomic<bool> reached{false};
  std::atomic<bool> open{false};
  void draw(const Shape&, int, std::uint64_t, int, std::int64_t, std::span<float>,
            std::span<float>) const override {
    reached = true;
    reached.notify_all();
    open.wait(false);
    throw std::runtime_error("no such mini-batch");
  }
};

/// A plan of one worker and one server, and what they need.
struct Pair {
  ExperimentFile file =
      load_experiment_text("pair.yaml",
                           "name: pair\nmodel: {kind: linear, inputs: 2}\nmachine: this\nbatch: 1\n"
                           "train: {dataset: least-squares, loss_bound: 10}\n",
                           {});
  Profile profile = free_computer(file.points.front());
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  Setting setting;
  Pair() {
    Choice<Dataset>& dataset = file.points.front().experiment.train->dataset;
    dataset = Choice<Dataset>(dataset.row(), gate);
    setting = make_prediction(file.points.front(), &profile);
  }
  /// Runs `worker` beside a server that does nothing.
  template <class Worker>
  void run(const Worker& worker) {
    Trainer trainer(setting, 1);
    const Plan plan = plan_of_execution(setting, 0, nullptr);
    Learning learning = trainer.start(plan, 0);
    WallTime time;
    HostMachine machine(plan, learning, time);
    machine.start_role(0, worker(machine));
    machine.start_role(1, idle());
    machine.run();
  }
  static Task<> idle() { co_return; }
};

struct Done {};
using Words = MessageKinds<Done>;

TEST(HostMachineTest, AThreadThatThrowsKillsItsWorker) {
  Pair pair;
  pair.gate->open = true;
  Message first;
  std::string cause;
  const auto program = [&](Backend& backend) -> Task<> {
    backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    first = co_await backend.receive(0);
    cause = backend.cause_of_death(0);
  };
  pair.run(program);
  EXPECT_EQ(first.from, kMachine);
  EXPECT_EQ(first.kind, MachineMessages::number_of<ArithmeticFailed>());
  EXPECT_EQ(cause, "no such mini-batch");
}

TEST(HostMachineTest, AFailureOfCancelledWorkKillsNoWorker) {
  Pair pair;
  Message first;
  const auto program = [&](Backend& backend) -> Task<> {
    const Token computed = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    pair.gate->reached.wait(false);
    backend.cancel({0, 0});
    pair.gate->open = true;
    pair.gate->open.notify_all();
    co_await backend.finished(0, computed);
    backend.send(0, Words::make(0, Done{}));
    first = co_await backend.receive(0);
  };
  pair.run(program);
  EXPECT_EQ(first.from, 0);
}

}  // namespace
}  // namespace paceline
