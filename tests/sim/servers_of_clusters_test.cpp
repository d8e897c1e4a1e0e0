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

}  // namespace
}  // namespace paceline
