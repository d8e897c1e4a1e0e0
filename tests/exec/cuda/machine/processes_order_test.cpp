// SPDX-License-Identifier: MIT
// Several processes on GPUs: every strategy must accept and cancel the gradients that the simulator
// predicts, at the same versions and in the same order, if delays decide the order.
#include <optional>

#include "exec/cuda/cuda_roles.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/processes/joint_execution.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/decided_by_delays.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline::cuda {
namespace {

constexpr Seconds kLate{16e-3};  ///< possible lateness of one worker in each mini-batch

struct Case {
  int processes;
  std::string aggregation;
  std::string update;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.processes << " processes, " << one.aggregation << " " << one.update;
}

std::string strategy(const Case& one) {
  return "aggregation: " + one.aggregation +
         "\nprocesses: {count: " + std::to_string(one.processes) +
         ", bandwidth: 1e9 GB/s, latency: 0 s}\n" +
         (one.update.empty() ? "" : "update: " + one.update + "\n");
}

/// The order on simulated processes with this time per mini-batch.
ClockRun simulated(const ExperimentFile& file, Seconds arithmetic) {
  Profile profile = free_computer(file.points.front());
  profile.networks.front().forward.front() = arithmetic;
  profile.tcp.emplace();
  profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e18};
  Prediction setting = make_prediction(file.points.front(), &profile);
  setting.counting.keep_gradients = true;
  return on_simulator(setting);
}

ClockRun executed(const ExperimentFile& file, int processes) {
  const AcceleratorFacts facts = read_facts();
  const MakeOwnRoles make = own_roles_on_gpus(facts, "");
  ClockRun run;
  run_processes(processes, [&](Group& group) {
    Setting setting = make_setting(file.points.front());
    setting.counting.keep_gradients = true;
    if (!group.leads()) return take_part_in(setting, group, false, make);
    run = record(setting, [&](Recorder& recorder, std::string& status) {
      JointExecution execution(setting, group, false, make);
      Executed executed = execution.run(0, recorder);
      status = executed.status;
      return executed.curve;
    });
  });
  return run;
}

class ProcessesCudaOrderTest : public DevicesTest<kOrderWorkers>,
                               public testing::WithParamInterface<Case> {};

TEST_P(ProcessesCudaOrderTest, GpusOfSeveralProcessesDecideAsTheSimulatorDoes) {
  const Case& one = GetParam();
  const std::optional<Decided> decided = decided_by_delays(strategy(one), kLate, simulated);
  ASSERT_TRUE(decided) << "no seed leaves the order to the delays";
  const ClockRun& predicted = decided->predicted;
  const ExperimentFile file = order_experiment(strategy(one), decided->seed);
  const ClockRun real =
      run_on_time(predicted, kLate, [&] { return executed(file, one.processes); });
  EXPECT_EQ(real.status, "ok");
  const Order expected(predicted.events);
  const Order measured(real.events);
  EXPECT_EQ(expected.accepted, measured.accepted);
  EXPECT_EQ(expected.cancelled, measured.cancelled);
  ASSERT_EQ(predicted.curve.size(), real.curve.size());
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    EXPECT_EQ(predicted.curve[i].updates, real.curve[i].updates);
    EXPECT_NEAR(predicted.curve[i].loss, real.curve[i].loss, 1e-4 * predicted.curve[i].loss);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ProcessesCudaOrderTest,
    testing::Values(
        Case{2, "parameter-server", "sync"}, Case{4, "parameter-server", "async"},
        Case{4, "parameter-server", "k-sync"}, Case{2, "parameter-server", "k-batch-sync"},
        Case{4, "parameter-server", "k-async"}, Case{2, "parameter-server", "k-batch-async"},
        Case{4, "parameter-server", "ssp"}, Case{2, "parameter-server", "downpour"},
        Case{4, "parameter-server", "local-sgd"}, Case{2, "parameter-server", "adasync"},
        Case{4, "{kind: parameter-server, placement: gpu}", "k-sync"},
        Case{2, "{kind: parameter-server, placement: gpu}", "async"},
        Case{4, "{kind: parameter-server, placement: hosts}", "k-sync"},
        Case{2, "{kind: parameter-server, shards: 2, bucket: 200 B}", "async"},
        Case{4, "{kind: parameter-server, compression: top-k, shards: 2, bucket: 200 B}", "async"},
        Case{4, "{kind: replicated, placement: hosts}", "sync"}, Case{2, "peer-to-peer", "sync"},
        Case{4, "{kind: distributed-replicated, placement: hosts, gpus_per_worker: 2}", "sync"},
        Case{2, "{kind: parameter-server, staged: true, placement: hosts}", "sync"},
        Case{4, "{kind: peer-to-peer, compression: fp16, bucket: 200 B}", "sync"},
        Case{2, "gather", "sync"}, Case{4, "concatenated", "sync"},
        Case{4, "{kind: concatenated, optimizer: first-gpu, bucket: 200 B}", "sync"},
        Case{2, "replicated", "local-sgd"}, Case{4, "allreduce", "sync"},
        Case{2, "{kind: allreduce, algorithm: hierarchical, bucket: 200 B}", "sync"},
        Case{4, "{kind: allreduce, algorithm: double-binary-tree}", "sync"},
        Case{2, "{kind: allreduce, bucket: 200 B}", "sync"}, Case{2, "allreduce", "local-sgd"},
        Case{2, "independent", ""}));

}  // namespace
}  // namespace paceline::cuda
