// SPDX-License-Identifier: MIT
// Several processes on GPUs: every strategy must accept and cancel the gradients that the simulator
// predicts, at the same versions and in the same order, if delays decide the order.
#include <vector>

#include "exec/cuda/cuda_roles.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/processes/joint_execution.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/machine/decided_alike.hpp"
#include "tests/exec/processes/process_cases.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline::cuda {
namespace {

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
                               public testing::WithParamInterface<ProcessCase> {};

TEST_P(ProcessesCudaOrderTest, GpusOfSeveralProcessesDecideAsTheSimulatorDoes) {
  const ProcessCase& one = GetParam();
  const auto runs =
      run_decided(strategy(one), on_simulated_processes,
                  [&](const ExperimentFile& file) { return executed(file, one.processes); });
  ASSERT_TRUE(runs) << "no seed leaves the order to the delays";
  expect_decided_alike(runs->predicted, runs->real);
}

std::vector<ProcessCase> cases(bool servers) {
  std::vector<ProcessCase> all{
      ProcessCase{2, "parameter-server", "sync"},
      ProcessCase{4, "parameter-server", "async"},
      ProcessCase{4, "parameter-server", "k-sync"},
      ProcessCase{2, "parameter-server", "k-batch-sync"},
      ProcessCase{4, "parameter-server", "k-async"},
      ProcessCase{2, "parameter-server", "k-batch-async"},
      ProcessCase{4, "parameter-server", "ssp"},
      ProcessCase{2, "parameter-server", "downpour"},
      ProcessCase{4, "parameter-server", "local-sgd"},
      ProcessCase{2, "parameter-server", "adasync"},
      ProcessCase{4, "{kind: parameter-server, placement: gpu}", "k-sync"},
      ProcessCase{2, "{kind: parameter-server, placement: gpu}", "async"},
      ProcessCase{4, "{kind: parameter-server, placement: hosts}", "k-sync"},
      ProcessCase{2, "{kind: parameter-server, shards: 2, bucket: 200 B}", "async"},
      ProcessCase{2, "{kind: parameter-server, compression: top-k, shards: 2, bucket: 200 B}",
                  "async"},
      ProcessCase{4, "{kind: replicated, placement: hosts}", "sync"},
      ProcessCase{2, "peer-to-peer", "sync"},
      ProcessCase{4, "{kind: distributed-replicated, placement: hosts, gpus_per_worker: 2}",
                  "sync"},
      ProcessCase{2, "{kind: parameter-server, staged: true, placement: hosts}", "sync"},
      ProcessCase{4, "{kind: peer-to-peer, compression: fp16, bucket: 200 B}", "sync"},
      ProcessCase{2, "gather", "sync"},
      ProcessCase{4, "concatenated", "sync"},
      ProcessCase{4, "{kind: concatenated, optimizer: first-gpu, bucket: 200 B}", "sync"},
      ProcessCase{2, "replicated", "local-sgd"},
      ProcessCase{4, "allreduce", "sync"},
      ProcessCase{2, "{kind: allreduce, algorithm: hierarchical, bucket: 200 B}", "sync"},
      ProcessCase{4, "{kind: allreduce, algorithm: double-binary-tree}", "sync"},
      ProcessCase{2, "{kind: allreduce, bucket: 200 B}", "sync"},
      ProcessCase{2, "allreduce", "local-sgd"},
      ProcessCase{2, "independent", ""}};
  std::erase_if(all,
                [&](const ProcessCase& one) { return has_servers(one.aggregation) != servers; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, ProcessesCudaOrderTest, testing::ValuesIn(cases(true)));
INSTANTIATE_TEST_SUITE_P(WithoutServers, ProcessesCudaOrderTest, testing::ValuesIn(cases(false)));

}  // namespace
}  // namespace paceline::cuda
