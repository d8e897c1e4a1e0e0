// SPDX-License-Identifier: MIT
// Groups of workers that sum before they push, against the parameter server and hand computation.
#include <gmock/gmock.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// The machine of GPUs and a CPU that a switch joins, each by 1 GB/s.
std::string on_a_switch(int gpus) {
  return "machine:\n  gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) +
         "}]\n  host: {cores: 1, memory_bandwidth: 100 TB/s}\n"
         "  vertices: [{kind: network-switch, names: [switch]}]\n"
         "  link_types: {port: {kind: ethernet, bandwidth: 1 GB/s, latency: 0 s, source: test}}\n"
         "  links: [{type: port, from: switch, to: [cpu0, gpu0..gpu" +
         std::to_string(gpus - 1) + "]}]\n";
}

Measurement simulated(const std::string& aggregation, const std::string& rest) {
  const ExperimentFile file = load_experiment_text(
      "groups.yaml", "name: groups\nsteps: 20\naggregation: " + aggregation + "\n" + rest, {});
  return simulate(make_prediction(file.points.front(), nullptr));
}

TEST(GroupedWorkersTest, AloneEachIsAWorkerOfTheParameterServer) {
  for (const char* servers : {"", ", shards: 2", ", placement: gpu"}) {
    const std::string rest =
        "model: alexnet\nmachine: dgx1-p100\nworkers: 6\nbatch: 64\n"
        "stragglers: {compute: {kind: exponential, mean: 20 ms}}\n";
    const Measurement alone = simulated(
        std::string("{kind: distributed-replicated, gpus_per_worker: 1") + servers + "}", rest);
    const Measurement server =
        simulated(std::string("{kind: parameter-server") + servers + "}", rest);
    // of two shards the parameter server judges gradients by what has arrived at both
    const double close = std::string(servers).empty() ? 1e-9 : 1e-3;
    EXPECT_NEAR(*alone.iteration_mean / *server.iteration_mean, 1, close) << servers;
    EXPECT_NEAR(*alone.delay, *server.delay, 1e-9) << servers;
    EXPECT_NEAR(*alone.wait, *server.wait, close) << servers;
  }
}

// One of four workers is twice as slow: the others wait 30 ms each, within its group and beyond.
TEST(GroupedWorkersTest, WorkersWaitForASlowOne) {
  for (const char* keys : {"distributed-replicated", "distributed-replicated, gpus_per_worker: 2",
                           "parameter-server, gpus_per_worker: 4"}) {
    const Measurement got = simulated("{kind: " + std::string(keys) + "}",
                                      "model: {kind: synthetic, compute: 30 ms, gradient: 1 kB}\n"
                                      "software: ideal\nmachine: dgx1-p100\nworkers: 4\n"
                                      "stragglers: {workers: {1: {slowdown: 2}}}\n");
    EXPECT_NEAR(*got.wait, 3 * 0.03 / 4, 1e-5) << keys;  // weights arrive one by one
    EXPECT_LT(*got.exposed_comm, 1e-3) << keys;
  }
}

// Three workers on links of their own to a switch, 80 MB at 1 GB/s: two send their gradients to the
// first one after the other, one sum goes to the server, and three fetch. Ungrouped, all three
// push.
TEST(GroupedWorkersTest, OfAGroupOnePushesAndEachFetches) {
  const std::string rest =
      "model: {kind: synthetic, compute: 1 s, gradient: 80 MB}\nsoftware: ideal\nbatch: 1\n"
      "workers: 3\n" +
      on_a_switch(3);
  const double little = 0.003;  // copies and sums in memories
  EXPECT_NEAR(*simulated("{kind: parameter-server, gpus_per_worker: 3}", rest).iteration_mean,
              1 + 0.08 * (2 + 1 + 3), little);
  EXPECT_NEAR(*simulated("parameter-server", rest).iteration_mean, 1 + 0.08 * (3 + 3), little);
}

// Of two computers one sends its sum over the network, 80 MB at 1 GB/s, and receives the weights;
// ungrouped its eight workers do so. The trees over NVLink take a few milliseconds.
TEST(GroupedWorkersTest, OneGradientLeavesAComputer) {
  const std::string rest =
      "model: {kind: synthetic, compute: 1 s, gradient: 80 MB}\nsoftware: ideal\nbatch: 1\n"
      "machine: {of: dgx1-p100, count: 2, network: {cards: 1, link: {kind: ethernet, bandwidth: 1 "
      "GB/s, latency: 0 s, source: test}}}\nworkers: 16\n";
  const Measurement grouped = simulated("distributed-replicated", rest);
  const Measurement each = simulated("parameter-server", rest);
  EXPECT_NEAR(*grouped.iteration_mean, 1 + 2 * 0.08, 0.06);
  EXPECT_NEAR(*each.iteration_mean, 1 + 2 * 8 * 0.08, 0.1);
}

