// SPDX-License-Identifier: MIT
#include "training/profile/measured_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/profile/measured_profile.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

std::string name_of(int gpu) {
  return "gpu" + std::to_string(gpu);
}

/// Joins every two GPUs by copies of `bandwidth` bytes per second.
void join_peers(Profile& profile, double bandwidth, bool staged = false) {
  const int gpus = static_cast<int>(profile.gpus.size());
  for (int a = 0; a < gpus; ++a) {
    for (int b = 0; b < gpus; ++b) {
      if (a == b) continue;
      profile.links.push_back(measured_link(name_of(a), name_of(b), 11e-6, bandwidth));
      profile.links.back().staged = staged;
    }
  }
}

Seconds time_of(const Machine& machine, int from, int to, Bytes size) {
  const Route route = machine.route(from, to);
  return route.latency() + size / machine.bottleneck(route);
}

TEST(MeasuredMachineTest, CopiesTakeWhatTheyTook) {
  const Machine machine = measured_machine(measured_profile(1));
  EXPECT_EQ(machine.gpu(0).name, "H200 SXM 141 GB");
  const int host = machine.host_vertex(0);
  const int gpu = machine.gpu_vertex(0);
  // The bandwidths are exact, the latencies are the mean of both directions.
  EXPECT_NEAR(machine.bottleneck(machine.route(host, gpu)).value(), 50e9, 1e3);
  EXPECT_NEAR(machine.bottleneck(machine.route(gpu, host)).value(), 40e9, 1e3);
  EXPECT_NEAR(machine.route(host, gpu).latency().value(), 11e-6, 1e-10);
  EXPECT_NEAR(time_of(machine, host, gpu, Bytes{1e9}).value(), 0.02, 1e-4);
  EXPECT_EQ(machine.host().dispatch, Seconds{2e-6});
  EXPECT_EQ(machine.host().decision_latency, Seconds{9e-6});
}

TEST(MeasuredMachineTest, ItsFileReadsBackAndSaysWhereItsFiguresAreFrom) {
  const MachineSpec spec = measured_machine_spec(measured_profile(2), "abacus, 8 cores");
  const Tree tree = write_keys(spec);
  const Machine machine = load_machine(tree);
  EXPECT_EQ(machine.fingerprint(), "abacus, 8 cores");
  EXPECT_EQ(machine.gpu_count(), 2);
  ASSERT_TRUE(spec.link_types.contains("pcie"));
  EXPECT_EQ(spec.link_types.at("pcie").source,
            "measured by paceline calibrate on 2026-03-01T10:00:00Z, driver of CUDA 13.0");
  EXPECT_EQ(spec.link_types.size(), 1U) << "two links with the same figures are of one kind";
}

TEST(MeasuredMachineTest, TheoryIsTheBandwidthAndTheRestEfficiency) {
  Profile profile = measured_profile(1);
  profile.links[0].theory = BytesPerSecond{62.5e9};
  profile.links[0].theory_source = "PCIe 5.0 x16";
  const LinkTypeSpec type = measured_machine_spec(profile, "").link_types.at("pcie");
  EXPECT_EQ(type.bandwidth, BytesPerSecond{62.5e9});
  EXPECT_NEAR(type.efficiency.fraction, 0.8, 1e-6);
  EXPECT_THAT(type.source, testing::HasSubstr("PCIe 5.0 x16"));
}

TEST(MeasuredMachineTest, FastPeersHaveLinksOfTheirOwn) {
  Profile profile = measured_profile(2);
  join_peers(profile, 200e9);
  const Machine machine = measured_machine(profile);
  EXPECT_TRUE(machine.peer_access(0, 1));
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(1));
  EXPECT_FALSE(route.staged);
  EXPECT_NEAR(machine.bottleneck(route).value(), 200e9, 1e4);
  EXPECT_EQ(machine.links()[static_cast<std::size_t>(route.links().front())].kind,
            LinkKind::nvlink);
}

TEST(MeasuredMachineTest, ManyFastPeersAreBehindASwitch) {
  Profile profile = measured_profile(8);
  join_peers(profile, 300e9);
  const Machine machine = measured_machine(profile);
  ASSERT_TRUE(machine.find_vertex("nvswitch0"));
  const Route route = machine.route(machine.gpu_vertex(2), machine.gpu_vertex(7));
  EXPECT_EQ(route.links().size(), 2U);
  EXPECT_NEAR(machine.bottleneck(route).value(), 300e9, 1e4);
}

TEST(MeasuredMachineTest, PeersOverPcieHaveNone) {
  Profile profile = measured_profile(2);
  join_peers(profile, 45e9);
  const Machine direct = measured_machine(profile);
  EXPECT_TRUE(direct.peer_access(0, 1));
  EXPECT_EQ(direct.route(direct.gpu_vertex(0), direct.gpu_vertex(1)).links().size(), 2U);
  for (LinkProfile& link : profile.links) link.staged = link.from != "host" && link.to != "host";
  EXPECT_FALSE(measured_machine(profile).peer_access(0, 1));
}

TEST(MeasuredMachineTest, GpusThatShareAWayToTheHostAreBehindABridge) {
  Profile profile = measured_profile(4);
  for (int gpu = 0; gpu < 4; ++gpu) {
    profile.links.push_back(measured_link("host", name_of(gpu), 10e-6, 20e9));
    profile.links.back().at_once = 4;
  }
  const Machine machine = measured_machine(profile);
  ASSERT_TRUE(machine.find_vertex("root"));
  const auto shared = machine.route(machine.host_vertex(0), machine.gpu_vertex(3)).links().front();
  EXPECT_NEAR(machine.links()[static_cast<std::size_t>(shared)].capacity.value(), 80e9, 1e4);
  EXPECT_FALSE(measured_machine(measured_profile(4)).find_vertex("root"));
}

TEST(MeasuredMachineTest, AGpuWithoutAFileIsDescribed) {
  Profile profile = measured_profile(1);
  profile.gpus[0].name = "NVIDIA Novelty";
  profile.gpus[0].preset = "";
  const Machine machine = measured_machine(profile);
  EXPECT_EQ(machine.gpu(0).name, "NVIDIA Novelty");
  EXPECT_EQ(machine.gpu(0).sms, 132);
  EXPECT_EQ(machine.gpu(0).memory_bandwidth, BytesPerSecond{4e12}) << "twice its copies";
}

TEST(MeasuredMachineTest, NeedsLinksOfEveryGpu) {
  Profile profile = measured_profile(2);
  EXPECT_TRUE(has_links(profile));
  profile.links.pop_back();
  EXPECT_FALSE(has_links(profile));
}

TEST(MeasuredMachineTest, AHostAloneIsAMachineToo) {
  const MachineSpec spec = measured_machine_spec(measured_profile(0), "abacus, 8 cores");
  const Machine machine = load_machine(write_keys(spec));
  EXPECT_EQ(machine.gpu_count(), 0);
  EXPECT_EQ(machine.host().cores, 8);
}

}  // namespace
}  // namespace paceline
