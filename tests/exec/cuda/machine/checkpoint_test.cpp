// SPDX-License-Identifier: MIT
// Checkpoints of roles on GPUs: the stream waits for a write, or only for a copy.
#include <stdexcept>

#include <gtest/gtest.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/machine/execution_plan.hpp"
#include "tests/exec/cuda/points.hpp"
#include "training/strategies/start_roles.hpp"

namespace paceline::cuda {
namespace {

class CudaCheckpointTest : public PointsTest<1> {};

/// 848 bytes of weights: a write takes 21.2 ms, of each second update.
Measurement with_checkpoint(const std::string& more, const std::string& lines = {}) {
  const Measurement got =
      execute(experiment(1, lines + "checkpoint: {every: 2, bandwidth: 40 kB/s" + more + "}\n"));
  EXPECT_EQ(got.status, "ok") << lines << more;
  return got;
}

TEST_F(CudaCheckpointTest, AWorkerWaitsForItsWrites) {
  constexpr double kOfAStep = 848 / 40e3 / 2;
  const Measurement got = with_checkpoint("", "devices: {virtual: 1}\naggregation: allreduce\n");
  EXPECT_GE(*got.checkpoint, kOfAStep);
  EXPECT_GE(*got.step_mean, *got.checkpoint);
  const Measurement adam =
      with_checkpoint("", "devices: {virtual: 1}\naggregation: allreduce\noptimizer: adam\n");
  EXPECT_GE(*adam.checkpoint, 3 * kOfAStep) << "the weights and two arrays of Adam";
  const Measurement sized =
      with_checkpoint(", size: 1272 B", "devices: {virtual: 1}\naggregation: allreduce\n");
  EXPECT_GE(*sized.checkpoint, 1.5 * kOfAStep);
}

TEST_F(CudaCheckpointTest, AServerOnTheGpuHoldsItsWorkerUp) {
  const Measurement got = with_checkpoint(
      "", "devices: {virtual: 1}\naggregation: {kind: parameter-server, placement: gpu}\n");
  EXPECT_EQ(got.checkpoint.value_or(0), 0) << "the worker does nothing for it";
  EXPECT_GE(*got.step_mean, 848 / 40e3 / 2);
}

TEST_F(CudaCheckpointTest, AWriterWritesBesideTraining) {
  const auto with = [](const char* more) {
    const Measurement got =
        execute(experiment(1,
                           "devices: {virtual: 1}\naggregation: allreduce\n"
                           "stragglers: {compute: {kind: constant, value: 60 ms}}\n"
                           "checkpoint: {every: 2, bandwidth: 8 kB/s" +
                               std::string(more) + "}\n"));
    EXPECT_EQ(got.status, "ok") << more;
    return got;
  };
  const Measurement waits = with("");
  const Measurement beside = with(", asynchronous: true");
  EXPECT_LT(*beside.step_mean, *waits.step_mean - 20e-3) << "53 ms less, if nothing is late";
  EXPECT_LT(*beside.checkpoint, 0.5 * *waits.checkpoint) << "it copies";
}

// No role waits for the last checkpoint, which would take days.
TEST_F(CudaCheckpointTest, ARunEndsBeforeItsLastWrite) {
  const std::string last = "checkpoint: {every: 22, bandwidth: 0.001 B/s, asynchronous: true}\n";
  EXPECT_EQ(execute(experiment(1, "devices: {virtual: 1}\naggregation: allreduce\n" + last)).status,
            "ok");
}

/// Ends a run at the first update.
class Stop final : public Observer {
  void updated(RoleId, std::int64_t, Instant) override { throw std::runtime_error("stopped"); }
};

TEST_F(CudaCheckpointTest, ARunThatFailsWaitsForNoWrite) {
  const ExperimentFile file =
      experiment(1,
                 "devices: {virtual: 1}\naggregation: {kind: parameter-server, placement: gpu}\n"
                 "checkpoint: {every: 1, bandwidth: 0.001 B/s}\n");
  const Setting setting = make_setting(file.points.front());
  Stop stop;
  const Plan plan = plan_of_execution(setting, 0, &stop);
  CudaExecution execution(setting, "");
  const std::unique_ptr<Workplace> place = execution.workplace(plan, 0);
  WallTime time;
  CudaMachine machine(plan, place->site, time);
  start_roles(*file.points.front().experiment.aggregation, plan, machine);
  EXPECT_THROW(machine.run(), std::runtime_error);
}

}  // namespace
}  // namespace paceline::cuda
