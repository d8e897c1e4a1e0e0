// SPDX-License-Identifier: MIT
// Workers that push to and fetch from a shard on each GPU keep all links busy, against a bound;
// what each of them fetches, in order.
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/devices/simulated_machine.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

/// A gradient of 100 MB over GPUs on a switch with ports of 10 GB/s each way.
ExperimentFile on_a_star(int gpus, const std::string& lines) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("shard_order-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream machine(folder / "star.yaml");
  machine << "title: star\ngpus: [{model: p100-sxm2, count: " << gpus << "}]\n"
          << "host: {cores: 1, memory_bandwidth: 100 GB/s}\n"
          << "vertices: [{kind: network-switch, names: [switch]}]\n"
          << "link_types: {port: {kind: ethernet, bandwidth: 10 GB/s, source: test}}\n"
          << "links: [{type: port, from: switch, to: [cpu0";
  for (int gpu = 0; gpu < gpus; ++gpu) machine << ", gpu" << gpu;
  machine << "]}]\n";
  machine.close();
  return load_experiment_text((folder / "order.yaml").string(),
                              "name: order\nmachine: star.yaml\nsoftware: ideal\n"
                              "steps: 10\nwarmup: 2\nworkers: " +
                                  std::to_string(gpus) + "\n" + lines,
                              {});
}

/// The time of an update, with a shard on each GPU.
double update_s(const std::string& aggregation, int gpus) {
  const ExperimentFile file =
      on_a_star(gpus, "model: {kind: synthetic, compute: 0 s, gradient: 100 MB}\naggregation: " +
                          aggregation + "\n");
  Prediction setting = make_prediction(file.points.front(), nullptr);
  setting.costs.server_update = setting.costs.server_reduce = 0;
  return *simulate(setting).iteration_mean;
}

/// The fetches of each worker, and the number of mini-batches it began.
class Fetches final : public Observer {
 public:
  explicit Fetches(int workers) : workers_(workers) {}
  void begun(RoleId worker, std::int64_t, Instant) override { ++begun_by[worker]; }
  void operation(Stream stream, const Command& command, Instant, Instant) override {
    const auto* copy = command.as<Command::Copy>();
    if (copy == nullptr || copy->from.role < workers_) return;
    shards[stream.role].push_back(copy->from.role - workers_);
  }

  std::map<RoleId, std::size_t> begun_by;
  std::map<RoleId, std::vector<int>> shards;  ///< by worker, in order; not that on its own GPU

 private:
  int workers_;
};

constexpr int kGpus = 4;
constexpr std::size_t kOthers = kGpus - 1;  ///< shards that are not on a worker's own GPU

Fetches fetches_of(const std::string& update) {
  const ExperimentFile file = on_a_star(
      kGpus,
      "model: {kind: synthetic, compute: 9 ms, gradient: 100 MB}\n"
      "aggregation: {kind: parameter-server, placement: sharded-gpus, overlap: false}\nupdate: " +
          update + "\n");
  const Prediction setting = make_prediction(file.points.front(), nullptr);
  Fetches fetches(kGpus);
  const Plan plan = setting.plan_of(0, &fetches);
  SimulatedMachine clock(*setting.machine, setting.costs, setting.vertices, plan.workers, &fetches);
  for (RoleId role = 0; role < plan.roles(); ++role) {
    clock.start_role(role, (*setting.point->experiment.aggregation).program(plan, clock, role));
  }
  clock.run();
  return fetches;
}

// The gradient of one worker in four completes an update; the others go on at the same version.
TEST(ShardOrderTest, EveryMiniBatchOfKBatchAsyncFetches) {
  Fetches fetches = fetches_of("{kind: k-batch-async, k: 4}");
  for (RoleId worker = 0; worker < kGpus; ++worker) {
    const std::size_t begun = fetches.begun_by[worker];
    EXPECT_GE(begun, 5U);
    EXPECT_GE(fetches.shards[worker].size(), begun * kOthers) << worker;
    EXPECT_LE(fetches.shards[worker].size(), (begun + 1) * kOthers) << worker;
  }
}

TEST(ShardOrderTest, ReplicasOfDownpourBeginWithDifferentShards) {
  Fetches fetches = fetches_of("downpour");
  for (RoleId worker = 0; worker < kGpus; ++worker) {
    const std::vector<int>& shards = fetches.shards[worker];
    EXPECT_GE(shards.size(), 2 * kOthers);
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const int turn = 1 + static_cast<int>(i % kOthers);
      EXPECT_EQ(shards[i], (worker + turn) % kGpus) << worker << ", fetch " << i;
    }
  }
}

TEST(ShardOrderTest, NoLinkIsIdleWhileOthersAreBusy) {
  for (const int gpus : {4, 8, 16}) {
    // a GPU receives (P-1)/P of 100 MB as a shard and as much as a worker
    const double bound = 2 * 0.1 / 10 * (gpus - 1) / gpus;
    const double taken =
        update_s("{kind: parameter-server, placement: sharded-gpus, overlap: false}", gpus);
    EXPECT_GE(taken, bound * (1 - 1e-9)) << gpus;
    EXPECT_LT(taken, 1.1 * bound) << gpus;
  }
}

}  // namespace
}  // namespace paceline
