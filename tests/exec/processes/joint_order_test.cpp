// SPDX-License-Identifier: MIT
// One program, several processes: every strategy must accept and cancel the gradients that the
// simulator predicts, at the same versions and in the same order, if delays decide the order. The
// losses are those of one process, bit for bit if the order of sums is fixed.
#include "exec/processes/joint_execution.hpp"
#include "tests/exec/processes/process_cases.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

ClockRun on_processes(const ExperimentFile& file, int processes) {
  ClockRun clock_run;
  run_processes(processes, [&](Group& group) {
    const Prediction setting = setting_on_processes(file, Seconds{0});
    if (!group.leads()) return take_part_in(setting, group, false);
    clock_run = record(setting, [&](Recorder& recorder, std::string& status) {
      JointExecution execution(setting, group, false);
      Executed executed = execution.run(0, recorder);
      status = executed.status;
      return executed.curve;
    });
  });
  return clock_run;
}

class JointOrderTest : public testing::TestWithParam<ProcessCase> {};

TEST_P(JointOrderTest, ProcessesDecideAsTheSimulatorDoes) {
  const ProcessCase& one = GetParam();
  const auto runs =
      run_decided(strategy(one), on_simulated_processes,
                  [&](const ExperimentFile& file) { return on_processes(file, one.processes); });
  ASSERT_TRUE(runs) << "no seed leaves the order to the delays";
  const auto& [simulated, real] = *runs;
  EXPECT_EQ(real.status, "ok");
  const Order predicted(simulated.events);
  const Order measured(real.events);
  EXPECT_FALSE(measured.accepted.empty() && one.aggregation == "parameter-server");
  EXPECT_EQ(predicted.accepted, measured.accepted);
  EXPECT_EQ(predicted.cancelled, measured.cancelled);
  ASSERT_EQ(simulated.curve.size(), real.curve.size());
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    EXPECT_EQ(simulated.curve[i].updates, real.curve[i].updates);
    EXPECT_EQ(simulated.curve[i].loss, real.curve[i].loss) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JointOrderTest,
    testing::Values(
        ProcessCase{2, "parameter-server", "sync"}, ProcessCase{2, "parameter-server", "async"},
        ProcessCase{4, "parameter-server", "k-sync"},
        ProcessCase{3, "parameter-server", "k-batch-sync"},
        ProcessCase{3, "parameter-server", "k-async"},
        ProcessCase{2, "parameter-server", "k-batch-async"},
        ProcessCase{4, "parameter-server", "ssp"}, ProcessCase{2, "parameter-server", "downpour"},
        ProcessCase{3, "parameter-server", "local-sgd"},
        ProcessCase{2, "parameter-server", "adasync"},
        ProcessCase{4, "{kind: parameter-server, placement: hosts}", "k-sync"},
        ProcessCase{3, "{kind: parameter-server, shards: 2, bucket: 200 B}", "async"},
        ProcessCase{3, "{kind: replicated, placement: hosts}", "sync"},
        ProcessCase{2, "peer-to-peer", "sync"},
        ProcessCase{4, "{kind: distributed-replicated, placement: hosts, gpus_per_worker: 2}",
                    "sync"},
        ProcessCase{4, "{kind: parameter-server, placement: hosts, gpus_per_worker: 2}", "sync"},
        ProcessCase{2, "{kind: parameter-server, staged: true, placement: hosts}", "sync"},
        ProcessCase{3, "{kind: parameter-server, compression: top-k, shards: 2, bucket: 200 B}",
                    "async"},
        ProcessCase{3, "{kind: peer-to-peer, compression: fp16, bucket: 200 B}", "sync"},
        ProcessCase{2, "gather", "sync"}, ProcessCase{3, "concatenated", "sync"},
        ProcessCase{3, "{kind: concatenated, optimizer: first-gpu, bucket: 200 B}", "sync"},
        ProcessCase{2, "replicated", "local-sgd"}, ProcessCase{4, "allreduce", "sync"},
        ProcessCase{3, "{kind: allreduce, algorithm: halving-doubling}", "sync"},
        ProcessCase{2, "{kind: allreduce, algorithm: hierarchical, bucket: 200 B}", "sync"},
        ProcessCase{4, "{kind: allreduce, algorithm: double-binary-tree}", "sync"},
        ProcessCase{3, "{kind: allreduce, bucket: 200 B}", "sync"},
        ProcessCase{2, "allreduce", "local-sgd"}, ProcessCase{2, "independent", ""}));

}  // namespace
}  // namespace paceline
