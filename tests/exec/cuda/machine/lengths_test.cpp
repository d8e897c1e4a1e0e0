// SPDX-License-Identifier: MIT
// Mini-batches of sequences of unequal length on GPUs: a network for each shape, with one set of
// weights, learns as on the simulator.
#include <gtest/gtest.h>

#include "exec/cuda/cuda_execution.hpp"
#include "sim/costs/prediction.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline::cuda {
namespace {

struct Case {
  const char* name;
  std::string lengths, rest;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class CudaLengthsTest : public DeviceTest, public testing::WithParamInterface<Case> {};

TEST_P(CudaLengthsTest, TrainAsOnTheSimulator) {
  ExperimentFile file = load_experiment_text(
      "lengths.yaml",
      "name: lengths\nmachine: this\nbatch: 6\nsteps: 30\nwarmup: 2\nworkers: 3\n"
      "model:\n  item: sequences\n  input: {channels: 1, height: 12}\n  classes: 4\n  blocks:\n"
      "    - {kind: embedding, vocabulary: 30, features: 8}\n    - {kind: lstm, units: 8}\n"
      "    - global-average-pool\n    - dropout\n    - classifier\n"
      "train: {evaluate: 10, held_out: 50, dataset: {kind: token-mixture, vocabulary: 30, own: 3, "
      "signal: 60 %, by_length: 30 %}}\noptimizer: {kind: adam, learning_rate: 0.02}\n"
      "lengths:\n  distribution: {kind: lognormal, mean: 5, cv: 0.6}\n" +
          GetParam().lengths + GetParam().rest,
      {});
  ExperimentPoint& point = file.points.front();
  const Profile profile = free_computer(point);
  const ClockRun predicted = on_simulator(make_prediction(point, &profile));
  ASSERT_EQ(predicted.status, "ok");

  point.experiment.devices.emplace().virtual_gpus = 3;
  const Setting setting = make_setting(point);
  CudaExecution execution(setting, "");
  const ClockRun real = record(setting, [&](Recorder& recorder, std::string& status) {
    Executed executed = execution.run(0, recorder);
    status = executed.status;
    return executed.curve;
  });
  ASSERT_EQ(real.status, "ok");
  ASSERT_EQ(real.curve.size(), predicted.curve.size());
  for (std::size_t i = 0; i < real.curve.size(); ++i) {
    EXPECT_NEAR(real.curve[i].loss, predicted.curve[i].loss, 1e-3 * predicted.curve[i].loss);
    EXPECT_EQ(real.curve[i].items, predicted.curve[i].items);
  }
  EXPECT_LT(real.curve.back().loss, 0.9 * real.curve.front().loss);
  // a mini-batch that begins as the window does may be counted on one clock only
  EXPECT_NEAR(*real.result.padding, *predicted.result.padding, 0.02);
  EXPECT_NEAR(*real.result.length_mean, *predicted.result.length_mean, 0.2);
}

INSTANTIATE_TEST_SUITE_P(
    Batches, CudaLengthsTest,
    testing::Values(Case{"sync", "", "update: sync\n"},
                    Case{"buckets", "  buckets: 4\n  same_bucket: true\n",
                         "aggregation: {kind: allreduce, algorithm: ring}\n"},
                    Case{"words", "  buckets: 6\n  batch_by: words\n",
                         "aggregation: {kind: parameter-server, placement: gpu}\n"},
                    Case{"sorted", "  buckets: 6\n  order: sorted\n  pad_to: 2\n",
                         "samples_per_epoch: 180\n"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace paceline::cuda
