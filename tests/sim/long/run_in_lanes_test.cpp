// SPDX-License-Identifier: MIT
// Workers that run in lanes, against the events of the same run: random machines, schedules,
// stragglers, launches, decisions and rules, equal to the picosecond and in every figure.
#include "sim/lanes/run_in_lanes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/costs/prediction.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/figures_text.hpp"
#include "tests/sim/recorded_ends.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

/// Random choices of a file.
class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed) {}
  int number(int least, int most) { return std::uniform_int_distribution<>(least, most)(random_); }
  std::string of(std::initializer_list<const char*> list) {
    return list.begin()[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }
  std::string tenths(int least, int most) {
    return std::to_string(number(least, most)) + "." + std::to_string(number(0, 9));
  }

  std::string host() {
    return "{cores: 8, memory_bandwidth: 100 GB/s, timer_error: " + std::to_string(number(0, 1)) +
           " us, dispatch: " + of({"0", "1", "8"}) + " us, decision_latency: " + tenths(0, 19) +
           " us}";
  }
  /// GPUs on one switch, on links of two kinds.
  std::string star(int gpus) {
    std::string text = "{gpus: [{model: p100-sxm2, count: " + std::to_string(gpus) +
                       "}], host: " + host() +
                       ", vertices: [{kind: network-switch, names: [switch]}], link_types: {";
    for (const char* kind : {"a", ", b"}) {
      text += std::string(kind) + ": {kind: ethernet, source: test, bandwidth: " + tenths(1, 40) +
              " GB/s, connection: " + of({"0", "2.29", "20"}) + " GB/s, latency: " + tenths(0, 3) +
              " us}";
    }
    text += "}, links: [{type: a, from: switch, to: [cpu0]}";
    for (int gpu = 0; gpu < gpus; ++gpu) {
      text += ", {type: " + of({"a", "a", "b"}) + ", from: switch, to: [gpu" + std::to_string(gpu) +
              "]}";
    }
    return text + "]}";
  }
  /// Nodes with NVSwitches on a network of two levels.
  std::string cluster(int nodes) {
    const std::string leaves = ", nodes_per_leaf: " + std::to_string(number(1, 4));
    const std::string leaf_spine = "leaf-spine" + leaves;
    const std::string fat_tree = "fat-tree" + leaves + ", leaves_per_pod: 2";
    return "{of: " + of({"dgx-h100", "dgx1-v100"}) + ", count: " + std::to_string(nodes) +
           ", network: {link: infiniband-hdr, kind: " +
           of({"switch", "rails", leaf_spine.c_str(), fat_tree.c_str()}) + "}}";
  }

 private:
  std::mt19937 random_;
};

std::string file_of(Choices& any) {
  const bool cluster = any.number(0, 2) == 0;
  const int nodes = any.number(2, 6);
  const int workers = cluster ? 8 * nodes : any.number(2, 90);
  const std::string algorithm =
      cluster ? any.of({"hierarchical", "hierarchical", "rails", "ring", "halving-doubling",
                        "{kind: hierarchical, among: halving-doubling}"})
              : any.of({"ring", "ring", "ring", "halving-doubling", "peer-to-peer",
                        "{kind: hierarchical, group: 4}", "double-binary-tree",
                        "{kind: hierarchical, group: 3, among: halving-doubling}"});
  return "name: p\nbatch: 4\nsteps: 5\nwarmup: 2\nlayer_times: roofline\nworkers: " +
         std::to_string(workers) +
         "\nmachine: " + (cluster ? any.cluster(nodes) : any.star(workers)) + "\nmodel: " +
         any.of({"mlp", "cifar10_resnet20",
                 "{kind: synthetic, compute: 3 ms, gradient: 1.3 MB, tensors: 9}",
                 "{kind: synthetic, compute: 0 s, gradient: 1.3 MB, tensors: 9}"}) +
         "\nsoftware: " +
         any.of({"ideal", "{}", "{step_variation: 5 %}", "{kernels: {launch: 7 us, of_update: 2}}",
                 "{dispatchers: gpu}"}) +
         "\naggregation: {kind: allreduce, algorithm: " + algorithm +
         ", bucket: " + any.of({"25 MiB", "4 MiB", "100 kB", "1 B"}) +
         ", overlap: " + any.of({"true", "true", "false"}) + "}\n" +
         (cluster ? any.of({"", "", "gpus: by-round\n"}) : "") +
         any.of({"", "", "update: {kind: sync, accumulate: 3}\n",
                 "update: {kind: local-sgd, every: 2}\n"}) +
         any.of({"", "stragglers: {compute: {kind: exponential, mean: 2 ms}}\n",
                 "stragglers: {compute: {kind: uniform, low: 0 s, high: 30 us}}\n",
                 "stragglers: {workers: {1: {slowdown: 1.5}}}\n",
                 "stragglers: {communication: {kind: exponential, mean: 100 us}}\n"});
}

