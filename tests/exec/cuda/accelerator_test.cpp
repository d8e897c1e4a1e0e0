// SPDX-License-Identifier: MIT
// Whole points through the plug-in's interface: their results, and that a fault fails only its own
// point.
#include "exec/cuda/accelerator.hpp"

#include <gmock/gmock.h>

#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class AcceleratorTest : public PointsTest<1> {};
class TwoGpusTest : public PointsTest<2> {};
class FourGpusTest : public PointsTest<4> {};

TEST_F(AcceleratorTest, MeasuresAPoint) {
  const Measurement measured = execute(experiment(1, "repeats: 2\n"));
  EXPECT_EQ(measured.status, "ok");
  EXPECT_EQ(measured.updates, 20);
  EXPECT_GT(*measured.iteration_mean, 0);
  EXPECT_GT(*measured.compute, 0);
  EXPECT_LE(*measured.compute, 1.001 * *measured.step_mean);
  EXPECT_LT(measured.curve.back().loss, measured.curve.front().loss);
}

TEST_F(AcceleratorTest, DelaysArePartOfTheStep) {
  const Measurement measured = execute(experiment(
      2, "devices: {virtual: 2}\nstragglers: {compute: {kind: constant, value: 20 ms}}\n"));
  EXPECT_EQ(measured.status, "ok");
  EXPECT_GE(*measured.delay, 19.9e-3);
  EXPECT_GE(*measured.iteration_mean, 20e-3);
}

TEST_F(AcceleratorTest, AStragglerThatNothingWaitsForIsGivenUpAtOnce) {
  // the slow worker's arithmetic would take a hundred thousand times as long as the others'
  const Measurement measured =
      execute(experiment(3,
                         "devices: {virtual: 3}\nupdate: {kind: k-sync, k: 2}\n"
                         "stragglers: {workers: {2: {slowdown: 1e5}}}\n"));
  EXPECT_EQ(measured.status, "ok");
  EXPECT_LT(*measured.total, 10);
}

TEST_F(AcceleratorTest, AKernelFaultEndsItsPointAlone) {
  const ExperimentFile file = experiment(2, "devices: {virtual: 2}\n");
  const auto accelerator = make_accelerator();
  const Setting setting = make_setting(file.points.front());
  ASSERT_EQ(accelerator->execute(setting, false).status, "ok");
  if (!fail_next_kernel(0)) GTEST_SKIP() << "faults cannot be ordered here";
  const Measurement failed = accelerator->execute(setting, false);
  EXPECT_THAT(failed.status, StartsWith("failed: "));
  EXPECT_THAT(failed.status, HasSubstr("illegal"));
  EXPECT_EQ(accelerator->execute(setting, false).status, "ok");
}

TEST_F(AcceleratorTest, APointThatDoesNotFitFailsWithTheReason) {
  const ExperimentFile file = experiment(1, "");
  const auto accelerator = make_accelerator();
  const Setting setting = make_setting(file.points.front());
  if (!limit_memory(0, 4096)) GTEST_SKIP() << "memory cannot be limited here";
  EXPECT_THAT(accelerator->execute(setting, false).status,
              StartsWith("failed: out of memory on GPU 0: "));
  limit_memory(0, std::size_t{1} << 32);
  EXPECT_EQ(accelerator->execute(setting, false).status, "ok");
}

TEST_F(TwoGpusTest, NcclSumsAsTheRingDoes) {
  const Measurement nccl =
      execute(experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n"));
  const Measurement ring =
      execute(experiment(2, "aggregation: {kind: allreduce, algorithm: ring}\n"));
  EXPECT_EQ(nccl.status, "ok");
  ASSERT_EQ(nccl.curve.size(), ring.curve.size());
  for (std::size_t i = 0; i < nccl.curve.size(); ++i) {
    EXPECT_NEAR(nccl.curve[i].loss, ring.curve[i].loss, 1e-4 * ring.curve[i].loss);
  }
}

TEST_F(FourGpusTest, EveryGpuTrains) {
  for (const char* aggregation :
       {"{kind: allreduce, algorithm: nccl}", "{kind: allreduce, algorithm: ring}",
        "{kind: parameter-server, placement: sharded-gpus}",
        "{kind: replicated, placement: gpu}"}) {
    const Measurement measured =
        execute(experiment(4, std::string("aggregation: ") + aggregation + "\n"));
    ASSERT_EQ(measured.status, "ok") << aggregation;
    EXPECT_LT(measured.curve.back().loss, measured.curve.front().loss) << aggregation;
  }
}

}  // namespace
}  // namespace paceline::cuda
