// SPDX-License-Identifier: MIT
// Checkpoints, against hand computation: 4 MB of weights, mini-batches of 40 ms, a machine where
// copies take no time.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

constexpr double kCompute = 0.04;

Measurement with(const std::string& rest, const std::string& machine = "ideal") {
  const ExperimentFile file = load_experiment_text(
      "checkpoint.yaml",
      "name: checkpoint\nmodel: {kind: synthetic, compute: 40 ms, gradient: 4 MB}\nmachine: " +
          machine + "\nsoftware: ideal\nbatch: 8\nsteps: 80\nwarmup: 20\n" + rest,
      {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

struct Case {
  std::string rest;
  double iteration;   ///< s
  double checkpoint;  ///< s of a mini-batch
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.rest;
}

class CheckpointTest : public testing::TestWithParam<Case> {};

TEST_P(CheckpointTest, TheHolderOfTheWeightsWritesThem) {
  const Measurement got = with(GetParam().rest);
  EXPECT_EQ(got.status, "ok");
  EXPECT_NEAR(*got.iteration_mean, GetParam().iteration, 1e-9);
  EXPECT_NEAR(*got.compute, kCompute, 1e-9);
  EXPECT_NEAR(*got.checkpoint, GetParam().checkpoint, 1e-9);
}

const std::string kSync = "checkpoint: {every: 4, bandwidth: 100 MB/s}\n";
const std::string kSized = "checkpoint: {every: 4, bandwidth: 100 MB/s, size: 10 MB}\n";
const std::string kAsync = "checkpoint: {every: 4, bandwidth: 100 MB/s, asynchronous: true}\n";
const std::string kSlow = "checkpoint: {every: 4, bandwidth: 10 MB/s, asynchronous: true}\n";

INSTANTIATE_TEST_SUITE_P(
    Writes, CheckpointTest,
    testing::Values(
        Case{kSync + "aggregation: allreduce", 0.04 + 0.04 / 4, 0.04 / 4},
        // worker 0 writes, and the others wait for its next gradient
        Case{kSync + "aggregation: allreduce\nworkers: 4", 0.04 + 0.04 / 4, 0.04 / 16},
        // Adam keeps two numbers beside each weight
        Case{kSync + "aggregation: allreduce\noptimizer: adam", 0.04 + 3 * 0.04 / 4, 3 * 0.04 / 4},
        // and momentum one
        Case{kSync + "aggregation: allreduce\noptimizer: momentum", 0.04 + 2 * 0.04 / 4,
             2 * 0.04 / 4},
        Case{kSync + "workers: 4\noptimizer: adam", 0.04 + 3 * 0.04 / 4, 0},
        // a size is of all shards together, whatever the optimizer keeps
        Case{kSized + "aggregation: allreduce\noptimizer: adam", 0.04 + 0.1 / 4, 0.1 / 4},
        Case{kSized + "workers: 4\naggregation: {kind: parameter-server, shards: 2}",
             0.04 + 0.1 / 4, 0},
        // servers write, and workers wait for their weights
        Case{kSync + "workers: 4", 0.04 + 0.04 / 4, 0},
        Case{kSync + "workers: 4\naggregation: {kind: parameter-server, shards: 2}",
             0.04 + 0.04 / 4, 0},
        Case{kSync + "workers: 2\naggregation: distributed-replicated", 0.04 + 0.04 / 4, 0},
        Case{kSync + "workers: 2\naggregation: replicated", 0.04 + 0.04 / 4, 0.04 / 8},
        Case{kSync + "workers: 2\naggregation: allreduce\nupdate: {kind: local-sgd, every: 2}",
             2 * 0.04 + 0.04 / 4, 0.04 / 16},
        // a write is over before the next one
        Case{kAsync + "aggregation: allreduce\nworkers: 4", 0.04, 0},
        Case{kAsync + "workers: 4", 0.04, 0},
        // 0.4 s, which four updates wait for
        Case{kSlow + "aggregation: allreduce", 0.4 / 4, 0.4 / 4 - 0.04},
        Case{kSlow + "workers: 4", 0.4 / 4, 0}));

TEST(CheckpointWaitTest, TheOthersWaitForWorker0) {
  const Measurement got = with(kSync + "aggregation: allreduce\nworkers: 4");
  EXPECT_NEAR(*got.wait, 3 * 0.04 / 16, 1e-9);
  EXPECT_NEAR(*got.exposed_comm, 0, 1e-9);
}

const std::string kMachine =
    "\n  gpus: [{model: p100-sxm2, count: 2}]\n"
    "  host: {cores: 4, memory_bandwidth: 10 GB/s}\n"
    "  link_types: {port: {kind: pcie, bandwidth: 2 GB/s, latency: 0 us, source: test}}\n"
    "  links: [{type: port, from: cpu0, to: [gpu0, gpu1]}]";

TEST(CheckpointCopyTest, AsynchronousTrainingWaitsForACopyInTheHostsMemory) {
  const std::string gpu = "aggregation: independent\n";
  const double none = *with(gpu, kMachine).iteration_mean;
  EXPECT_NEAR(*with(gpu + kAsync, kMachine).iteration_mean - none, 4e6 / 2e9 / 4, 1e-7)
      << "over the link";
  const std::string sized =
      "checkpoint: {every: 4, bandwidth: 1 GB/s, size: 10 MB, asynchronous: true}\n";
  EXPECT_NEAR(*with(gpu + sized, kMachine).iteration_mean - none, 10e6 / 2e9 / 4, 1e-7)
      << "its bytes, two copies of the weights and a half";
  const std::string server = "workers: 1\n";
  const double served = *with(server, kMachine).iteration_mean;
  EXPECT_NEAR(*with(server + kAsync, kMachine).iteration_mean - served, 4e6 / 10e9 / 4, 1e-7)
      << "in the memory of the server's host";
}

}  // namespace
}  // namespace paceline