std::string collective_file_of(Choices& any) {
  const int workers = any.number(2, 70);
  return "name: p\nsteps: 4\nwarmup: 1\nworkers: " + std::to_string(workers) +
         "\nmachine: " + any.star(workers) + "\nworkload: {kind: collective, op: " +
         any.of(
             {"all-reduce", "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce"}) +
         ", size: " + any.of({"4 B", "1 MiB", "100 MB"}) + "}\n";
}

/// Calls of the collective library, beside which layers take longer.
std::string library_file_of(Choices& any) {
  const bool cluster = any.number(0, 1) == 0;
  const int nodes = any.number(2, 4);
  const int workers = cluster ? 8 * nodes : any.number(2, 40);
  return "name: p\nbatch: 4\nsteps: 5\nwarmup: 2\nlayer_times: roofline\nworkers: " +
         std::to_string(workers) +
         "\nmachine: " + (cluster ? any.cluster(nodes) : any.star(workers)) + "\nmodel: " +
         any.of({"mlp", "cifar10_resnet20", "resnet50",
                 "{kind: synthetic, compute: 3 ms, gradient: 13 MB, tensors: 9}"}) +
         "\nsoftware: " +
         any.of({"ideal", "pytorch",
                 "{step_variation: 5 %, dispatchers: gpu, decision_latency: 3 us}",
                 "{dispatchers: gpu}"}) +
         "\naggregation: {kind: allreduce, algorithm: nccl, bucket: " +
         any.of({"25 MiB", "4 MiB", "100 kB"}) + ", overlap: " + any.of({"true", "true", "false"}) +
         "}\n" +
         any.of({"", "", "update: {kind: sync, accumulate: 3}\n",
                 "update: {kind: local-sgd, every: 2}\n"}) +
         any.of({"", "stragglers: {compute: {kind: exponential, mean: 2 ms}}\n",
                 "stragglers: {workers: {1: {slowdown: 1.5}}}\n",
                 "stragglers: {communication: {kind: exponential, mean: 100 us}}\n"});
}

std::string library_collective_of(Choices& any) {
  const int workers = any.number(2, 24);
  return "name: p\nsteps: 4\nwarmup: 1\nworkers: " + std::to_string(workers) +
         "\nmachine: " + any.star(workers) +
         "\nworkload: {kind: collective, algorithm: nccl, op: " +
         any.of({"all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all"}) +
         ", size: " + any.of({"4 B", "1 MiB", "100 MB"}) + "}\n";
}

/// All figures of a repeat, as text.
std::string figures_of(const Prediction& prediction) {
  Counting counting = prediction.counting;
  counting.in_order = !prediction.by_events;  // changes nothing
  Recorder recorder(counting);
  simulate_once(prediction, 0, recorder);
  return figures_text(recorder);
}

class InLanes : public testing::TestWithParam<unsigned> {};

