// SPDX-License-Identifier: MIT
// Copies between GPUs without peer access share their computer's memory, whatever the links.
#include "topology/staging.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/import/assumed_host.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

/// Two sockets, each with two GPUs on links of 10 GB/s.
Machine machine_of(const std::string& rest, const std::string& model = "k80",
                   const std::string& memory = "50 GB/s") {
  return load_machine(
      parse_yaml("staging.yaml", "gpus: [{model: " + model +
                                     ", count: 4}]\n"
                                     "host: {sockets: 2, cores: 1, memory_bandwidth: " +
                                     memory +
                                     "}\n"
                                     "link_types:\n"
                                     "  pcie: {kind: pcie, bandwidth: 10 GB/s, source: test}\n"
                                     "  qpi: {kind: qpi, bandwidth: 10 GB/s, source: test}\n"
                                     "links:\n"
                                     "  - {type: pcie, from: cpu0, to: [gpu0, gpu1]}\n"
                                     "  - {type: pcie, from: cpu1, to: [gpu2, gpu3]}\n"
                                     "  - {type: qpi, from: cpu0, to: [cpu1]}\n" +
                                     rest));
}

LinkDirection memory_of(const Machine& machine, int from, int to) {
  for (const int id : machine.route(from, to).links()) {
    const LinkDirection link = machine.links()[static_cast<std::size_t>(id)];
    if (link.kind == LinkKind::memory) return link;
  }
  ADD_FAILURE() << "no host memory between " << from << " and " << to;
  return {};
}

TEST(Staging, all_copies_of_a_computer_cross_one_memory) {
  const Machine machine =
      machine_of("peer_access: none\ncopies: {staging_bandwidth: 6 GB/s, staging_limit: 4 GB/s}\n");
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      const LinkDirection memory = memory_of(machine, from, to);
      EXPECT_EQ(memory.name, "cpu0 memory");
      EXPECT_EQ(memory.capacity, BytesPerSecond{6e9});
      EXPECT_EQ(machine.bottleneck(machine.route(from, to)), BytesPerSecond{4e9});
    }
  }
}

TEST(Staging, each_byte_passes_the_hosts_memory_twice) {
  const std::string fast =
      "peer_access: none\ncopies: {staging_bandwidth: 90 GB/s, staging_limit: 90 GB/s}\n";
  const Machine machine = machine_of(fast, "k80", "5 GB/s");
  EXPECT_EQ(memory_of(machine, 0, 1).capacity, BytesPerSecond{5e9}) << "two sockets of 5 GB/s";
}

TEST(Staging, is_assumed_by_the_slots_generation_where_a_machine_does_not_say) {
  for (const auto& [model, generation] : {std::pair{"k80", 3}, {"rtx4090", 4}}) {
    const CopiesSpec assumed = assumed_host(generation).copies;
    const auto staging = machine_of("peer_access: none\n", model).staging();
    ASSERT_TRUE(staging.has_value());
    EXPECT_TRUE(staging->assumed);
    EXPECT_EQ(staging->together, *assumed.staging_bandwidth);
    EXPECT_EQ(staging->each, *assumed.staging_limit);
  }
  EXPECT_FALSE(machine_of("peer_access: none\ncopies: {staging_bandwidth: 6 GB/s, "
                          "staging_limit: 4 GB/s}\n")
                   .staging()
                   ->assumed);
  EXPECT_FALSE(machine_of("peer_access: all\n").staging().has_value());
}

// The driver of these cards gives no peer access over PCIe; a machine may say otherwise.
TEST(Staging, gpus_say_whether_they_have_peer_access) {
  EXPECT_FALSE(machine_of("", "rtx4090").peer_access(0, 1));
  EXPECT_FALSE(machine_of("", "rtx3090").peer_access(0, 1));
  EXPECT_TRUE(machine_of("", "k80").peer_access(0, 1));
  EXPECT_TRUE(machine_of("peer_access: same-socket\n", "rtx4090").peer_access(0, 1));
}

// 80 % of the link for a direct copy through a socket; the staged one had 100 %.
TEST(Staging, is_never_faster_than_a_direct_copy) {
  const std::string copies =
      "copies: {peer_across_host: 80 %, staging_bandwidth: 90 GB/s, staging_limit: 90 GB/s}\n";
  const Machine direct = machine_of(copies + "peer_access: all\n");
  const Machine staged = machine_of(copies + "peer_access: none\n");
  EXPECT_EQ(direct.bottleneck(direct.route(0, 1)), BytesPerSecond{8e9});
  EXPECT_EQ(staged.bottleneck(staged.route(0, 1)), BytesPerSecond{8e9});
  EXPECT_GE(staged.route(0, 1).latency(), direct.route(0, 1).latency());
}

TEST(Staging, nodes_of_a_cluster_have_their_own_memories) {
  const Machine machine =
      load_machine(parse_yaml("nodes.yaml", "{of: gce-8x-k80, count: 6, network: ethernet-10g}"));
  EXPECT_EQ(memory_of(machine, 0, 5).name, memory_of(machine, 7, 1).name);
  EXPECT_EQ(memory_of(machine, 40, 45).name, "cpu10 memory");
  const std::vector<int> between = machine.route(0, 9).links();
  EXPECT_TRUE(std::ranges::none_of(between, [&](int link) {
    return machine.figures(link).kind == LinkKind::memory;
  })) << "the network binds these";
}

}  // namespace
}  // namespace paceline
