// SPDX-License-Identifier: MIT
// Workers that push to and fetch from a shard on each GPU keep all links busy, against a bound.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

/// The time of an update of 100 MB over GPUs on a switch whose ports carry 10 GB/s each way, with a
/// shard on each GPU.
double update_s(const std::string& aggregation, int gpus) {
  const fs::path folder = fs::path(testing::TempDir()) / "shard_order";
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
  const ExperimentFile file =
      load_experiment_text((folder / "order.yaml").string(),
                           "name: order\nmodel: {kind: synthetic, compute: 0 s, gradient: 100 MB}\n"
                           "machine: star.yaml\nsoftware: ideal\nsteps: 10\nwarmup: 2\nworkers: " +
                               std::to_string(gpus) + "\naggregation: " + aggregation + "\n",
                           {});
  Setting setting = make_setting(file.points.front(), nullptr);
  setting.costs.server_update = setting.costs.server_reduce = 0;
  return *simulate(setting).iteration_mean;
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