TEST_P(InLanes, TimesAreThoseOfEvents) {
  Choices any(GetParam());
  int ran = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string text = round % 4 == 3 ? collective_file_of(any) : file_of(any);
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    Prediction prediction = make_prediction(point, nullptr);
    RecordedEnds lanes, events;
    const std::size_t suits = run_in_lanes(prediction, prediction.plan_of(0, &lanes), 0);
    ran += suits > 0 ? 1 : 0;
    if (suits == 0) continue;
    prediction.by_events = true;
    run_by_events(prediction, prediction.plan_of(0, &events), 0);
    std::ranges::sort(lanes.all);
    std::ranges::sort(events.all);
    ASSERT_EQ(lanes.all.size(), events.all.size()) << text;
    for (std::size_t i = 0; i < events.all.size(); ++i)
      ASSERT_EQ(lanes.all[i], events.all[i]) << "round " << round << ", " << i << "\n" << text;
  }
  EXPECT_GE(ran, 2);
}

TEST_P(InLanes, CallsOfTheLibraryAreThoseOfEvents) {
  Choices any(300 + GetParam());
  int ran = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string text = round % 4 == 3 ? library_collective_of(any) : library_file_of(any);
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    Prediction prediction = make_prediction(point, nullptr);
    RecordedEnds lanes, events;
    ran += run_in_lanes(prediction, prediction.plan_of(0, &lanes), 0) > 0 ? 1 : 0;
    prediction.by_events = true;
    run_by_events(prediction, prediction.plan_of(0, &events), 0);
    std::ranges::sort(lanes.all);
    std::ranges::sort(events.all);
    if (!lanes.all.empty()) {
      ASSERT_EQ(lanes.all, events.all) << "round " << round << "\n" << text;
    }
    prediction.by_events = false;
    const std::string figures = figures_of(prediction);
    prediction.by_events = true;
    ASSERT_EQ(figures, figures_of(prediction)) << "round " << round << "\n" << text;
  }
  EXPECT_GE(ran, 6);
}

TEST_P(InLanes, FiguresAreThoseOfEvents) {
  Choices any(100 + GetParam());
  for (int round = 0; round < 12; ++round) {
    const std::string text = round % 4 == 3 ? collective_file_of(any) : file_of(any);
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    Prediction prediction = make_prediction(point, nullptr);
    const std::string lanes = figures_of(prediction);
    prediction.by_events = true;
    ASSERT_EQ(lanes, figures_of(prediction)) << "round " << round << "\n" << text;
  }
}

/// Nodes of GPUs that share a network card; worker i is on node i modulo the nodes, so that all
/// copies of a ring cross the cards.
std::string node_ring_of(Choices& any) {
  const int gpus = any.number(1, 5), nodes = any.number(2, 8);
  const fs::path node =
      fs::path(testing::TempDir()) / ("node-" + std::to_string(getpid()) + ".yaml");
  const std::string duplex = any.of({"full", "half"});
  std::ofstream(node) << "gpus: [{model: p100-sxm2, count: " << gpus << "}]\nhost: " << any.host()
                      << "\nvertices: [{kind: pcie-switch, names: [plx]}, {kind: nic, names: "
                         "[nic]}]\nlink_types: {pcie: {kind: pcie, source: test, bandwidth: "
                      << any.tenths(1, 40) << " GB/s, duplex: " << duplex
                      << "}}\nlinks: [{type: pcie, from: cpu0, to: [plx]}, {type: pcie, from: plx, "
                         "to: [nic, gpu0.."
                      << "gpu" << gpus - 1 << "]}]\n";
  return "name: p\nbatch: 4\nsteps: 5\nwarmup: 2\nsoftware: {dispatchers: " +
         any.of({"gpu", "gpu", "computer"}) + "}\nworkers: " + std::to_string(gpus * nodes) +
         "\nmachine: {of: " + node.string() + ", count: " + std::to_string(nodes) +
         ", network: " + any.of({"infiniband-edr", "ethernet-10g"}) +
         "}\ngpus: by-round\nmodel: {kind: synthetic, compute: 3 ms, gradient: 1.3 MB, tensors: "
         "9}\n"
         "aggregation: {kind: allreduce, algorithm: " +
         any.of({"ring", "ring", "halving-doubling"}) +
         ", bucket: " + any.of({"25 MiB", "100 kB", "1 B"}) + "}\n";
}

