// SPDX-License-Identifier: MIT
// hwloc, InfraGraph and ASTRA-sim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Hwloc, topology_of_a_dgx2_has_its_switches_and_nvswitches) {
  const Machine machine = imported_sample("hwloc/dgx2h_hwloc.xml");
  EXPECT_EQ(machine.gpu_count(), 16);
  EXPECT_EQ(machine.gpu(0).name, "Tesla V100 SXM3 32 GB");
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_EQ(machine.host().cores, 48);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU15"), "NV6");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_1"), "PIX");  // NVIDIA's guide: a card for two GPUs
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_2"), "PXB");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_3"), "NODE");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_7"), "SYS");
  EXPECT_EQ(machine.socket_of(7), 0);
  EXPECT_EQ(machine.socket_of(8), 1);
}

TEST(Hwloc, display_of_the_board_is_no_gpu) {
  const ImportedMachine imported = import_topology("f", sample("hwloc/supermicro_hwloc.xml"), {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 1);
  EXPECT_EQ(machine.socket_of(0), 1);
  EXPECT_THAT(testing::PrintToString(imported.notes),
              HasSubstr("'NVIDIA RTX 4000 Ada Generation' has no preset of its own"));
  EXPECT_TRUE(machine.find_vertex("mlx5_1").has_value());
}

TEST(Hwloc, host_is_as_new_as_its_fastest_link) {
  // the GPU has no preset and shows the speed of an idle card; a network card is of gen4
  const ImportedMachine imported = import_topology("f", sample("hwloc/supermicro_hwloc.xml"), {});
  EXPECT_NEAR(imported.spec.host.memory_bandwidth.value(), 204.8e9, 1);
  const std::string notes = testing::PrintToString(imported.notes);
  EXPECT_THAT(notes, HasSubstr("assumed p100-pcie"));
  EXPECT_THAT(notes, Not(HasSubstr("one with PCIe as fast")));
}

TEST(Hwloc, link_of_the_second_generation_is_no_unknown_one) {
  const std::string file =
      "<topology version='2.0'><object type='Machine'><object type='Package'>"
      "<object type='Bridge' bridge_type='0-1'><object type='PCIDev' pci_busid='0000:01:00.0' "
      "pci_type='0302 [10de:1db1] [0:0] a1' gp_index='1' pci_link_speed='9.846154'/></object>"
      "</object></object></topology>";
  const ImportedMachine imported = import_topology("f", file, {});
  const LinkTypeSpec& link = imported.spec.link_types.at("pcie2-x16");
  EXPECT_NEAR(link.bandwidth.value(), 8e9, 1);
  EXPECT_THAT(link.source, testing::StartsWith("x16, as an hwloc topology says"));
  EXPECT_THAT(testing::PrintToString(imported.notes), Not(HasSubstr("speed of")));
}

TEST(Hwloc, distances_must_be_square) {
  const std::string file =
      "<topology version='2.0'><object type='Machine'><object type='PCIDev' "
      "pci_type='0302 [10de:1db1] [0:0] a1' gp_index='1'/></object>\n"
      "<distances2hetero name='NVLinkBandwidth'><indexes>PCIDev:1 PCIDev:2</indexes>"
      "<u64values>0 1 2</u64values></distances2hetero></topology>";
  EXPECT_THAT(import_error(file),
              HasSubstr("file:2:1: error: NVLinkBandwidth has 3 values for 2 objects"));
}

TEST(InfraGraph, device_is_a_machine_with_the_cards_in_its_slots) {
  const Machine machine = imported_sample("other/dgxa100.yaml");
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_EQ(machine.host().sockets, 2);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(matrix.rows.size(), 16U);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU7"), "NV8");  // a connection to each of the 8 that it lists
  EXPECT_EQ(cell(matrix, "GPU0", "nic0"), "PIX");
  EXPECT_EQ(machine.socket_of(0), 0);
  EXPECT_EQ(machine.socket_of(4), 1);
}

constexpr const char* kDevice =
    "devices:\n- name: a\n  components:\n  - {name: cpu, type: cpu}\n"
    "  - {name: xpu, type: xpu, count: 2}\n  - {name: sw, type: custom}\n  links:\n";

TEST(InfraGraph, sockets_are_joined_as_the_file_says) {
  const ImportedMachine dgx = import_topology("f", sample("other/dgxa100.yaml"), {});
  ASSERT_TRUE(dgx.spec.link_types.contains("infinity-fabric"));  // what its description says
  EXPECT_FALSE(dgx.spec.link_types.contains("upi"));
  EXPECT_THAT(dgx.spec.link_types.at("infinity-fabric").source,
              testing::StartsWith("which: as an InfraGraph device says; figures assumed: "));
  EXPECT_THAT(dgx.notes, testing::Contains("sockets: 2, joined as an InfraGraph device says; "
                                           "figures of infinity-fabric links assumed"));
  const auto joint = std::find_if(dgx.spec.links.begin(), dgx.spec.links.end(),
                                  [](const auto& l) { return l.type.text == "infinity-fabric"; });
  ASSERT_NE(joint, dgx.spec.links.end());
  EXPECT_EQ(joint->count, 1);

  const std::string text = std::string(kDevice) +
                           "  - {name: smp, bandwidth: {giga_bytes_per_second: 50}}\n"
                           "  connections: [cpu.0.smp.cpu.1, cpu.1.smp.cpu.0, cpu.0.p.xpu.0]\n";
  const ImportedMachine own = import_topology("f", text, {"a100-sxm4", 0});
  EXPECT_NEAR(own.spec.link_types.at("upi").bandwidth.value(), 50e9, 1);
  EXPECT_THAT(own.spec.link_types.at("upi").source,
              testing::StartsWith("as an InfraGraph device says; the rest assumed, as upi: "));
  EXPECT_EQ(written_and_read(own).host().sockets, 2);
  EXPECT_EQ(own.spec.links.front().count, 2);
}

TEST(InfraGraph, links_have_the_rates_of_the_file) {
  const std::string text = std::string(kDevice) +
                           "  - {name: a, bandwidth: {giga_bytes_per_second: 31.5077}}\n"
                           "  - {name: b, bandwidth: {giga_transfers_per_second: 8}}\n"
                           "  - {name: c, bandwidth: {gigabytes_per_second: 12.3}}\n"
                           "  connections: [cpu.0.a.xpu.0, cpu.0.b.sw.0, sw.0.c.xpu.1]\n";
  const ImportedMachine imported = import_topology("f", text, {"a100-sxm4", 0});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 2);
  EXPECT_NEAR(imported.spec.link_types.at("pcie4-x16").bandwidth.value(), 31.508e9, 1e6);
  EXPECT_NEAR(imported.spec.link_types.at("pcie3-x16").bandwidth.value(), 15.754e9, 1e6);
  EXPECT_THAT(imported.notes, testing::Contains("bandwidth of no PCIe link: left out: c"));
  EXPECT_THAT(imported.notes, testing::Contains(HasSubstr("speed of 1 PCIe link: not in")));
}