// Staged, weights arrive and gradients leave beside the arithmetic of the next mini-batch. Where
// the copies take longer, the next gradient (two thirds of the arithmetic) waits for the last one's
// push.
TEST(GroupedWorkersTest, StagedVariablesHideTheCopies) {
  const auto seconds = [](const std::string& keys, const std::string& compute) {
    const Measurement measured = simulated(
        "{kind: " + keys + "}", "model: {kind: synthetic, compute: " + compute +
                                    ", gradient: 80 MB}\nsoftware: ideal\nbatch: 1\nworkers: 2\n" +
                                    on_a_switch(2));
    EXPECT_DOUBLE_EQ(measured.staleness_mean.value_or(-1), keys.ends_with("true") ? 1 : 0) << keys;
    return *measured.iteration_mean;
  };
  const double copies = 2 * (0.08 + 0.08);  // of both workers, to the server and back
  const double little = 0.003;              // copies and sums in memories
  EXPECT_NEAR(seconds("parameter-server", "1 s"), 1 + copies, little);
  EXPECT_NEAR(seconds("parameter-server, staged: true", "1 s"), 1, little);
  EXPECT_NEAR(seconds("parameter-server, staged: true", "100 ms"), 0.2 / 3 + copies / 2, little);
  EXPECT_NEAR(seconds("distributed-replicated, staged: true", "1 s"), 1, little);
}

// Eight numbers in, four out, in batches of 100,000: inputs of 3.2 MB and outputs of 1.6 MB for
// each worker but the one on the server's GPU; the weights weigh next to nothing.
TEST(GroupedWorkersTest, TheFirstGpuScattersTheBatch) {
  const auto seconds = [](const std::string& keys) {
    return *simulated("{kind: " + keys + "}",
                      "model: {kind: mlp, inputs: 8, hidden: [], classes: 4}\nsoftware: ideal\n"
                      "batch: 100000\nworkers: 3\n" +
                          on_a_switch(3))
                .iteration_mean;
  };
  const double little = 0.0005;  // arithmetic
  EXPECT_NEAR(seconds("gather, loss: every-gpu"), 2 * 0.0032, little);
  EXPECT_NEAR(seconds("gather, loss: first-gpu"), 2 * (0.0032 + 0.0016 + 0.0016), little);
  EXPECT_NEAR(seconds("concatenated, placement: gpu"), 2 * (0.0032 + 0.0016 + 0.0016), little);
  // from the CPU every GPU's share crosses a link
  EXPECT_NEAR(seconds("concatenated"), 3 * (0.0032 + 0.0016 + 0.0016), little);
}

// 80 MB at 1 GB/s between the CPU and a switch, which two workers share: both fetch the weights and
// push a gradient; an optimizer on the first GPU has the sum and the new weights cross it besides.
TEST(GroupedWorkersTest, ADistantOptimizerFetchesTheSumAndReturnsTheWeights) {
  const auto seconds = [](const std::string& keys) {
    return *simulated("{kind: concatenated" + keys + "}",
                      "model: {kind: synthetic, compute: 1 s, gradient: 80 MB}\nsoftware: ideal\n"
                      "batch: 1\nworkers: 2\n" +
                          on_a_switch(2))
                .iteration_mean;
  };
  const double little = 0.003;  // copies and sums in memories
  EXPECT_NEAR(seconds(""), 1 + 2 * (0.08 + 0.08), little);
  EXPECT_NEAR(seconds(", optimizer: first-gpu"), 1 + 2 * (0.08 + 0.08) + 2 * 0.08, little);
  // beside weights on the first GPU there is nothing to fetch or to return
  EXPECT_EQ(seconds(", placement: gpu, optimizer: first-gpu"), seconds(", placement: gpu"));
}

