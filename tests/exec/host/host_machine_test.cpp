// SPDX-License-Identifier: MIT
// Who may die of what: two roles on real threads, told step by step.
#include "exec/host/host_machine.hpp"

#include <atomic>

#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

/// Worker 0 can draw a mini-batch only once it is `told` to, and then throws.
struct Gate final : Dataset {
  mutable std::atomic<bool> reached{false};
  std::atomic<bool> told{false};
  void draw(const Shape&, int, std::uint64_t, int, std::int64_t, std::span<float>,
            std::span<float>) const override {
    reached = true;
    reached.notify_all();
    told.wait(false);
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
    setting = make_setting(file.points.front(), &profile);
  }
  /// Runs `worker` beside a server that does nothing.
  template <class Worker>
  void run(const Worker& worker) {
    Trainer trainer(setting, 1);
    const Plan plan = setting.plan_of(0, nullptr);
    Learning learning = trainer.start(plan, 0);
    WallTime time;
    HostMachine machine(plan, learning, time);
    machine.start_role(0, worker(machine));
    machine.start_role(1, idle());
    machine.run();
  }
  static Task<> idle() { co_return; }
};

Message to_oneself() {
  Message done;
  done.kind = Message::Kind::done;
  return done;
}

TEST(HostMachineTest, AThreadThatThrowsKillsItsWorker) {
  Pair pair;
  pair.gate->told = true;
  Message first;
  std::string cause;
  const auto program = [&](Backend& backend) -> Task<> {
    backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    first = co_await backend.receive(0);
    cause = backend.cause_of_death(0);
  };
  pair.run(program);
  EXPECT_EQ(first.kind, Message::Kind::died);
  EXPECT_EQ(cause, "no such mini-batch");
}

TEST(HostMachineTest, TheFailureOfWhatWasCancelledKillsNobody) {
  Pair pair;
  Message first;
  const auto program = [&](Backend& backend) -> Task<> {
    const Token computed = backend.compute({0, StreamKind::compute}, {Pass::forward, 0, 1}, {0, 0});
    pair.gate->reached.wait(false);
    backend.cancel({0, 0});
    pair.gate->told = true;
    pair.gate->told.notify_all();
    co_await backend.finished(0, computed);
    backend.send(0, to_oneself());
    first = co_await backend.receive(0);
  };
  pair.run(program);
  EXPECT_EQ(first.kind, Message::Kind::done);
}

}  // namespace
}  // namespace paceline