TEST(InfraGraph, mistakes_have_their_place) {
  const std::string head =
      "devices:\n- name: a\n  components:\n  - {name: cpu, type: cpu}\n  - {name: xpu, type: xpu}\n"
      "  connections:\n";
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpu\n"),
              HasSubstr("file:7:5: error: 'cpu.0.pcie.xpu' is not a connection such as"));
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpv.0\n"),
              HasSubstr("file:7:5: error: unknown component 'xpv' (did you mean 'xpu'?"));
  EXPECT_THAT(import_error(head + "  - xpu.0.pcie.xpu.1\n"),
              HasSubstr("error: no connection of the device begins at a CPU"));
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpu.0\n  - xpu.0.nvlink.xpu.1\n"),
              HasSubstr("file:8:5: error: 'xpu.1' has NVLinks, but no connection to a CPU"));
  const std::string counted = kDevice + std::string("  connections:\n  - cpu.0.pcie.xpu.0\n");
  EXPECT_THAT(import_error(counted + "  - cpu.0.pcie.xpu.5\n"),
              HasSubstr("file:10:5: error: there is no 'xpu.5': component 'xpu' has 'count: 2'"));
  EXPECT_THAT(import_error(counted + "  - sw.1.pcie.xpu.1\n"),
              HasSubstr("file:10:5: error: 'xpu.1' is not connected to a CPU"));
}