TEST_P(InLanes, CopiesThatRunAlikeShareTheirLinks) {
  Choices any(200 + GetParam());
  int together = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string text = node_ring_of(any);
    const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
    Prediction prediction = make_prediction(point, nullptr);
    Recorder recorder(prediction.counting);
    together += simulate_once(prediction, 0, recorder).starts_with("lanes: 1 ") ? 1 : 0;
    const std::string lanes = figures_of(prediction);
    prediction.by_events = true;
    ASSERT_EQ(lanes, figures_of(prediction)) << "round " << round << "\n" << text;
  }
  EXPECT_GE(together, 3);
}

/// The lanes of a hierarchical all-reduce on nodes of eight GPUs, and whether its figures are those
/// of events.
std::string lanes_on(const std::string& network, int nodes) {
  const std::string text =
      "name: p\nbatch: 4\nsteps: 5\nwarmup: 2\nlayer_times: roofline\nmodel: mlp\nworkers: " +
      std::to_string(8 * nodes) + "\nmachine: {of: dgx1-v100, count: " + std::to_string(nodes) +
      ", network: {link: infiniband-hdr, " + network +
      "}}\naggregation: {kind: allreduce, algorithm: hierarchical}\n";
  const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
  Prediction prediction = make_prediction(point, nullptr);
  Recorder recorder(prediction.counting);
  const std::string lanes = simulate_once(prediction, 0, recorder);
  const std::string figures = figures_of(prediction);
  prediction.by_events = true;
  EXPECT_EQ(figures, figures_of(prediction));
  return lanes;
}

TEST(InFewLanes, FoldToTheNodesOfALeafOrPod) {
  EXPECT_EQ(lanes_on("kind: switch", 8), "lanes: 8 for 64 workers");
  EXPECT_EQ(lanes_on("kind: leaf-spine, nodes_per_leaf: 2", 8), "lanes: 16 for 64 workers");
  EXPECT_EQ(lanes_on("kind: fat-tree, nodes_per_leaf: 2, leaves_per_pod: 2", 8),
            "lanes: 32 for 64 workers");
  EXPECT_EQ(lanes_on("kind: leaf-spine, nodes_per_leaf: 3", 8), "lanes: 64 for 64 workers")
      << "the last leaf has fewer nodes";
}

// A timer that is not set is not late: this host's are by 50 us.
TEST(DelaysOfNothing, ChangeNothing) {
  for (const char* update :
       {"sync", "{kind: sync, accumulate: 2}", "{kind: local-sgd, every: 3}"}) {
    for (const char* aggregation : {"parameter-server", "{kind: allreduce, algorithm: ring}"}) {
      const auto figures = [&](const std::string& stragglers, bool by_events) {
        const std::string text =
            "name: p\nmachine: xe8545-a100\nworkers: 2\nsteps: 3\nwarmup: 0\nmodel: {kind: "
            "synthetic, compute: 10 ms, gradient: 1 MB}\naggregation: " +
            std::string(aggregation) + "\nupdate: " + update + "\n" + stragglers;
        const ExperimentPoint point = load_experiment_text("p.yaml", text, {}).points.front();
        Prediction prediction = make_prediction(point, nullptr);
        prediction.by_events = by_events;
        return simulate(prediction).iteration_mean.value();
      };
      const std::string nothing = "stragglers: {compute: {kind: constant, value: 0 s}}\n";
      const double without = figures("", false);
      EXPECT_EQ(figures(nothing, false), without) << aggregation << update;
      EXPECT_EQ(figures(nothing, true), without) << aggregation << update;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, InLanes, testing::Range(0U, 12U));

}  // namespace
}  // namespace paceline
