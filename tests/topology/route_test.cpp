// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const Machine& machine, const std::vector<int>& links) {
  std::vector<std::string> all;
  for (int id : links) all.push_back(machine.links()[static_cast<std::size_t>(id)].name);
  return all;
}

Route route(const Machine& machine, const std::string& from, const std::string& to) {
  return machine.route(machine.find_vertex(from).value(), machine.find_vertex(to).value());
}

Machine preset(const std::string& name) {
  return load_machine(Tree::scalar(name));
}

TEST(Route, nvlink_joins_neighbours_on_dgx1) {
  const Machine machine = preset("dgx1-p100");
  const Route across = route(machine, "gpu0", "gpu4");  // on the other socket, but one NVLink away
  EXPECT_FALSE(across.staged);
  EXPECT_THAT(names(machine, across.links()), ElementsAre("gpu0->gpu4"));
  EXPECT_THAT(names(machine, route(machine, "gpu3", "gpu2").links()), ElementsAre("gpu3->gpu2"));
  EXPECT_TRUE(machine.peer_access(0, 4));
}

TEST(Route, pair_without_nvlink_is_staged_through_the_sources_socket_on_dgx1) {
  const Machine machine = preset("dgx1-p100");
  const Route staged = route(machine, "gpu0", "gpu5");
  EXPECT_TRUE(staged.staged);
  ASSERT_EQ(staged.legs.size(), 2U);
  EXPECT_THAT(names(machine, staged.legs[0].links),
              ElementsAre("gpu0->plx0", "plx0->cpu0", "cpu0 memory"));
  EXPECT_THAT(names(machine, staged.legs[1].links),
              ElementsAre("cpu0->cpu1", "cpu1->plx2", "plx2->gpu5"));
  EXPECT_FALSE(machine.peer_access(0, 5));
}

TEST(Route, to_either_sockets_memory_on_dgx1) {
  const Machine machine = preset("dgx1-p100");
  EXPECT_EQ(machine.socket_of(0), 0);
  EXPECT_EQ(machine.socket_of(7), 1);
  EXPECT_THAT(names(machine, route(machine, "gpu0", "cpu0").links()),
              ElementsAre("gpu0->plx0", "plx0->cpu0"));
  EXPECT_THAT(names(machine, route(machine, "gpu0", "cpu1").links()),
              ElementsAre("gpu0->plx0", "plx0->cpu0", "cpu0->cpu1"));
  EXPECT_THAT(names(machine, route(machine, "cpu1", "gpu0").links()),
              ElementsAre("cpu1->cpu0", "cpu0->plx0", "plx0->gpu0"));
}

TEST(Route, bonded_links_have_the_bandwidth_of_all) {
  const Machine machine = preset("dgx1-v100");
  const double one = machine.bottleneck(route(machine, "gpu0", "gpu1")).value();
  const double two = machine.bottleneck(route(machine, "gpu0", "gpu3")).value();
  EXPECT_DOUBLE_EQ(two, 2 * one);
}

TEST(Route, every_gpu_pair_is_staged_on_az_2x_m60) {
  const Machine machine = preset("az-2x-m60");
  const Route staged = route(machine, "gpu0", "gpu1");
  EXPECT_TRUE(staged.staged);
  // The half-duplex link is one resource and is crossed in both directions.
  EXPECT_THAT(
      names(machine, staged.links()),
      ElementsAre("gpu0->board0", "cpu0<->board0", "cpu0 memory", "cpu0<->board0", "board0->gpu1"));
  EXPECT_EQ(staged.legs[0].links[1], staged.legs[1].links[0]);
}

TEST(Route, a_vertex_to_itself_crosses_nothing) {
  const Machine machine = preset("7gforce");
  const Route local = route(machine, "gpu0", "gpu0");
  EXPECT_TRUE(local.links().empty());
  EXPECT_EQ(local.latency(), Seconds{0});
  EXPECT_EQ(machine.bottleneck(local), Leg::kUnlimited);
}

