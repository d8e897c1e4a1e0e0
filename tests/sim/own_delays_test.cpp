// SPDX-License-Identifier: MIT
// Delays of one worker and of one pass, against hand computation.
#include <gmock/gmock.h>

#include "sim/closed_form_of_point.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

ExperimentFile file_with(const std::string& rest) {
  return load_experiment_text(
      "own.yaml",
      "name: own\nmodel: {kind: synthetic, compute: 1 s, gradient: 4 MB, tensors: 4}\n"
      "software: ideal\nworkers: 4\nbatch: 8\nsteps: 30\n" +
          rest,
      {});
}

Measurement with(const std::string& rest, bool by_events = false) {
  const ExperimentFile file = file_with("machine: ideal\n" + rest);
  Prediction prediction = make_prediction(file.points.front(), nullptr);
  prediction.by_events = by_events;
  return simulate(prediction);
}

/// Theory's time of an update; nothing if no closed form holds.
std::optional<double> theory_with(const std::string& rest) {
  const ExperimentFile file = file_with("machine: ideal\n" + rest);
  return theory_of(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

class OwnDelays : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Aggregations, OwnDelays,
                         testing::Values("aggregation: parameter-server\n",
                                         "aggregation: replicated\n", "aggregation: gather\n",
                                         "aggregation: {kind: allreduce, algorithm: ring}\n",
                                         "aggregation: {kind: allreduce, algorithm: nccl}\n"));

// Worker 1 takes 1.2 s and the others 1 s: an update waits for it, and three of four workers wait
// for 0.2 s. The pass that it is late for makes no difference where nothing else takes time.
TEST_P(OwnDelays, AllWaitForTheOneThatIsLate) {
  for (const std::string phase : {"forward", "backward"}) {
    const std::string late =
        "stragglers: {workers: {1: {delay: {kind: constant, value: 200 ms, "
        "phase: " +
        phase + "}}}}\n";
    for (const bool by_events : {false, true}) {
      const Measurement got = with(GetParam() + late, by_events);
      EXPECT_NEAR(*got.iteration_mean, 1.2, 1e-9) << phase;
      EXPECT_NEAR(*got.compute, 1, 1e-9) << phase;
      EXPECT_NEAR(*got.delay, 0.2 / 4, 1e-9) << phase;
    }
    EXPECT_NEAR(*theory_with(GetParam() + late), 1.2, 1e-9);
  }
}

TEST_P(OwnDelays, AddToWhatAllWorkersHave) {
  const Measurement got =
      with(GetParam() +
           "stragglers: {compute: 100 ms, workers: {1: {delay: 200 ms}, 2: {delay: 50 ms}}}\n");
  EXPECT_NEAR(*got.iteration_mean, 1.3, 1e-9);
  EXPECT_NEAR(*got.delay, 0.1 + 0.25 / 4, 1e-9);
}

// Asynchronously only the late worker is slower: 3 / 1 s + 1 / 1.2 s updates.
TEST(OwnDelaysOfOneWorker, SlowNobodyElseWithoutABarrier) {
  const std::string late = "update: async\nstragglers: {workers: {1: {delay: 200 ms}}}\n";
  EXPECT_NEAR(*with(late).throughput, 8 * (3 + 1 / 1.2), 0.3);
  EXPECT_NEAR(*theory_with(late), 1 / (3 + 1 / 1.2), 1e-9);
}

// `total`: the delay is what the arithmetic leaves of the draw.
TEST(OwnDelaysOfOneWorker, MayBeOfTheWholeMiniBatch) {
  const Measurement got =
      with("stragglers: {workers: {1: {delay: {kind: constant, value: 1.5 s, applies: total}}}}\n");
  EXPECT_NEAR(*got.iteration_mean, 1.5, 1e-9);
  EXPECT_NEAR(*got.delay, 0.5 / 4, 1e-9);
}

// Two random delays of one worker have no closed form here.
TEST(OwnDelaysOfOneWorker, BesideRandomOnesHaveNoTheory) {
  EXPECT_FALSE(
      theory_with("stragglers: {compute: {kind: exponential, mean: 1 s}, workers: {1: "
                  "{delay: {kind: exponential, mean: 1 s}}}}\n"));
}

// Weights of 4 MB take 0.4 s. They arrive while a worker is late for forward, which needs those of
// the first layer only; one that is late for backward has waited for all of them before.
TEST(OwnDelaysOfOneWorker, BeforeForwardBeginWithTheFirstWeights) {
  const auto iteration = [](const std::string& phase) {
    const ExperimentFile file = file_with(
        "machine:\n"
        "  gpus: [{model: p100-sxm2, count: 4}]\n"
        "  host: {cores: 1, memory_bandwidth: 100000 GB/s}\n"
        "  link_types: {port: {kind: pcie, bandwidth: 10 MB/s, latency: 0 us, source: test}}\n"
        "  links: [{type: port, from: cpu0, to: [gpu0, gpu1, gpu2, gpu3]}]\n"
        "aggregation: {kind: parameter-server, bucket: 1 MB}\n"
        "stragglers: {compute: {kind: constant, value: 1 s, phase: " +
        phase + "}}\n");
    const ExperimentPoint& point = file.points.front();
    ExperimentPoint alone = point;
    alone.experiment.workers = 1;
    return *simulate(make_prediction(alone, nullptr)).iteration_mean;
  };
  EXPECT_LT(iteration("forward"), iteration("backward"));
}

}  // namespace
}  // namespace paceline
