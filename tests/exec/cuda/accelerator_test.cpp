// SPDX-License-Identifier: MIT
// Whole points through the plug-in's door: what they measure, and that a fault ends its point
// alone.
#include "exec/cuda/accelerator.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "tests/exec/cuda/device_fixture.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A small point of `workers` on the GPUs; `more` lines of YAML change it.
ExperimentFile experiment(int workers, const std::string& more) {
  return load_experiment_text(
      "point.yaml",
      "name: point\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 8\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 11, held_out: 64}\nworkers: " +
          std::to_string(workers) + "\n" + more,
      {});
}

Measurement execute(const ExperimentFile& file) {
  const auto accelerator = make_accelerator();
  return accelerator->execute(make_setting_without_costs(file.points.front()), false);
}

/// With a cache of algorithms of its own.
template <int devices>
class PointsTest : public DevicesTest<devices> {
 protected:
  void SetUp() override {
    cache_ = testing::TempDir() + "paceline-cache-" + std::to_string(getpid());
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    DevicesTest<devices>::SetUp();
  }
  void TearDown() override { std::filesystem::remove_all(cache_); }

 private:
  std::string cache_;
};
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

TEST_F(AcceleratorTest, AStragglerThatNobodyWaitsForIsGivenUpAtOnce) {
  // its arithmetic would take a hundred thousand times as long as the others'
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
  const Setting setting = make_setting_without_costs(file.points.front());
  ASSERT_EQ(accelerator->execute(setting, false).status, "ok");
  if (!fail_next_kernel(0)) GTEST_SKIP() << "faults cannot be ordered here";
  const Measurement failed = accelerator->execute(setting, false);
  EXPECT_THAT(failed.status, StartsWith("failed: "));
  EXPECT_THAT(failed.status, HasSubstr("illegal"));
  EXPECT_EQ(accelerator->execute(setting, false).status, "ok");
}

TEST_F(AcceleratorTest, APointThatDoesNotFitSaysHowMuchItWanted) {
  const ExperimentFile file = experiment(1, "");
  const auto accelerator = make_accelerator();
  const Setting setting = make_setting_without_costs(file.points.front());
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

#ifdef PACELINE_EMULATED_LAUNCH

TEST_F(TwoGpusTest, AnErrorOfNcclEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  emulation::fail_next_collective(ncclRemoteError);
  EXPECT_THAT(execute(file).status, HasSubstr("NCCL: "));
  EXPECT_EQ(execute(file).status, "ok");
}

TEST_F(TwoGpusTest, ASumThatHangsEndsItsPoint) {
  const ExperimentFile file = experiment(2, "aggregation: {kind: allreduce, algorithm: nccl}\n");
  const Setting setting = make_setting_without_costs(file.points.front());
  emulation::fail_next_collective(ncclInProgress);
  CudaExecution execution(setting, "", Seconds{1});
  Recorder recorder(setting.counting);
  EXPECT_THROW(execution.run(0, recorder), Error);
}

TEST_F(AcceleratorTest, NothingIsAllocatedInAStep) {
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
  allocations("1");  // times algorithms, in memory for that alone
  EXPECT_EQ(allocations("20"), allocations("60"));
}

#endif

}  // namespace
}  // namespace paceline::cuda
