// SPDX-License-Identifier: MIT
// One program, several processes: every strategy must accept and cancel the gradients that the
// simulator says, at the same versions, in the same order, wherever delays decide the order; and
// the losses are those of one process, to the bit where the order of sums is one.
#include <mutex>
#include <optional>

#include "exec/processes/joint_execution.hpp"
#include "tests/exec/host/both_clocks.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

constexpr int kWorkers = 4;
constexpr Seconds kLate{8e-3};  ///< by which one worker may be late in each mini-batch

struct Case {
  int processes;
  std::string aggregation;
  std::string update;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.processes << " processes, " << one.aggregation << " " << one.update;
}

/// `late`: a worker whose arithmetic takes three times as long, or -1.
ExperimentFile experiment(const Case& one, int seed, int late) {
  std::string text = "name: order\nseed: " + std::to_string(seed) +
                     "\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
                     "batch: 4\nsteps: 2\nwarmup: 1\ntrain: {evaluate: 1, held_out: 64}\n"
                     "stragglers:\n"
                     "  compute: {kind: shifted-exponential, shift: 10 ms, mean: 300 ms}\n";
  if (late >= 0) text += "  workers: {" + std::to_string(late) + ": {slowdown: 3}}\n";
  text += "workers: " + std::to_string(kWorkers) + "\naggregation: " + one.aggregation + "\n" +
          "processes: {count: " + std::to_string(one.processes) +
          ", bandwidth: 1e9 GB/s, latency: 0 s}\n";
  if (!one.update.empty()) text += "update: " + one.update + "\n";
  return load_experiment_text("order.yaml", text, {});
}

Setting setting_of(const ExperimentFile& file, Seconds arithmetic) {
  Profile profile = free_computer(file.points.front());
  profile.networks.front().forward.front() = arithmetic;
  profile.tcp.emplace();
  profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e18};
  Setting setting = make_setting(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  return setting;
}

/// What the simulator says, if neither a slower computer nor one slower worker changes the order.
std::optional<ClockRun> decided_by_delays(const Case& one, int seed) {
  const auto simulated = [&](int late, Seconds arithmetic) {
    const ExperimentFile file = experiment(one, seed, late);
    return on_simulator(setting_of(file, arithmetic));
  };
  ClockRun base = simulated(-1, Seconds{0});
  for (int late = -1; late < kWorkers; ++late) {
    const Order a(base.events);
    const Order b(simulated(late, kLate * 0.5).events);
    if (a.accepted != b.accepted || a.cancelled != b.cancelled) return std::nullopt;
  }
  return base;
}

ClockRun on_processes(const ExperimentFile& file, int processes) {
  ClockRun ran;
  run_processes(processes, [&](Group& group) {
    const Setting setting = setting_of(file, Seconds{0});
    if (!group.leads()) return take_part_in(setting, group, false);
    ran = record(setting, [&](Recorder& recorder, std::string& status) {
      JointExecution execution(setting, group, false);
      Executed executed = execution.run(0, recorder);
      status = executed.status;
      return executed.curve;
    });
  });
  return ran;
}

class JointOrderTest : public testing::TestWithParam<Case> {};

TEST_P(JointOrderTest, ProcessesDecideAsTheSimulatorDoes) {
  for (int seed = 1; seed <= 2000; ++seed) {
    const std::optional<ClockRun> simulated = decided_by_delays(GetParam(), seed);
    if (!simulated) continue;
    const ExperimentFile file = experiment(GetParam(), seed, -1);
    const ClockRun real = on_processes(file, GetParam().processes);
    EXPECT_EQ(real.status, "ok");
    const Order predicted(simulated->events);
    const Order measured(real.events);
    EXPECT_FALSE(measured.accepted.empty() && GetParam().aggregation == "parameter-server");
    EXPECT_EQ(predicted.accepted, measured.accepted);
    EXPECT_EQ(predicted.cancelled, measured.cancelled);
    ASSERT_EQ(simulated->curve.size(), real.curve.size());
    for (std::size_t i = 0; i < real.curve.size(); ++i) {
      EXPECT_EQ(simulated->curve[i].updates, real.curve[i].updates);
      EXPECT_EQ(simulated->curve[i].loss, real.curve[i].loss) << i;
    }
    return;
  }
  FAIL() << "no seed whose order delays decide";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JointOrderTest,
    testing::Values(
        Case{2, "parameter-server", "sync"}, Case{2, "parameter-server", "async"},
        Case{4, "parameter-server", "k-sync"}, Case{3, "parameter-server", "k-batch-sync"},
        Case{3, "parameter-server", "k-async"}, Case{2, "parameter-server", "k-batch-async"},
        Case{4, "parameter-server", "ssp"}, Case{2, "parameter-server", "downpour"},
        Case{3, "parameter-server", "local-sgd"}, Case{2, "parameter-server", "adasync"},
        Case{4, "{kind: parameter-server, placement: hosts}", "k-sync"},
        Case{3, "{kind: parameter-server, shards: 2, bucket: 200 B}", "async"},
        Case{3, "{kind: replicated, placement: hosts}", "sync"}, Case{2, "replicated", "local-sgd"},
        Case{4, "allreduce", "sync"}, Case{3, "{kind: allreduce, bucket: 200 B}", "sync"},
        Case{2, "allreduce", "local-sgd"}, Case{2, "independent", ""}));

}  // namespace
}  // namespace paceline
