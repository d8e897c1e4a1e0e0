// SPDX-License-Identifier: MIT
// Executions with `deterministic: true`.
#include <gmock/gmock.h>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

class DeterministicTest : public PointsTest<1> {
 protected:
  /// Two workers with a convolutional network that share a GPU.
  static ExperimentFile convolutions(const std::string& more) {
    return load_experiment_text(
        "conv.yaml",
        "name: conv\nmachine: this\nbatch: 4\nsteps: 6\nwarmup: 0\nworkers: 2\n"
        "devices: {virtual: 2}\naggregation: {kind: allreduce, algorithm: ring}\n"
        "model:\n  input: {channels: 3, height: 8, width: 8}\n  classes: 4\n"
        "  blocks: [{channels: 8, kernel: 3}, {channels: 8, kernel: 3}, global-average-pool, "
        "classifier]\n"
        "train: {evaluate: 3, held_out: 16}\n" +
            more,
        {});
  }
  /// The weights after an execution that finds no algorithms in a cache.
  static std::vector<float> trained(const ExperimentFile& file) {
    const Setting setting = make_setting(file.points.front());
    CudaExecution execution(setting, "");
    Recorder recorder(setting.counting);
    const Executed executed = execution.run(0, recorder);
    EXPECT_EQ(executed.status, "ok");
    return executed.weights;
  }
};

TEST_F(DeterministicTest, TwoRunsAreEqualToTheBit) {
  for (const char* precision : {"fp32", "bf16"}) {
    const ExperimentFile file =
        convolutions(std::string("deterministic: true\nprecision: ") + precision + "\n");
    const std::vector<float> first = trained(file);
    ASSERT_GT(first.size(), 100U);
    EXPECT_EQ(trained(file), first) << precision;
  }
}

TEST_F(DeterministicTest, ConvolutionsThatSumByAtomicsAreLeftOut) {
  AlgorithmCache cache("");
  const DeviceStream stream;
  const Toolbox any(stream.get(), cache);
  const Toolbox repeating(stream.get(), cache, true);
  ConvolutionProblem problem;
  problem.batch = 2;
  problem.image = problem.map = {8, 8, 8};
  problem.kernel_height = problem.kernel_width = 3;
  problem.padding = {1, 1, 1, 1};
  for (const Propagation pass : {Propagation::data_gradient, Propagation::weight_gradient}) {
    problem.pass = pass;
    const auto atomic = testing::StartsWith("legacy 0 ");
    const auto texts = [](const ConvolutionAlgorithms& algorithms) {
      std::vector<std::string> all;
      for (const auto& one : algorithms) all.push_back(one->text());
      return all;
    };
    if (emulated()) {
      EXPECT_THAT(texts(legacy_algorithms(any, problem)), testing::Contains(atomic));
    }
    EXPECT_THAT(
        texts(legacy_algorithms(repeating, problem)),
        testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(testing::Not(atomic))));
    EXPECT_NE(legacy_algorithm(any, problem, "legacy 0 math 3"), nullptr);
    EXPECT_EQ(legacy_algorithm(repeating, problem, "legacy 0 math 3"), nullptr);
  }
}

}  // namespace
}  // namespace paceline::cuda
