// SPDX-License-Identifier: MIT
// Nodes with NVSwitches, and networks in which ranks share links, run without events, and their
// figures are those of events; where copies meet on a link that is too narrow for them, by events.
#include "sim/lanes/shared_links.hpp"

#include <gtest/gtest.h>

#include "sim/simulate.hpp"
#include "tests/sim/figures_text.hpp"

namespace paceline {
namespace {

/// An all-reduce in training on `nodes` nodes of eight GPUs.
struct Clustered {
  std::string machine = "dgx-h100", network = "kind: switch", algorithm = "hierarchical";
  std::string others{};
  int nodes = 4;

  std::string text() const {
    const int each = machine == "dgx2-v100" ? 16 : machine == "xe8545-a100" ? 4 : 8;
    return "name: p\nbatch: 4\nsteps: 4\nwarmup: 1\nlayer_times: roofline\nworkers: " +
           std::to_string(each * nodes) + "\nmachine: {of: " + machine +
           ", count: " + std::to_string(nodes) + ", network: {link: infiniband-hdr, " + network +
           "}}\naggregation: {kind: allreduce, algorithm: " + algorithm + ", bucket: 1 MiB}\n" +
           (others.find("model:") == std::string::npos ? "model: mlp\n" : "") + others;
  }
};

/// How it was simulated; its figures must be those of events.
std::string simulated(const Clustered& one) {
  const ExperimentPoint point = load_experiment_text("p.yaml", one.text(), {}).points.front();
  Prediction prediction = make_prediction(point, nullptr);
  std::string how, figures[2];
  for (const bool by_events : {false, true}) {
    prediction.by_events = by_events;
    Counting counting = prediction.counting;
    counting.in_order = !by_events;
    Recorder recorder(counting);
    const std::string this_way = simulate_once(prediction, 0, recorder);
    if (!by_events) how = this_way;
    figures[by_events ? 1 : 0] = figures_text(recorder);
  }
  EXPECT_EQ(figures[0], figures[1]) << how << "\n" << one.text();
  return how;
}

const std::vector<std::string> kNetworks{"kind: switch", "kind: rails",
                                         "kind: leaf-spine, nodes_per_leaf: 2",
                                         "kind: fat-tree, nodes_per_leaf: 1, leaves_per_pod: 2"};

TEST(SharedLinksTest, EveryNodeAndNetworkHasTheTimesOfEvents) {
  for (const char* machine :
       {"dgx-h100", "hgx-b200", "dgx-a100", "dgx2-v100", "dgx1-p100", "xe8545-a100"}) {
    for (const std::string& network : kNetworks) {
      for (const char* algorithm : {"hierarchical", "rails"})
        simulated({.machine = machine, .network = network, .algorithm = algorithm});
    }
  }
}

// The uplinks of a leaf carry the rails of its last node together.
TEST(SharedLinksTest, NodesWithNvswitchesFoldToThoseOfALeaf) {
  for (const char* machine : {"dgx-h100", "hgx-b200"}) {
    for (const char* algorithm : {"hierarchical", "rails"}) {
      const auto how = [&](const std::string& network) {
        return simulated(
            {.machine = machine, .network = network, .algorithm = algorithm, .nodes = 8});
      };
      EXPECT_EQ(how("kind: switch"), "lanes: 8 for 64 workers") << machine << algorithm;
      EXPECT_EQ(how("kind: rails"), "lanes: 8 for 64 workers") << machine << algorithm;
      EXPECT_EQ(how("kind: leaf-spine, nodes_per_leaf: 2"), "lanes: 16 for 64 workers")
          << machine << algorithm;
    }
  }
}

// The rails of a node share an uplink that is too narrow for all of them.
TEST(SharedLinksTest, LinksThatAreTooNarrowNeedEvents) {
  EXPECT_EQ(simulated({.network = "kind: leaf-spine, nodes_per_leaf: 1, oversubscription: 4",
                       .algorithm = "rails"}),
            "events");
}

// The fifth of six ranks sends its sum to the first at once, while the third's is under way.
TEST(SharedLinksTest, SumsThatMeetNeedEvents) {
  EXPECT_EQ(simulated({.algorithm = "{kind: hierarchical, group: 6}", .nodes = 3}), "events");
  const std::string at_once =
      "model: {kind: synthetic, compute: 0 s, gradient: 40 MB, tensors: 20}\n";
  EXPECT_EQ(simulated({.others = at_once}), "events") << "the next bucket's meet the last sums";
}

TEST(SharedLinksTest, RandomDelaysHaveTheTimesOfEvents) {
  for (const std::string& network : kNetworks) {
    for (const char* delay :
         {"{kind: exponential, mean: 2 ms}", "{kind: uniform, low: 0 s, high: 3 us}"}) {
      for (const char* algorithm : {"hierarchical", "rails"}) {
        simulated({.network = network,
                   .algorithm = algorithm,
                   .others = std::string("stragglers: {compute: ") + delay + "}\n"});
      }
    }
  }
}

}  // namespace
}  // namespace paceline
