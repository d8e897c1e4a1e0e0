// SPDX-License-Identifier: MIT
// A table that is elsewhere than the other variables, against hand computation.
#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// A GPU and a CPU at 1 MB/s from each other; a table of 64 kB.
double seconds(const std::string& aggregation) {
  const ExperimentFile file = load_experiment_text(
      "places.yaml",
      "name: places\nsoftware: ideal\nlayer_times: roofline\nworkers: 1\nbatch: 4\nsteps: 3\n"
      "model:\n  input: {channels: 1, height: 20}\n  classes: 4\n  blocks: [[\n"
      "    {kind: embedding, vocabulary: 1000, features: 16}, {kind: lstm, units: 16},\n"
      "    global-average-pool, classifier]]\n"
      "machine:\n"
      "  gpus: [{model: {name: fast, fp32: 1000 TFLOP/s, memory: 1 GB, "
      "memory_bandwidth: 100 TB/s, sms: 1}, count: 1}]\n"
      "  host: {cores: 1, memory_bandwidth: 100 TB/s}\n"
      "  vertices: [{kind: network-switch, names: [switch]}]\n"
      "  link_types: {port: {kind: ethernet, bandwidth: 1 MB/s, latency: 0 s, source: test}}\n"
      "  links: [{type: port, from: switch, to: [cpu0, gpu0]}]\n"
      "aggregation: " +
          aggregation + "\n",
      {});
  return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

TEST(VariablePlaces, ATableOnTheCpuCrossesTheLinkTwice) {
  const double table = 1000 * 16 * 4e-6;
  const double little = 1e-3;  // arithmetic
  EXPECT_NEAR(seconds("{kind: parameter-server, placement: gpu}"), 0, little);
  EXPECT_NEAR(seconds("{kind: parameter-server, placement: gpu, variables: {embedding: cpu}}"),
              2 * table, little);
  EXPECT_NEAR(seconds("{kind: parameter-server, variables: {lstm: gpu, fully_connected: gpu}}"),
              2 * table, little);
  const double rows = 4e-6 * (1 + 80 * (1 + 16));
  EXPECT_NEAR(seconds("{kind: parameter-server, placement: gpu, variables: {embedding: cpu}, "
                      "sparse: true}"),
              table + rows, little);
}

}  // namespace
}  // namespace paceline
