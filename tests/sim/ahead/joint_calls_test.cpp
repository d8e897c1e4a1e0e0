// SPDX-License-Identifier: MIT
// Collectives that are worked out ahead, against the events of the same run, to the picosecond:
// random machines, schedules, skews, decisions and sums.
#include <random>

#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline {
namespace {

/// The end of each update and of each mini-batch's arithmetic, by worker.
class Ends final : public Observer {
 public:
  explicit Ends(bool steps) : steps_(steps) {}
  bool observes_steps() const override { return steps_; }
  void updated(RoleId role, std::int64_t version, Instant at) override {
    all.push_back({role, version, at.ps});
  }
  void gradient_computed(WorkId work, Instant at, double) override {
    all.push_back({work.worker, -work.step, at.ps});
  }
  std::vector<std::array<std::int64_t, 3>> all;

 private:
  bool steps_;
};

struct Outcome {
  std::vector<std::array<std::int64_t, 3>> ends;
  std::uint64_t flows = 0;
  std::size_t decisions = 0;
};

Outcome run(const ExperimentPoint& point, bool by_events) {
  const Prediction prediction = make_prediction(point, nullptr);
  Ends ends(by_events);
  const Plan plan = prediction.plan_of(0, &ends);
  const Costs costs = prediction.costs_of(0);
  SimulatedMachine machine(*prediction.machine, costs, prediction.vertices, plan.workers, &ends);
  start_roles(*point.experiment.aggregation, plan, machine);
  machine.run();
  std::ranges::sort(ends.all);
  return {ends.all, machine.flows()};
}

std::string star_of(int gpus, std::mt19937& random) {
  const auto any = [&](int least, int most) {
    return std::to_string(std::uniform_int_distribution<>(least, most)(random));
  };
  std::string text = "machine: {gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) +
                     "}], host: {cores: 8, memory_bandwidth: 100 GB/s, dispatch: " + any(0, 1) +
                     " us, decision_latency: " + any(0, 19) + "." + any(0, 999) +
                     " us}, vertices: [{kind: network-switch, names: [switch]}], link_types: {";
  for (int kind = 0; kind < 2; ++kind) {
    text += (kind == 0 ? "a" : ", b") +
            std::string(": {kind: ethernet, source: test, bandwidth: ") + any(1, 40) + "." +
            any(1, 99) + " GB/s, latency: " + any(0, 3) + "." + any(0, 99) + " us}";
  }
  text += "}, links: [{type: a, from: switch, to: [cpu0]}";
  for (int gpu = 0; gpu < gpus; ++gpu) {
    text += std::string(", {type: ") + (any(0, 2) == "0" ? "b" : "a") + ", from: switch, to: [gpu" +
            std::to_string(gpu) + "]}";
  }
  return text + "]}\n";
}

TEST(JointCalls, EndAsTheirEventsSay) {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<const char*> list) {
    return std::string(
        list.begin()[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random)]);
  };
  for (int round = 0; round < 60; ++round) {
    const int gpus = std::uniform_int_distribution<>(2, 17)(random);
    const std::string text =
        "name: p\nbatch: 8\nsteps: 4\nwarmup: 0\nlayer_times: roofline\nworkers: " +
        std::to_string(gpus) + "\n" + star_of(gpus, random) + "model: " +
        pick({"resnet50", "alexnet",
              "{kind: synthetic, compute: 3 ms, gradient: 1.3 MB, tensors: 9}"}) +
        "\nsoftware: " +
        pick({"ideal", "{}", "{step_variation: 5 %}", "{kernels: {launch: 7 us, of_update: 2}}"}) +
        "\naggregation: {kind: allreduce, algorithm: " +
        pick({"ring", "ring", "ring", "halving-doubling", "{kind: hierarchical, group: 4}",
              "{kind: hierarchical, group: 3, among: halving-doubling}"}) +
        ", bucket: " + pick({"25 MiB", "4 MiB", "100 kB", "1 B"}) +
        ", overlap: " + pick({"true", "true", "false"}) + "}\n" +
        pick({"", "stragglers: {compute: {kind: exponential, mean: 2 ms}}\n",
              "stragglers: {compute: {kind: uniform, low: 0 s, high: 30 us}}\n"});
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    const Outcome events = run(point, true);
    const Outcome joint = run(point, false);
    ASSERT_EQ(joint.flows, events.flows) << text;
    for (std::size_t i = 0; i < events.ends.size(); ++i)
      ASSERT_EQ(joint.ends[i], events.ends[i]) << "round " << round << ", " << i << "\n" << text;
    ASSERT_EQ(joint.ends.size(), events.ends.size());
  }
}

}  // namespace
}  // namespace paceline
