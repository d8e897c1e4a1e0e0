// SPDX-License-Identifier: MIT
// Parameter servers on the computers of a cluster.
#include <set>

#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

ExperimentFile load(int computers, const std::string& rest) {
  return load_experiment_text(
      "servers.yaml",
      "name: servers\nmodel: {kind: synthetic, compute: 10 ms, gradient: 400 MB}\n"
      "software: ideal\nsteps: 3\nmachine: {of: dgx1-p100, count: " +
          std::to_string(computers) + ", network: infiniband-edr}\n" + rest,
      {});
}

double iteration(int computers, const std::string& rest) {
  const ExperimentFile file = load(computers, rest);
  return *simulate(make_prediction(file.points.front(), nullptr)).iteration_mean;
}

TEST(ServersOfClusters, HaveTheMemoryOfTheirOwnComputer) {
  const std::string two = "workers: 2\naggregation: parameter-server\n";
  EXPECT_DOUBLE_EQ(iteration(1, two), iteration(4, two));
}

TEST(ServersOfClusters, ShareTheMemoryOfTheirOwnComputerOnly) {
  // two sockets a computer: of four servers two are on the second one
  const auto sums_of = [](int shards) {
    const ExperimentFile file = load(
        2, "workers: 2\naggregation: {kind: parameter-server, shards: " + std::to_string(shards) +
               "}\n");
    Prediction prediction = make_prediction(file.points.front(), nullptr);
    // only sums and updates take time
    prediction.costs.forward = prediction.costs.backward = {Seconds{}};
    prediction.machine =
        std::make_shared<const Machine>(prediction.machine->with_faster_links(LinkKind::nvlink, 1e9)
                                            .with_faster_links(LinkKind::pcie, 1e9)
                                            .with_faster_links(LinkKind::qpi, 1e9)
                                            .with_faster_links(LinkKind::infiniband, 1e9));
    return *simulate(prediction).iteration_mean;
  };
  EXPECT_LT(sums_of(4), 0.6 * sums_of(2));
}

TEST(ServersOfClusters, AreOneOnEachComputerOfTheWorkers) {
  const auto computers_of = [](int workers) {
    const ExperimentFile file =
        load(4, "workers: " + std::to_string(workers) +
                    "\naggregation: {kind: parameter-server, placement: hosts}\n");
    const Prediction prediction = make_prediction(file.points.front(), nullptr);
    std::set<int> computers;
    for (int shard = 0; shard < prediction.plan.shards; ++shard) {
      const auto role = static_cast<std::size_t>(prediction.plan.server(shard));
      computers.insert(prediction.machine->computer_of_vertex(prediction.vertices[role]));
    }
    EXPECT_EQ(static_cast<int>(computers.size()), prediction.plan.shards);
    return computers;
  };
  EXPECT_THAT(computers_of(32), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(computers_of(10), testing::ElementsAre(0, 1));
  EXPECT_THAT(computers_of(8), testing::ElementsAre(0));
}

/// The time of an update of 40 MB with a server on each of the computers, which have links of
/// 1 GB/s.
double update_s(int computers, int of_each, const std::string& aggregation) {
  const ExperimentFile file = load_experiment_text(
      "servers.yaml",
      "name: servers\nmodel: {kind: synthetic, compute: 0 s, gradient: 40 MB, tensors: 100}\n"
      "software: ideal\nbatch: 1\nsteps: 3\nwarmup: 1\nmachine: {of: dgx1-p100, count: " +
          std::to_string(computers) +
          ", network: {link: {kind: infiniband, bandwidth: 1 GB/s, source: test}, cards: 1}}\n"
          "gpus: by-round\nworkers: " +
          std::to_string(of_each * computers) + "\naggregation: " + aggregation + "\n",
      {});
  Prediction prediction = make_prediction(file.points.front(), nullptr);
  prediction.costs.server_update = prediction.costs.server_reduce = 0;
  return *simulate(prediction).iteration_mean;
}

// A computer's workers, or its one group, push to the other computers' servers (C-1)/C of their
// gradients, and then fetch as many weights. A group's trees take three copies each way over
// NVLinks.
TEST(ServersOfClusters, KeepAllLinksBusy) {
  for (const int computers : {4, 8, 16}) {
    for (const int of_each : {1, 8}) {
      const double one = 2 * 0.04 * (computers - 1) / computers;
      const double trees = of_each == 1 ? 0 : 2 * 3 * 0.04 / 18;
      const auto expect = [&](const std::string& kind, double bound, double beside = 0) {
        const double taken = update_s(computers, of_each, "{kind: " + kind + ", placement: hosts}");
        EXPECT_GE(taken, bound * (1 - 1e-9)) << computers << " x " << of_each << kind;
        EXPECT_LT(taken, 1.1 * (bound + beside)) << computers << " x " << of_each << kind;
      };
      expect("parameter-server", of_each * one);
      expect("distributed-replicated", one, trees);
      if (computers < 16) expect("replicated", of_each * one);
    }
  }
}

// On 8 computers 16 servers on all sockets: two on each computer.
TEST(ServersOfClusters, KeepAllLinksBusyFromSocketsToo) {
  const double taken = update_s(8, 1, "{kind: parameter-server, shards: 16, overlap: false}");
  EXPECT_LT(taken, 1.1 * 2 * 0.04 * 7 / 8);
}

}  // namespace
}  // namespace paceline
