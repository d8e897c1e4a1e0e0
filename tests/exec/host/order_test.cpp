// SPDX-License-Identifier: MIT
// One program, two clocks: with the test's time source, real threads with real gradients must
// accept and cancel the same gradients, at the same versions, in the same order as the simulator,
// and so end with the same losses, to the bit.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "exec/host/execution.hpp"
#include "experiments/yaml.hpp"
#include "sim/simulate.hpp"

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
  for (const auto& row : table_of(static_cast<const Aggregation*>(nullptr)).rows) {
    for (const std::string& update : updates_served(row.name)) pairs.push_back({row.name, update});
    if (updates_served(row.name).empty()) pairs.push_back({row.name, ""});
  }
  for (const std::string& update : updates_served("parameter-server")) {
    pairs.push_back({"{kind: parameter-server, shards: 3, bucket: 1 kB}", update});
    pairs.push_back({"{kind: parameter-server, placement: gpu, overlap: false}", update});
  }
  pairs.push_back({"{kind: parameter-server, placement: sharded-gpus}", "k-sync"});
  pairs.push_back({"{kind: replicated, placement: sharded-gpus, bucket: 1 kB}", "sync"});
  pairs.push_back({"{kind: allreduce, algorithm: ring, bucket: 1 kB}", "sync"});
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

/// A computer on which nothing but the delays takes time, as on the jumping clock.
HostProfile free_computer(const ExperimentPoint& point) {
  HostProfile profile;
  profile.host.cores = 64;
  profile.host.copy_bandwidth = profile.host.memory_bandwidth = BytesPerSecond{1e18};
  NetworkProfile network;
  network.network = point.network->name;
  network.parameters = point.network->parameters();
  network.batch = point.experiment.batch;
  network.optimizer = point.experiment.optimizer.kind();
  network.dataset = dataset_of(point.experiment);
  network.forward = network.backward = std::vector<Seconds>(point.network->layers.size());
  network.copy = Seconds{1e-15};
  profile.networks.push_back(network);
  return profile;
}

/// Accepted gradients as one sequence; cancelled ones by worker, since workers cancel on their own.
struct Order {
  std::vector<GradientEvent> accepted;
  std::map<int, std::vector<GradientEvent>> cancelled;
  explicit Order(const std::vector<GradientEvent>& events) {
    for (const GradientEvent& event : events) {
      if (event.applied >= 0) {
        accepted.push_back(event);
      } else {
        cancelled[event.worker].push_back(event);
      }
    }
  }
};

class OrderTest : public testing::TestWithParam<Pair> {};

TEST_P(OrderTest, ThreadsDecideAsTheSimulatorDoes) {
  const int workers = 5;
  const ExperimentFile file = experiment(GetParam(), workers);
  const ExperimentPoint& point = file.points.front();
  const HostProfile profile = free_computer(point);
  Setting setting = make_setting(point, &profile);
  setting.counting.keep_gradients = true;

  Recorder predicted(setting.counting);
  Trainer trainer(setting, 1);
  std::string status = "ok";
  const std::vector<CurvePoint> curve = simulate_training(setting, trainer, 0, predicted, status);
  Recorder measured(setting.counting);
  JumpingTime time;
  Execution execution(setting);
  const Executed executed = execution.run(0, measured, time);
  EXPECT_EQ(status, "ok");
  EXPECT_EQ(executed.status, "ok");

  const Order simulated(predicted.gradients());
  const Order real(measured.gradients());
  EXPECT_EQ(simulated.accepted, real.accepted);
  EXPECT_EQ(simulated.cancelled, real.cancelled);
  ASSERT_EQ(curve.size(), executed.curve.size());
  EXPECT_GT(curve.size(), 2U);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_EQ(curve[i].updates, executed.curve[i].updates);
    EXPECT_EQ(curve[i].loss, executed.curve[i].loss);
    EXPECT_NEAR(curve[i].time_s, executed.curve[i].time_s, 1e-9);
  }
  EXPECT_LT(curve.back().loss, 0.9 * curve.front().loss);
  if (GetParam().update == "k-sync") {
    EXPECT_FALSE(real.cancelled.empty());
  }
  EXPECT_NEAR(*predicted.result().iteration_mean, *measured.result().iteration_mean, 1e-9);
  EXPECT_EQ(predicted.result().staleness_mean, measured.result().staleness_mean);
}

INSTANTIATE_TEST_SUITE_P(LegalPairs, OrderTest, testing::ValuesIn(legal_pairs()));

}  // namespace
}  // namespace paceline
