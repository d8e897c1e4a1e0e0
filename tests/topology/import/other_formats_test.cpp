// SPDX-License-Identifier: MIT
// hwloc, InfraGraph and ASTRA-sim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

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

TEST(InfraGraph, mistakes_have_their_place) {
  const std::string head =
      "devices:\n- name: a\n  components:\n  - {name: cpu, type: cpu}\n  - {name: xpu, type: xpu}\n"
      "  connections:\n";
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpu\n"),
              HasSubstr("file:7:5: error: 'cpu.0.pcie.xpu' is no connection such as"));
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpv.0\n"),
              HasSubstr("file:7:5: error: unknown component 'xpv' (did you mean 'xpu'?"));
  EXPECT_THAT(import_error(head + "  - xpu.0.pcie.xpu.1\n"),
              HasSubstr("error: no connection of the device begins at a CPU"));
  EXPECT_THAT(import_error(head + "  - cpu.0.pcie.xpu.0\n  - xpu.0.nvlink.xpu.1\n"),
              HasSubstr("file:8:5: error: 'xpu.1' has NVLinks, but no way to a CPU"));
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
              HasSubstr("file:3:13: error: 'bandwidth' is 'tbd', which is no number above 0"));
}

}  // namespace
}  // namespace paceline