TEST(AstraSim, network_of_one_dimension_has_its_own_figures) {
  const Machine machine = imported_sample("other/HGX-H100-validated.yml");
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_EQ(machine.gpu(0).name, "H100 SXM5 80 GB");
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(5));
  EXPECT_NEAR(machine.bottleneck(route).value(), 400e9, 1);
  EXPECT_NEAR(route.latency().value(), 4.5e-6 + 2 * 936.25e-9, 1e-12);
}

TEST(AstraSim, rings_join_neighbours_alone) {
  const std::string text = "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n";
  const TopoMatrix matrix =
      matrix_of(written_and_read(import_topology("f", text, {"v100-sxm2", 0})));
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "NV1");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU3"), "NV1");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU2"), "PHB");
}

TEST(AstraSim, gpu_is_guessed_from_all_of_its_links) {
  const auto gpu = [](const std::string& kind, int count, const char* latency) {
    const std::string text = "topology: [" + kind + "]\nnpus_count: [" + std::to_string(count) +
                             "]\nbandwidth: [50]\nlatency: [" + latency + "]\n";
    return written_and_read(import_topology("f", text, {}));
  };
  EXPECT_EQ(gpu("Switch", 8, "500").gpu(0).name, "Tesla P100 SXM2 16 GB");  // 2 NVLinks' worth
  EXPECT_EQ(gpu("Ring", 3, "500").gpu(0).name, "Tesla P100 SXM2 16 GB");    // 4
  EXPECT_EQ(gpu("FullyConnected", 4, "500").gpu(0).name, "Tesla V100 SXM2 16 GB");  // 6
  const Machine eight = gpu("FullyConnected", 8, "0");                              // 14
  EXPECT_EQ(eight.gpu(0).name, "H100 SXM5 80 GB");
  const TopoMatrix matrix = matrix_of(eight);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(cell(matrix, "GPU0", "GPU" + std::to_string(i)), "NV1");
  const Route route = eight.route(eight.gpu_vertex(0), eight.gpu_vertex(7));
  EXPECT_NEAR(eight.bottleneck(route).value(), 50e9, 1);
  EXPECT_NEAR(route.latency().value(), 4.5e-6, 1e-12);  // of the copy; the links have none
  EXPECT_THAT(eight.links()[static_cast<std::size_t>(route.links().front())].source,
              HasSubstr("a link is all NVLinks of a pair of GPUs"));
}

TEST(AstraSim, mistakes_have_their_place) {
  const auto error = [](const std::string& kind, const std::string& count,
                        const std::string& bandwidth) {
    return import_error("topology: [" + kind + "]\nnpus_count: [" + count + "]\nbandwidth: [" +
                        bandwidth + "]\nlatency: [1]\n");
  };
  EXPECT_THAT(error("Swich", "8", "1"),
              HasSubstr("file:1:12: error: unknown topology 'Swich' (did you mean 'Switch'?"));
  EXPECT_THAT(error("Switch", "1000000", "1"),
              HasSubstr("file:2:14: error: 'npus_count' must be a whole number up to 256"));
  EXPECT_THAT(error("Switch", "8", "tbd"),
              HasSubstr("file:3:13: error: 'bandwidth' is 'tbd', expected a number > 0"));
  EXPECT_THAT(error("Switch", "8", "0"),
              HasSubstr("file:3:13: error: 'bandwidth' is '0', expected a number > 0"));
  EXPECT_THAT(import_error("topology: [Ring]\nnpus_count: [2]\nbandwidth: [1]\nlatency: [-1]\n"),
              HasSubstr("file:4:11: error: 'latency' is '-1', expected a number >= 0"));
}

}  // namespace
}  // namespace paceline
