// SPDX-License-Identifier: MIT
// Whole points with NCCL failures, which a real GPU cannot produce on demand, and counts of
// allocations.
#include "tests/exec/cuda/points.hpp"

#include <gmock/gmock.h>

#include <nccl.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;

class FailingSumTest : public PointsTest<2> {};
class CountedAllocationsTest : public PointsTest<1> {};
class TrainedPointsTest : public PointsTest<3> {};

TEST_F(TrainedPointsTest, NcclSumsAsTheSchedulesDo) {
  const auto loss = [](const std::string& aggregation) {
    const Measurement got =
        execute(experiment(3, "aggregation: {kind: allreduce, " + aggregation + "}\n"));
    EXPECT_EQ(got.status, "ok") << aggregation;
    return got.curve.empty() ? 0 : got.curve.back().loss;
  };
  const double sums = loss("algorithm: ring");
  ASSERT_GT(sums, 0);
  EXPECT_NEAR(loss("algorithm: nccl") / sums, 1, 1e-5);
  EXPECT_NEAR(loss("algorithm: nccl, compression: fp16") / sums, 1, 1e-2);
  EXPECT_NEAR(loss("algorithm: ring, compression: fp16") / sums, 1, 1e-2);
}

TEST_F(FailingSumTest, AnErrorOfNcclEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  emulation::fail_next_collective(ncclRemoteError);
  EXPECT_THAT(execute(file).status, HasSubstr("NCCL: "));
  EXPECT_EQ(execute(file).status, "ok");
}

TEST_F(FailingSumTest, ASumThatHangsEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  const Setting setting = make_setting(file.points.front());
  emulation::fail_next_collective(ncclInProgress);
  CudaExecution execution(setting, "", Seconds{1});
  Recorder recorder(setting.counting);
  EXPECT_THROW(execution.run(0, recorder), Error);
}

TEST_F(CountedAllocationsTest, NothingIsAllocatedInAStep) {
  const auto allocations = [](const char* steps) {
    emulation::restart();
    const ExperimentFile file = load_experiment_text(
        "point.yaml",
        "name: point\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
        "workers: 2\ndevices: {virtual: 2}\n",
        {std::string("steps=") + steps});
    EXPECT_EQ(execute(file).status, "ok");
    return emulation::counts(0).allocations;
  };
  allocations("1");  // times algorithms, in memory allocated for that
  EXPECT_EQ(allocations("20"), allocations("60"));
}

}  // namespace
}  // namespace paceline::cuda
