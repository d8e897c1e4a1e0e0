// SPDX-License-Identifier: MIT
// The plug-in's calibration of GPUs: it is complete, well-formed, and sufficient for a prediction.
// On the emulation the times are those of a CPU.
#include <numeric>

#include <gmock/gmock.h>

#include "exec/cuda/calibrate/link_probe.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "sim/simulate.hpp"
#include "tests/exec/cuda/points.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/profile/measured_machine.hpp"

namespace paceline::cuda {
namespace {

using testing::HasSubstr;

template <int devices>
class CalibrationOf : public PointsTest<devices> {
 protected:
  static ExperimentFile experiment(const std::string& more) {
    return load_experiment_text("point.yaml",
                                "name: point\nmachine: this\nbatch: 8\nsteps: 5\nwarmup: 1\n"
                                "model: {kind: mlp, inputs: 8, hidden: [16, 16], classes: 4}\n" +
                                    more,
                                {});
  }
  /// Runs all steps; returns their errors, one per line.
  static std::string run(Accelerator& gpus, const GpuCalibration& what, Profile& into) {
    std::string failed;
    for (const CalibrationStep& step : gpus.calibration(what, into)) {
      if (const std::string why = step.run(); !why.empty()) failed += step.what + ": " + why + "\n";
    }
    return failed;
  }
  static GpuCalibration networks_of(const ExperimentFile& file, const Accelerator& gpus) {
    GpuCalibration what;
    what.figures = false;
    for (const ExperimentPoint& point : file.points) {
      what.networks.push_back({&point, workload_on_gpu(point, gpus.facts().gpus.front().name)});
    }
    return what;
  }
};
class CalibrationOnOne : public CalibrationOf<1> {};
class CalibrationOnTwo : public CalibrationOf<2> {};

Seconds sum_of(const std::vector<Seconds>& times) {
  return std::accumulate(times.begin(), times.end(), Seconds{});
}

TEST_F(CalibrationOnTwo, MeasuresEveryPairAloneAndAllAtOnce) {
  const auto gpus = make_accelerator();
  Profile profile;
  profile.measured = "now";
  profile.host.cores = 2;
  profile.host.memory_bandwidth = profile.host.copy_bandwidth = BytesPerSecond{1e10};
  ASSERT_EQ(run(*gpus, GpuCalibration{}, profile), "");

  ASSERT_EQ(profile.gpus.size(), 2U);
  for (const GpuProfile& gpu : profile.gpus) {
    EXPECT_EQ(gpu.name, gpus->facts().gpus.front().name);
    EXPECT_GT(gpu.copy_bandwidth, BytesPerSecond{0});
    EXPECT_GT(gpu.launch, Seconds{0});
    EXPECT_GT(gpu.kernel, Seconds{0});
    EXPECT_GT(gpu.decision_latency, Seconds{0});
    EXPECT_GT(gpu.operation_handling, Seconds{0});
  }
  for (const auto& [from, to] : {std::pair{"host", "gpu0"},
                                 {"gpu0", "host"},
                                 {"host", "gpu1"},
                                 {"gpu1", "host"},
                                 {"gpu0", "gpu1"},
                                 {"gpu1", "gpu0"}}) {
    const LinkProfile* link = profile.link(from, to);
    ASSERT_NE(link, nullptr) << from << " to " << to;
    EXPECT_EQ(link->sizes.size(), 5U);
    EXPECT_TRUE(link->driver) << from << " to " << to;
    EXPECT_LT(link->times.front(), link->times.back());
  }
  int at_once = 0;
  int both_ways = 0;
  for (const LinkProfile& link : profile.links) {
    at_once += link.at_once == 2 && !link.both_ways ? 1 : 0;
    both_ways += link.both_ways ? 1 : 0;
  }
  EXPECT_EQ(at_once, 6) << "from the host, to the host, and round";
  EXPECT_EQ(both_ways, 4);
  ASSERT_EQ(profile.collectives.size(), 1U);
  EXPECT_EQ(profile.collectives.front().gpus, 2);
  EXPECT_EQ(profile.collectives.front().times.size(), 5U);

  const Machine machine = measured_machine(profile);
  EXPECT_EQ(machine.gpu_count(), 2);
  EXPECT_EQ(machine.peer_access(0, 1), !profile.link("gpu0", "gpu1")->staged);
}

TEST_F(CalibrationOnOne, LayersOfANetworkMakeAPrediction) {
  const ExperimentFile file = experiment("devices: {virtual: 3}\nworkers: 3\n");
  const auto gpus = make_accelerator();
  Profile profile;
  profile.measured = "now";
  profile.host.cores = 2;
  profile.host.memory_bandwidth = profile.host.copy_bandwidth = BytesPerSecond{1e10};
  GpuCalibration what = networks_of(file, *gpus);
  what.figures = true;
  ASSERT_EQ(run(*gpus, what, profile), "");

  const ExperimentPoint& point = file.points.front();
  const NetworkProfile* times = times_on_gpu(point, profile);
  ASSERT_NE(times, nullptr);
  EXPECT_EQ(times->forward.size(), point.network->layers.size());
  EXPECT_GT(sum_of(times->forward), Seconds{0});
  EXPECT_GT(sum_of(times->backward), Seconds{0});
  EXPECT_GT(times->update, Seconds{0});
  EXPECT_GT(times->reduce, Seconds{0});
  EXPECT_GT(times->copy, Seconds{0});
  EXPECT_TRUE(times->cpu_update);
  EXPECT_GT(times->flops, Flops{0});
  ASSERT_EQ(times->shared.size(), 2U);
  EXPECT_EQ(times->shared[0].workers, 2);
  EXPECT_EQ(times->shared[1].workers, 3);

  const Prediction setting = make_prediction_on_gpus(point, profile);
  EXPECT_EQ(setting.costs.forward, times->forward);
  EXPECT_EQ(setting.costs.decision, profile.gpus.front().decision_latency);
  const Measurement predicted = simulate(setting);
  EXPECT_EQ(predicted.status, "ok");
  EXPECT_GT(*predicted.iteration_mean, 0);
}

TEST_F(CalibrationOnOne, AVirtualGpuIsMeasuredOnItsGroupOfMultiprocessors) {
  const ExperimentFile file = experiment("devices: {virtual: 4, split: green}\nworkers: 4\n");
  const auto gpus = make_accelerator();
  Profile profile;
  profile.measured = "now";
  profile.host.cores = 2;
  profile.host.memory_bandwidth = profile.host.copy_bandwidth = BytesPerSecond{1e10};
  GpuCalibration what = networks_of(file, *gpus);
  what.figures = true;
  ASSERT_EQ(run(*gpus, what, profile), "");
  const ExperimentPoint& point = file.points.front();
  const NetworkProfile* times = times_on_gpu(point, profile);
  ASSERT_NE(times, nullptr);
  EXPECT_EQ(times->virtual_gpus, 4);
  ASSERT_EQ(times->shared.size(), 2U);
  EXPECT_EQ(times->shared[1].workers, 4);
  if (times->sms == gpus->facts().gpus.front().sms) GTEST_SKIP() << "this driver cannot split";
  EXPECT_LE(times->sms, gpus->facts().gpus.front().sms / 4);

  const Prediction setting = make_prediction_on_gpus(point, profile);
  ASSERT_TRUE(setting.costs.groups);
  EXPECT_GT(setting.costs.groups->memory, BytesPerSecond{0});
  EXPECT_GT(setting.costs.card_copy_bandwidth, BytesPerSecond{0});
  EXPECT_EQ(simulate(setting).status, "ok");

  const ExperimentFile streams = experiment("devices: {virtual: 4}\nworkers: 4\n");
  EXPECT_EQ(times_on_gpu(streams.points.front(), profile), nullptr)
      << "the whole card is another thing";
}

TEST_F(CalibrationOnOne, EveryPrecisionIsAWorkloadOfItsOwn) {
  const ExperimentFile file = experiment("precision: [fp32, bf16]\n");
  const auto gpus = make_accelerator();
  Profile profile;
  ASSERT_EQ(run(*gpus, networks_of(file, *gpus), profile), "");
  ASSERT_EQ(profile.networks.size(), 2U);
  EXPECT_EQ(profile.networks[1].precision, Precision::bf16);
  EXPECT_TRUE(profile.networks[0].shared.empty()) << "a card for itself";
}

TEST_F(CalibrationOnOne, AFaultEndsItsStepAlone) {
  const ExperimentFile file = experiment("precision: [fp32, bf16]\n");
  const auto gpus = make_accelerator();
  Profile profile;
  const std::vector<CalibrationStep> steps = gpus->calibration(networks_of(file, *gpus), profile);
  ASSERT_EQ(steps.size(), 2U);
  if (!fail_next_kernel(0)) GTEST_SKIP() << "faults cannot be ordered here";
  EXPECT_THAT(steps[0].run(), HasSubstr("illegal"));
  EXPECT_EQ(steps[1].run(), "");
  ASSERT_EQ(profile.networks.size(), 1U);
  EXPECT_EQ(profile.networks.front().precision, Precision::bf16);
}

TEST_F(CalibrationOnOne, SmallMemoryMakesSmallerMessages) {
  if (!limit_memory(0, std::size_t{16} << 20)) GTEST_SKIP() << "memory cannot be limited here";
  const auto gpus = make_accelerator();
  const std::vector<LinkProfile> links = measure_links(gpus->facts().gpus, Effort::quick);
  limit_memory(0, std::size_t{1} << 32);
  ASSERT_EQ(links.size(), 4U);
  EXPECT_LE(links.front().sizes.back(), Bytes{2.0 * 1048576});
}

}  // namespace
}  // namespace paceline::cuda