/// Two paths from cpu0 to gpu0, over a and over b; each test chooses the link types.
Machine two_ways(const std::string& over_a, const std::string& over_b) {
  return load_machine(
      parse_yaml("two-ways.yaml",
                 "gpus: [{model: k80}]\n"
                 "host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
                 "vertices: [{kind: pcie-switch, names: [b, a]}]\n"
                 "link_types:\n"
                 "  slow: {kind: pcie, bandwidth: 1 GB/s, latency: 1 us, source: test}\n"
                 "  fast: {kind: pcie, bandwidth: 9 GB/s, latency: 1 us, source: test}\n"
                 "  late: {kind: pcie, bandwidth: 9 GB/s, latency: 3 us, source: test}\n"
                 "links:\n"
                 "  - {type: " +
                     over_b +
                     ", from: cpu0, to: [b]}\n"
                     "  - {type: " +
                     over_a +
                     ", from: cpu0, to: [a]}\n"
                     "  - {type: fast, from: gpu0, to: [a, b]}\n"));
}

TEST(TieBreak, least_latency_wins_over_bandwidth) {
  const Machine machine = two_ways("slow", "late");
  EXPECT_THAT(names(machine, route(machine, "cpu0", "gpu0").links()),
              ElementsAre("cpu0->a", "a->gpu0"));
}

TEST(TieBreak, then_bandwidth) {
  const Machine machine = two_ways("fast", "slow");
  EXPECT_THAT(names(machine, route(machine, "cpu0", "gpu0").links()),
              ElementsAre("cpu0->a", "a->gpu0"));
}

TEST(TieBreak, then_the_lowest_link_from_the_source_on) {
  const Machine machine = two_ways("fast", "fast");
  // cpu0->b is first in the file, although a->gpu0 has a lower id than b->gpu0
  EXPECT_THAT(names(machine, route(machine, "cpu0", "gpu0").links()),
              ElementsAre("cpu0->b", "b->gpu0"));
  EXPECT_THAT(names(machine, route(machine, "gpu0", "cpu0").links()),
              ElementsAre("gpu0->a", "a->cpu0"));
}

TEST(TieBreak, fewest_hops_before_the_lowest_link) {
  // Two hops at 1 GB/s cost as much as one at 0.5 GB/s.
  const Machine machine =
      load_machine(parse_yaml("hops.yaml",
                              "gpus: [{model: k80}]\n"
                              "host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
                              "vertices: [{kind: pcie-switch, names: [c]}]\n"
                              "link_types:\n"
                              "  wide: {kind: pcie, bandwidth: 1 GB/s, source: test}\n"
                              "  narrow: {kind: pcie, bandwidth: 0.5 GB/s, source: test}\n"
                              "links:\n"
                              "  - {type: wide, from: cpu0, to: [c]}\n"
                              "  - {type: wide, from: c, to: [gpu0]}\n"
                              "  - {type: narrow, from: cpu0, to: [gpu0]}\n"));
  EXPECT_THAT(names(machine, route(machine, "cpu0", "gpu0").links()), ElementsAre("cpu0->gpu0"));
}

TEST(Route, never_passes_through_a_gpu) {
  // gpu0 is linked to two sockets, which would make it the shortest path between them.
  const Machine machine = load_machine(
      parse_yaml("bridge.yaml",
                 "gpus: [{model: k80}]\n"
                 "host: {sockets: 2, cores: 1, memory_bandwidth: 50 GB/s}\n"
                 "link_types:\n"
                 "  fast: {kind: pcie, bandwidth: 9 GB/s, latency: 1 us, source: test}\n"
                 "  qpi: {kind: qpi, bandwidth: 9 GB/s, latency: 10 us, source: test}\n"
                 "links:\n"
                 "  - {type: fast, from: gpu0, to: [cpu0, cpu1]}\n"
                 "  - {type: qpi, from: cpu0, to: [cpu1]}\n"));
  EXPECT_THAT(names(machine, route(machine, "cpu0", "cpu1").links()), ElementsAre("cpu0->cpu1"));
}

