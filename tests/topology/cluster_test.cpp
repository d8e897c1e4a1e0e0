// SPDX-License-Identifier: MIT
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/drawing.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine machine_of(const std::string& yaml) {
  return load_machine(parse_yaml("m.yaml", yaml));
}

std::string error_of(const std::string& yaml) {
  try {
    machine_of(yaml);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

/// The vertices that a copy between two GPUs passes.
std::vector<std::string> way(const Machine& machine, int from, int to) {
  std::vector<std::string> names;
  for (const int link : machine.route(machine.gpu_vertex(from), machine.gpu_vertex(to)).links()) {
    names.push_back(machine.links()[static_cast<std::size_t>(link)].name);
  }
  return names;
}

TEST(Cluster, NumbersGpusAndSocketsThrough) {
  const Machine machine = machine_of("{of: dgx1-p100, count: 4, network: infiniband-edr}");
  EXPECT_EQ(machine.name(), "4 x dgx1-p100");
  EXPECT_EQ(machine.gpu_count(), 32);
  EXPECT_EQ(machine.computers(), 4);
  EXPECT_EQ(machine.computer_of(7), 0);
  EXPECT_EQ(machine.computer_of(8), 1);
  EXPECT_EQ(machine.computer_of(31), 3);
  EXPECT_EQ(machine.socket_of(31), 7);
  EXPECT_EQ(machine.host().sockets, 8);
  EXPECT_EQ(machine.host().cores, 160);
  EXPECT_TRUE(machine.find_vertex("n3.plx0"));
}

TEST(Cluster, OneTransferGetsAConnectionsRateAndNotTheLinks) {
  const auto rate = [](const std::string& network) {
    const Machine machine = machine_of("{of: dgx1-p100, count: 2, network: " + network + "}");
    return machine.bottleneck(machine.route(machine.gpu_vertex(0), machine.gpu_vertex(8))).value();
  };
  EXPECT_DOUBLE_EQ(rate("ethernet-10g"), 1.25e9 * 0.941);  // a connection fills it
  EXPECT_DOUBLE_EQ(rate("ethernet-100g"), 2.15e9);
  const std::string link = "kind: ethernet, bandwidth: 12.5 GB/s, source: test";
  EXPECT_DOUBLE_EQ(rate("{link: {" + link + ", connection: 3 GB/s}}"), 3e9);
  EXPECT_GT(rate("{link: {" + link + "}}"), 3e9);
}

TEST(Cluster, ANodesFileMayNameTheNetwork) {
  const auto kind = [](const std::string& text) {
    const Machine machine = machine_of(text);
    for (const LinkDirection& link : machine.links()) {
      if (joins_computers(link.kind)) return link.kind;
    }
    return LinkKind::memory;
  };
  EXPECT_EQ(kind("{of: p5, count: 2}"), LinkKind::efa);
  EXPECT_EQ(kind("{of: p5, count: 2, network: ethernet-100g}"), LinkKind::ethernet);
  EXPECT_EQ(kind("{of: {of: p5, cluster_network: roce-400g}, count: 2}"), LinkKind::roce);
  EXPECT_EQ(kind("{nodes: [{of: a3-mega, count: 1}, {of: p5, count: 1}]}"), LinkKind::tcpx);
}

TEST(Cluster, CopiesLeaveByTheNearestCard) {
  const Machine machine = machine_of("{of: dgx1-p100, count: 2, network: infiniband-edr}");
  EXPECT_THAT(way(machine, 2, 15),
              ElementsAre("gpu2->n0.plx1", "n0.plx1->n0.mlx5_1", "n0.mlx5_1->switch",
                          "switch->n1.mlx5_3", "n1.mlx5_3->n1.plx3", "n1.plx3->gpu15"));
  EXPECT_THAT(way(machine, 8, 9), ElementsAre("gpu8->gpu9"));  // NVLink
  EXPECT_TRUE(machine.peer_access(2, 15)) << "InfiniBand reads GPU memory";
  // the network's own rate; no share is lost to the host
  EXPECT_DOUBLE_EQ(
      machine.bottleneck(machine.route(machine.gpu_vertex(2), machine.gpu_vertex(15))).value(),
      12.5e9 * 0.97);
}

std::set<std::string> cards_of_pairs(const std::string& text, int gpus) {
  const Machine machine = machine_of(text);
  std::set<std::string> cards;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (const std::string& link : way(machine, gpu, gpus + gpu)) {
      if (link.ends_with("->switch") || link.find("->rail") != std::string::npos ||
          link.starts_with("switch->"))
        cards.insert(link);
    }
  }
  return cards;
}

// Two GPUs and two cards are below each PCI Express switch, eight in all; a card each, both ways.
TEST(Cluster, GpusWithTheSameCardsNearHaveThemInTurn) {
  EXPECT_EQ(cards_of_pairs("{of: dgx-h100, count: 2, network: infiniband-ndr}", 8).size(), 16U);
  EXPECT_EQ(cards_of_pairs("{of: dgx-a100, count: 2, network: infiniband-hdr}", 8).size(), 16U);
  EXPECT_EQ(
      cards_of_pairs("{of: dgx-a100, count: 2, network: {link: infiniband-hdr, kind: rails}}", 8)
          .size(),
      8U);
  EXPECT_EQ(cards_of_pairs("{of: dgx-a100, count: 2, network: {link: ethernet-100g, cards: 8}}", 8)
                .size(),
            16U)
      << "through memory";
  EXPECT_EQ(cards_of_pairs("{of: dgx1-v100, count: 2, network: infiniband-edr}", 8).size(), 8U);
}

TEST(Cluster, CopiesOverEthernetPassThroughMemory) {
  const std::string network = "{link: ethernet-25g, gpu_direct: ";
  const std::string nodes = "{of: dgx1-p100, count: 2, network: ";
  EXPECT_FALSE(machine_of(nodes + "ethernet-25g}").peer_access(0, 8));
  EXPECT_TRUE(machine_of(nodes + network + "true}}").peer_access(0, 8));
  EXPECT_FALSE(machine_of(nodes + network + "false}}").peer_access(0, 8));
}

TEST(Cluster, OfNodesWithoutCardsGetsThem) {
  const Machine machine = machine_of("{of: p2-8xlarge-k80, count: 8, network: ethernet-10g}");
  EXPECT_EQ(machine.gpu_count(), 64);
  EXPECT_TRUE(machine.find_vertex("n7.nic0"));
  EXPECT_FALSE(machine.find_vertex("n7.nic1"));
  const Machine two =
      machine_of("{of: p2-8xlarge-k80, count: 2, network: {link: ethernet-10g, cards: 2}}");
  EXPECT_TRUE(two.find_vertex("n1.nic1"));
}

BytesPerSecond capacity(const Machine& machine, const std::string& name) {
  for (const LinkDirection& link : machine.links()) {
    if (link.name == name) return link.capacity;
  }
  return {};
}

TEST(Cluster, OversubscribesItsLeaves) {
  const Machine machine = machine_of(
      "{of: dgx1-p100, count: 4, network: {kind: leaf-spine, link: infiniband-edr, nodes_per_leaf: "
      "2, oversubscription: 4}}");
  // two nodes of four cards
  EXPECT_DOUBLE_EQ(capacity(machine, "leaf1->spine").value(), 2 * 4 * 12.5e9 * 0.97 / 4);
  EXPECT_THAT(way(machine, 0, 8), testing::Not(testing::Contains("leaf0->spine")));
  EXPECT_THAT(way(machine, 0, 16), testing::IsSupersetOf({"leaf0->spine", "spine->leaf1"}));
}

TEST(Cluster, HasRails) {
  const Machine machine =
      machine_of("{of: dgx1-p100, count: 2, network: {kind: rails, link: infiniband-edr}}");
  EXPECT_THAT(way(machine, 2, 10), testing::Contains("rail1->n1.mlx5_1"));
  EXPECT_THAT(way(machine, 0, 10), testing::IsSupersetOf({"rail0->spine", "spine->rail1"}));
  EXPECT_DOUBLE_EQ(capacity(machine, "rail0->spine").value(), 2 * 12.5e9 * 0.97);
}

TEST(Cluster, HasPodsOfAFatTree) {
  const Machine machine = machine_of(
      "{of: dgx1-p100, count: 4, network: {kind: fat-tree, link: infiniband-edr, nodes_per_leaf: "
      "1, "
      "leaves_per_pod: 2, cards: 1}}");
  EXPECT_THAT(way(machine, 0, 8), testing::IsSupersetOf({"leaf0->pod0", "pod0->leaf1"}));
  EXPECT_THAT(way(machine, 0, 16), testing::IsSupersetOf({"pod0->core", "core->pod1"}));
  EXPECT_DOUBLE_EQ(capacity(machine, "pod0->core").value(), 2 * 12.5e9 * 0.97);
}

TEST(Cluster, RefusesFiguresOfSwitchesThatItHasNot) {
  const auto error = [](const std::string& network) {
    return error_of("{of: dgx1-p100, count: 4, network: {link: infiniband-edr, " + network + "}}");
  };
  EXPECT_THAT(error("oversubscription: 4"),
              HasSubstr("'oversubscription' has no effect on a network of kind 'switch' (leave it "
                        "out, or use leaf-spine, rails or fat-tree)"));
  EXPECT_THAT(
      error("kind: rails, nodes_per_leaf: 2"),
      HasSubstr("'nodes_per_leaf' has no effect on a network of kind 'rails' (leave it out, "
                "or use leaf-spine or fat-tree)"));
  EXPECT_THAT(
      error("kind: leaf-spine, leaves_per_pod: 2"),
      HasSubstr("'leaves_per_pod' has no effect on a network of kind 'leaf-spine' (leave it "
                "out, or use fat-tree)"));
  // what the program wrote has all keys
  EXPECT_NO_THROW(
      machine_of("{of: dgx1-p100, count: 4, network: {link: infiniband-edr, "
                 "nodes_per_leaf: 16, leaves_per_pod: 16, oversubscription: 1}}"));
}

TEST(Cluster, MixesNodes) {
  const Machine machine =
      machine_of("{nodes: [{of: dgx1-v100}, {of: az-2x-m60, count: 2}], network: roce-100g}");
  EXPECT_EQ(machine.name(), "1 x dgx1-v100 + 2 x az-2x-m60");
  EXPECT_THAT(machine.gpu(7).name, HasSubstr("V100"));
  EXPECT_THAT(machine.gpu(8).name, HasSubstr("M60"));
  EXPECT_EQ(machine.computer_of(machine.gpu_count() - 1), 2);
}

TEST(Cluster, KnowsWhetherItsGpusAreEqual) {
  EXPECT_TRUE(machine_of("{of: dgx1-v100, count: 64, network: roce-100g}").equal_gpus());
  EXPECT_FALSE(
      machine_of("{nodes: [{of: dgx1-v100}, {of: az-2x-m60}], network: roce-100g}").equal_gpus());
  EXPECT_FALSE(load_machine(Tree::scalar("7gforce")).equal_gpus());
  const auto card = [](const std::string& memory) {
    return "{model: {name: G, fp32: 10 TFLOP/s, memory: " + memory +
           ", memory_bandwidth: 500 GB/s, sms: 10, sources: {fp32: t, memory: t, "
           "memory_bandwidth: t, sms: t}}}";
  };
  const auto of_two = [&](const std::string& memory) {
    return machine_of(
        "{gpus: [" + card("8 GB") + ", " + card(memory) +
        "], host: {cores: 8, memory_bandwidth: 50 GB/s, sources: {cores: t, "
        "memory_bandwidth: t}}, link_types: {x8: {kind: pcie, bandwidth: 8 GB/s, source: test}}, "
        "links: [{type: x8, from: cpu0, to: [gpu0, gpu1]}]}");
  };
  EXPECT_TRUE(of_two("8 GB").equal_gpus());
  EXPECT_FALSE(of_two("16 GB").equal_gpus()) << "of one name";
}

TEST(Cluster, IsDrawnFolded) {
  const std::string text =
      to_text(machine_of("{of: dgx1-p100, count: 32, network: infiniband-edr}"));
  EXPECT_THAT(text, testing::StartsWith("32 x dgx1-p100: 32 nodes with 256 GPUs, switch of "
                                        "infiniband-edr; one node of each kind is drawn\n"));
  EXPECT_THAT(text, HasSubstr("gpu7"));
  EXPECT_THAT(text, testing::Not(HasSubstr("gpu8")));
}

// `of` without a network is no cluster: the machine, with the keys beside it.
TEST(Cluster, AMachineMayBeAnotherWithSomeKeysChanged) {
  const Machine box = load_machine(parse_yaml("m.yaml", "dgx-a100"));
  const Machine priced = load_machine(parse_yaml("m.yaml", "{of: dgx-a100, price: 2.75 USD/h}"));
  EXPECT_EQ(priced.price(2), DollarsPerHour{5.5});
  EXPECT_EQ(priced.name(), "dgx-a100 with price");
  EXPECT_EQ(priced.gpu_count(), box.gpu_count());
  EXPECT_EQ(priced.links().size(), box.links().size());
  const Machine same = load_machine(parse_yaml("m.yaml", "{of: dgx-a100}"));
  EXPECT_EQ(same.name(), "dgx-a100");
  EXPECT_EQ(same.price(1), box.price(1));
  // of a map within, only what is written changes; a change may be changed, and make a cluster
  const Machine host = load_machine(
      parse_yaml("m.yaml",
                 "{of: {of: {of: dgx-a100, host: {cores: 5}}, price: 1 USD/h}, count: 2, network: "
                 "infiniband-edr}"));
  EXPECT_EQ(host.computers(), 2);
  EXPECT_THAT(error_of("{of: dgx-a100, prise: 2 USD/h}"),
              HasSubstr("m.yaml:1:16: error: unknown key 'prise' (did you mean 'price'?"));
  EXPECT_THAT(error_of("{of: dgx-a10, price: 2 USD/h}"), HasSubstr("unknown machine 'dgx-a10'"));
}

TEST(Cluster, AGpuOrALinkMayBeAnotherWithSomeKeysChanged) {
  const Machine machine = machine_of(
      "{of: {of: dgx1-p100, gpus: [{model: {of: p100-sxm2, memory: 20 GB}, count: 8}]}, count: 2, "
      "network: {link: {of: infiniband-edr, bandwidth: 3 GB/s}}}");
  const Machine plain = machine_of("{of: dgx1-p100, count: 2, network: infiniband-edr}");
  EXPECT_EQ(machine.gpu(0).memory, Bytes{20e9});
  EXPECT_EQ(machine.gpu(0).fp32, plain.gpu(0).fp32);
  EXPECT_EQ(machine.links().size(), plain.links().size());
  const auto wire = [](const Machine& one) { return one.links()[one.links().size() - 1]; };
  EXPECT_EQ(wire(machine).capacity, BytesPerSecond{3e9 * wire(machine).efficiency});
  EXPECT_EQ(wire(machine).latency, wire(plain).latency);
  EXPECT_THAT(error_of("{of: dgx1-p100, gpus: [{model: {of: p100-sxm2, memry: 1 GB}}]}"),
              HasSubstr("m.yaml:1:48: error: unknown key 'memry' (did you mean 'memory'?"));
}

TEST(Cluster, RefusesWhatIsNone) {
  EXPECT_EQ(error_of("{of: dgx1-p100, count: 2}"),
            "m.yaml:1:1: error: missing key 'network' (a link's name, such as infiniband-edr)");
  EXPECT_EQ(
      error_of("{of: dgx1-p100, network: pcie3}"),
      "m.yaml:1:26: error: a network's link is of kind ethernet, roce, infiniband, omni-path, efa "
      "or tcpx");
  EXPECT_EQ(error_of("{of: dgx1-p100, network: {link: roce-25g, sharp: true}}"),
            "m.yaml:1:33: error: switches sum on InfiniBand only (leave 'sharp' out, or use an "
            "InfiniBand link)");
  EXPECT_THAT(error_of("{of: dgx1-p100, network: infiniband-none}"),
              HasSubstr("unknown link 'infiniband-none'"));
  EXPECT_EQ(error_of("{of: {of: dgx1-p100, network: roce-25g}, network: roce-25g}"),
            "m.yaml:1:6: error: a node is one computer, not a cluster");
  EXPECT_THAT(error_of("{of: dgx1-p100, network: roce-25g, peer_access: all}"),
              HasSubstr("'peer_access' is a node's, and this is a cluster"));
  EXPECT_THAT(error_of("{of: dgx1-p100, nodes: [{of: h200}], network: roce-25g}"),
              HasSubstr("give 'of' and 'count' for equal nodes, or 'nodes' for different ones"));
  EXPECT_THAT(error_of("{of: dgx1-p100, network: {link: roce-25g, cards: 9}}"),
              HasSubstr("'cards' is 9, and a node has 4"));
  EXPECT_THAT(error_of("{gpus: [{model: k80}], host: {cores: 1, memory_bandwidth: 1 GB/s}, links: "
                       "[], count: 2}"),
              HasSubstr("'count' is of a cluster: name its nodes' machine with 'of'"));
}

}  // namespace
}  // namespace paceline
