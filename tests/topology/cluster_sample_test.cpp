// SPDX-License-Identifier: MIT
// A cluster of which a few nodes are built is the same as one of which all are.
#include <map>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/cluster.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

/// The cluster with all its nodes.
Machine built_whole(const Tree& tree) {
  Diagnostics diagnostics;
  const ExpandedCluster all = expand_cluster(load_machine_spec(tree), Expanded::all, diagnostics);
  Machine machine = build_machine(all.spec, "whole", diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

std::string random_cluster(std::mt19937& random) {
  const auto one_of = [&](auto... items) {
    const std::vector<std::string> all{items...};
    return all[random() % all.size()];
  };
  const auto up_to = [&](int most) { return std::to_string(1 + random() % most); };
  std::string text = "{nodes: [";
  for (auto runs = 1 + random() % 3; runs > 0; --runs) {
    text += "{of: " + one_of("dgx1-p100", "dgx1-v100", "az-2x-m60", "p2-8xlarge-k80", "h200") +
            ", count: " + up_to(7) + (runs > 1 ? "}, " : "}");
  }
  const std::string over = ", oversubscription: " + up_to(2);
  const std::string leaves = over + ", nodes_per_leaf: " + up_to(4);
  return text + "], network: {kind: " +
         one_of("switch", "rails" + over, "leaf-spine" + leaves,
                "fat-tree" + leaves + ", leaves_per_pod: " + up_to(3)) +
         ", link: " + one_of("infiniband-edr", "ethernet-10g", "roce-100g") +
         ", cards: " + std::to_string(random() % 2) + "}}";
}

void expect_equal(const Leg& one, const Leg& other) {
  EXPECT_EQ(one.links, other.links);
  EXPECT_EQ(one.latency.value(), other.latency.value());
  EXPECT_EQ(one.limit.value(), other.limit.value());
}

void expect_equal(const LinkDirection& one, const LinkDirection& other) {
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.capacity.value(), other.capacity.value());
  EXPECT_EQ(one.latency.value(), other.latency.value());
  EXPECT_EQ(one.from, other.from);
  EXPECT_EQ(one.to, other.to);
  EXPECT_EQ(one.half_duplex, other.half_duplex);
  EXPECT_EQ(one.source, other.source);
}

using Classes = std::map<std::uint64_t, Route>;

void expect_equal_routes(const Machine& sampled, const Machine& whole, int from, int to,
                         Classes& classes) {
  SCOPED_TRACE(whole.vertices()[static_cast<std::size_t>(from)].name + " to " +
               whole.vertices()[static_cast<std::size_t>(to)].name);
  const Route one = sampled.route(from, to), other = whole.route(from, to);
  const auto [alike, fresh] = classes.try_emplace(sampled.route_class(from, to), one);
  EXPECT_EQ(one.latency().value(), alike->second.latency().value());
  EXPECT_EQ(sampled.bottleneck(one).value(), sampled.bottleneck(alike->second).value());
  EXPECT_EQ(one.staged, other.staged);
  EXPECT_EQ(sampled.bottleneck(one).value(), whole.bottleneck(other).value());
  ASSERT_EQ(one.legs.size(), other.legs.size());
  for (std::size_t leg = 0; leg < one.legs.size(); ++leg)
    expect_equal(one.legs[leg], other.legs[leg]);
}

class ClusterSampleTest : public testing::TestWithParam<unsigned> {};

TEST_P(ClusterSampleTest, IsTheWholeCluster) {
  std::mt19937 random(GetParam());
  const std::string text = random_cluster(random);
  SCOPED_TRACE(text);
  const Tree tree = parse_yaml("m.yaml", text);
  const Machine sampled = load_machine(tree), whole = built_whole(tree);

  ASSERT_EQ(sampled.vertices().size(), whole.vertices().size());
  for (std::size_t v = 0; v < whole.vertices().size(); ++v) {
    EXPECT_EQ(sampled.vertices()[v].name, whole.vertices()[v].name);
    EXPECT_EQ(sampled.kind_of(static_cast<int>(v)), whole.kind_of(static_cast<int>(v)));
  }
  ASSERT_EQ(sampled.links().size(), whole.links().size());
  for (std::size_t link = 0; link < whole.links().size(); ++link)
    expect_equal(sampled.links()[link], whole.links()[link]);

  ASSERT_EQ(sampled.gpu_count(), whole.gpu_count());
  for (int gpu = 0; gpu < whole.gpu_count(); ++gpu) {
    EXPECT_EQ(sampled.gpu(gpu).name, whole.gpu(gpu).name);
    EXPECT_EQ(sampled.socket_of(gpu), whole.socket_of(gpu));
    EXPECT_EQ(sampled.gpu_vertex(gpu), whole.gpu_vertex(gpu));
  }
  EXPECT_EQ(sampled.host().sockets, whole.host().sockets);
  EXPECT_EQ(sampled.host().cores, whole.host().cores);
  EXPECT_DOUBLE_EQ(sampled.host().memory_bandwidth.value(), whole.host().memory_bandwidth.value());

  const auto ends = static_cast<unsigned>(whole.gpu_count() + whole.host().sockets);
  Classes classes;
  for (int pair = 0; pair < 2000; ++pair) {
    const auto from = static_cast<int>(random() % ends), to = static_cast<int>(random() % ends);
    expect_equal_routes(sampled, whole, from, to, classes);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, ClusterSampleTest, testing::Range(0U, 60U));

TEST(ClusterNumbering, RefusesNumbersBeyond30Bits) {
  const NodeRun run{
      .count = 262144, .gpus = 8, .sockets = 2, .devices = 8, .links = 4096, .cards = 1};
  EXPECT_THROW(ClusterNumbering({run}, NetworkSpec{}, 2), std::overflow_error);
  NodeRun half = run;
  half.links = 2048;
  EXPECT_NO_THROW(ClusterNumbering({half}, NetworkSpec{}, 2));
}

TEST(ClusterSample, OfAMillionGpusIsBuiltAtOnce) {
  const Machine machine = load_machine(
      parse_yaml("m.yaml",
                 "{of: dgx1-p100, count: 131072, network: {kind: fat-tree, link: infiniband-edr, "
                 "nodes_per_leaf: 32, leaves_per_pod: 64}}"));
  EXPECT_EQ(machine.gpu_count(), 1048576);
  EXPECT_EQ(machine.computers(), 131072);
  EXPECT_EQ(machine.computer_of(1048575), 131071);
  EXPECT_EQ(machine.socket_of(1048575), 262143);
  EXPECT_EQ(machine.vertices()[1048575].name, "gpu1048575");
  std::string way;
  for (const int link : machine.route(0, 1048575).links())
    way += machine.links()[static_cast<std::size_t>(link)].name + " ";
  EXPECT_EQ(way,
            "gpu0->n0.plx0 n0.plx0->n0.mlx5_0 n0.mlx5_0->leaf0 leaf0->pod0 pod0->core "
            "core->pod63 pod63->leaf4095 leaf4095->n131071.mlx5_3 n131071.mlx5_3->n131071.plx3 "
            "n131071.plx3->gpu1048575 ");
}

}  // namespace
}  // namespace paceline
