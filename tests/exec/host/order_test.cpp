// SPDX-License-Identifier: MIT
// One program, two clocks: with the test's time source, real threads with real gradients must
// accept and cancel the same gradients, at the same versions, in the same order as the simulator,
// and so end with the same losses, to the bit.
#include "sim/costs/prediction.hpp"
#include "tests/exec/host/both_clocks.hpp"

namespace paceline {
namespace {

struct Pair {
  std::string aggregation;
  std::string update;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.aggregation << " " << pair.update;
}

/// Every update that every aggregation serves, from the table itself, and variants of placement.
std::vector<Pair> legal_pairs() {
  std::vector<Pair> pairs;
  for (const auto& row : family<Aggregation>().rows) {
    const std::vector<std::string> served = updates_served(*row.blank());
    for (const std::string& update : served) pairs.push_back({row.name, update});
    if (served.empty()) pairs.push_back({row.name, ""});
  }
  for (const std::string& update : updates_served(*Choice<Aggregation>("parameter-server"))) {
    pairs.push_back({"{kind: parameter-server, shards: 3, bucket: 200 B}", update});
    pairs.push_back({"{kind: parameter-server, placement: gpu, overlap: false}", update});
  }
  pairs.push_back({"{kind: parameter-server, placement: sharded-gpus}", "k-sync"});
  pairs.push_back({"{kind: parameter-server, staged: true, shards: 3, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: distributed-replicated, staged: true, gpus_per_worker: 2}", "sync"});
  pairs.push_back({"{kind: parameter-server, gpus_per_worker: 2}", "sync"});
  pairs.push_back({"{kind: replicated, placement: sharded-gpus, bucket: 200 B}", "sync"});
  pairs.push_back(
      {"{kind: parameter-server, placement: sharded-gpus, variables: {fc1: cpu}}", "k-sync"});
  pairs.push_back({"{kind: peer-to-peer, compression: one-bit, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: allreduce, compression: fp16, bucket: 200 B}", "sync"});
  for (const char* update : {"sync", "k-sync", "async", "k-batch-async"}) {
    pairs.push_back(
        {"{kind: parameter-server, compression: {kind: top-k, share: 10 %}, "
         "shards: 3, bucket: 200 B}",
         update});
  }
  for (const char* algorithm :
       {"ring", "{kind: ring, slices: 3}", "halving-doubling", "double-binary-tree",
        "{kind: hierarchical, group: 2}", "{kind: torus, columns: 5}"}) {
    pairs.push_back(
        {std::string("{kind: allreduce, algorithm: ") + algorithm + ", bucket: 200 B}", "sync"});
  }
  for (const char* update :
       {"{kind: k-batch-sync, k: 4}", "{kind: k-batch-async, k: 4}", "{kind: ssp, slack: 0}",
        "{kind: ssp, slack: 1}", "{kind: downpour, push_every: 3, fetch_every: 2}",
        "{kind: downpour, push_every: 1, fetch_every: 4}", "{kind: local-sgd, every: 1}",
        "{kind: adasync, k: 1, window: 5, base: k-batch-async}"}) {
    pairs.push_back({"{kind: parameter-server, shards: 2}", update});
  }
  return pairs;
}

ExperimentFile experiment(const Pair& pair, int workers) {
  std::string text =
      "name: order\nmodel: {kind: mlp, inputs: 8, hidden: [16], classes: 4}\nmachine: this\n"
      "batch: 4\nsteps: 20\nwarmup: 2\ntrain: {evaluate: 1, held_out: 64}\n"
      "stragglers: {compute: {kind: shifted-exponential, shift: 2 ms, mean: 10 ms}}\n";
  text += "workers: " + std::to_string(workers) + "\naggregation: " + pair.aggregation + "\n";
  if (!pair.update.empty()) text += "update: " + pair.update + "\n";
  return load_experiment_text("order.yaml", text, {});
}

class OrderTest : public testing::TestWithParam<Pair> {};

TEST_P(OrderTest, ThreadsDecideAsTheSimulatorDoes) {
  const int workers = 5;
  const ExperimentFile file = experiment(GetParam(), workers);
  const ExperimentPoint& point = file.points.front();
  const Profile profile = free_computer(point);
  Prediction setting = make_prediction(point, &profile);
  setting.counting.keep_gradients = true;
  const ClockRun simulated = on_simulator(setting);
  const ClockRun real = on_threads(setting);
  EXPECT_EQ(simulated.status, "ok");
  EXPECT_EQ(real.status, "ok");

  const Order predicted(simulated.events);
  const Order measured(real.events);
  EXPECT_EQ(predicted.accepted, measured.accepted);
  EXPECT_EQ(predicted.cancelled, measured.cancelled);
  expect_one_curve(simulated.curve, real.curve);
  EXPECT_GT(real.curve.size(), 2U);
  EXPECT_LT(real.curve.back().loss, 0.9 * real.curve.front().loss);
  if (GetParam().update == "k-sync") {
    EXPECT_FALSE(measured.cancelled.empty());
  }
  expect_one_measurement(simulated.result, real.result);
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, OrderTest, testing::ValuesIn(legal_pairs()));

}  // namespace
}  // namespace paceline