TEST(Route, nvswitch_joins_gpus_and_nothing_else) {
  const Machine machine = load_machine(
      parse_yaml("nvswitch.yaml",
                 "gpus: [{model: k80, count: 2}]\n"
                 "host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
                 "vertices: [{kind: nvswitch, names: [nv]}]\n"
                 "link_types:\n"
                 "  pcie: {kind: pcie, bandwidth: 9 GB/s, source: test}\n"
                 "  nvlink: {kind: nvlink, bandwidth: 50 GB/s, latency: 1 us, source: test}\n"
                 "links:\n"
                 "  - {type: pcie, from: cpu0, to: [gpu0, gpu1]}\n"
                 "  - {type: nvlink, from: nv, to: [gpu0, gpu1]}\n"
                 "peer_access: nvlink\n"));
  EXPECT_THAT(names(machine, route(machine, "gpu0", "gpu1").links()),
              ElementsAre("gpu0->nv", "nv->gpu1"));
  EXPECT_THAT(names(machine, route(machine, "gpu0", "cpu0").links()), ElementsAre("gpu0->cpu0"));
}

TEST(PeerAccess, rules) {
  const std::string text =
      "gpus: [{model: k80, count: 4}]\n"
      "host: {sockets: 2, cores: 1, memory_bandwidth: 50 GB/s}\n"
      "vertices: [{kind: pcie-switch, names: [s]}]\n"
      "link_types:\n"
      "  pcie: {kind: pcie, bandwidth: 9 GB/s, source: test}\n"
      "  qpi: {kind: qpi, bandwidth: 9 GB/s, source: test}\n"
      "links:\n"
      "  - {type: pcie, from: cpu0, to: [s, gpu2]}\n"
      "  - {type: pcie, from: s, to: [gpu0, gpu1]}\n"
      "  - {type: pcie, from: cpu1, to: [gpu3]}\n"
      "  - {type: qpi, from: cpu0, to: [cpu1]}\n";
  const auto peers = [&](const std::string& rule) {  // 0-1 switch, 0-2 socket, 0-3 across
    const Machine machine = load_machine(parse_yaml("peers.yaml", text + rule));
    return std::vector<bool>{machine.peer_access(0, 1), machine.peer_access(0, 2),
                             machine.peer_access(0, 3)};
  };
  EXPECT_THAT(peers("peer_access: all\n"), ElementsAre(true, true, true));
  EXPECT_THAT(peers("peer_access: same-socket\n"), ElementsAre(true, true, false));
  EXPECT_THAT(peers("peer_access: same-switch\n"), ElementsAre(true, false, false));
  EXPECT_THAT(peers("peer_access: none\n"), ElementsAre(false, false, false));
  EXPECT_THAT(peers("peer_access: none\npeer_pairs: [[gpu3, gpu0]]\n"),
              ElementsAre(false, false, true));
}

TEST(Unbounded, ideal_machine_costs_nothing) {
  const Machine machine = ideal(1000);
  EXPECT_EQ(machine.gpu_count(), 1000);
  EXPECT_EQ(machine.worker_limit(), std::nullopt);
  const Route free = machine.route(machine.gpu_vertex(3), machine.gpu_vertex(999));
  EXPECT_TRUE(free.links().empty());
  EXPECT_EQ(free.latency(), Seconds{0});
  EXPECT_EQ(free.limit(), Leg::kUnlimited);
  EXPECT_EQ(machine.host().dispatch, Seconds{0});
}

TEST(Unbounded, copies_on_this_computer_share_its_memory) {
  const Machine machine = this_machine({.cpu_model = "A",
                                        .cores = 8,
                                        .copy_bandwidth = BytesPerSecond{9e9},
                                        .memory_bandwidth = BytesPerSecond{2e10},
                                        .copy_latency = Seconds{1e-6},
                                        .decision_latency = Seconds{5e-6},
                                        .operation_handling = Seconds{2e-6},
                                        .operation_work = Seconds{1e-6},
                                        .timer_error = Seconds{6e-5}});
  const Route copy = machine.route(machine.gpu_vertex(0), machine.host_vertex(0));
  EXPECT_THAT(names(machine, copy.links()), ElementsAre("memory"));
  EXPECT_EQ(copy.limit(), BytesPerSecond{9e9});
  EXPECT_EQ(copy.latency(), Seconds{1e-6});
  EXPECT_EQ(machine.host().cores, 8);
  EXPECT_EQ(machine.worker_limit(), std::nullopt);
}

}  // namespace
}  // namespace paceline