TEST(GroupedWorkersTest, StagedVariablesServeWhatTakesAllWorkers) {
  const std::string rest = "model: alexnet\nmachine: dgx1-p100\nworkers: 2\nbatch: 64\nupdate: ";
  for (const char* update : {"async", "{kind: local-sgd, every: 2}"}) {
    try {
      simulated("{kind: parameter-server, staged: true}", rest + update);
      ADD_FAILURE() << update;
    } catch (const SpecError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("(supported: sync)")) << update;
    }
  }
}

// Two computers of four V100, 512 MB: the torus of rows of four, while two columns of a square are
// in one computer. Six workers do not fill both.
TEST(GroupedWorkersTest, RailsAreTheTorusOfTheComputers) {
  const auto seconds = [](const std::string& algorithm, int workers) {
    return *simulated("{kind: allreduce, algorithm: " + algorithm + "}",
                      "model: {kind: synthetic, compute: 1 ms, gradient: 512 MB}\nsoftware: ideal\n"
                      "machine: {of: 4xv100-pcie, count: 2, network: infiniband-edr}\nbatch: 1\n"
                      "workers: " +
                          std::to_string(workers) + "\n")
                .iteration_mean;
  };
  EXPECT_EQ(seconds("rails", 8), seconds("{kind: torus, columns: 4}", 8));
  EXPECT_NE(seconds("rails", 8), seconds("torus", 8));
  try {
    seconds("rails", 6);
    ADD_FAILURE();
  } catch (const SpecError& error) {
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("computers have 2 to 4 workers, and rails need equally many on each"));
  }
}

/// The time of an update on a cluster of computers with links of 1 GB/s.
double update_s(const std::string& nodes, int workers, const std::string& aggregation,
                const std::string& gpus) {
  return *simulated(
              aggregation,
              "model: {kind: synthetic, compute: 0 s, gradient: 40 MB}\nsoftware: ideal\n"
              "batch: 1\nmachine: {" +
                  nodes +
                  ", network: {link: {kind: infiniband, bandwidth: 1 GB/s, source: test}, cards: "
                  "1}}\nworkers: " +
                  std::to_string(workers) + "\ngpus: " + gpus + "\n")
              .iteration_mean;
}

const char* const kOfComputers[] = {
    "{kind: allreduce, algorithm: hierarchical}", "{kind: allreduce, algorithm: rails}",
    "{kind: allreduce, algorithm: {kind: hierarchical, group: 8}}", "distributed-replicated",
    "{kind: parameter-server, gpus_per_worker: 8}"};

// Workers on the same GPUs of the same computers, numbered in another order.
TEST(GroupedWorkersTest, GroupsAreTheWorkersOfAComputerHoweverTheyAreNumbered) {
  std::string by_round;
  for (int gpu = 0; gpu < 8; ++gpu) {
    for (int computer = 0; computer < 4; ++computer)
      by_round += (by_round.empty() ? "[" : ", ") + std::to_string(8 * computer + gpu);
  }
  for (const char* aggregation : kOfComputers) {
    const auto seconds = [&](const std::string& gpus) {
      return update_s("of: dgx1-p100, count: 4", 32, aggregation, gpus);
    };
    EXPECT_NEAR(seconds("by-round") / seconds("in-order"), 1, 1e-9) << aggregation;
    EXPECT_EQ(seconds(by_round + "]"), seconds("by-round")) << aggregation;
  }
}

// Three computers of 8, 4 and 4 GPUs: a ring of three on links of 1 GB/s takes 2 x 2/3 x 40 ms.
TEST(GroupedWorkersTest, TheOrderOfUnlikeNodesChangesNothing) {
  const std::string eight = "{of: dgx1-v100, count: 1}", fours = "{of: 4xv100-pcie, count: 2}";
  const auto seconds = [](const std::string& nodes, const char* algorithm) {
    return update_s("nodes: [" + nodes + "]", 16, algorithm, "in-order");
  };
  const double taken = seconds(eight + ", " + fours, kOfComputers[0]);
  EXPECT_NEAR(seconds(fours + ", " + eight, kOfComputers[0]) / taken, 1, 1e-6);
  const double between = 4.0 / 3 * 0.04;
  const double within = 0.03;  // trees over PCIe, of two copies each way at 3.8 GB/s or more
  EXPECT_GT(taken, between);
  EXPECT_LT(taken, between + within);
  try {
    seconds(eight + ", " + fours, kOfComputers[1]);
    ADD_FAILURE();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("computers have 4 to 8 workers, and rails need equally many"));
  }
}

}  // namespace
}  // namespace paceline
