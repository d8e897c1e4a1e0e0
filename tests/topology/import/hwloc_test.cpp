// SPDX-License-Identifier: MIT
// Topologies of hwloc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Hwloc, topology_of_a_dgx2_has_its_switches_and_nvswitches) {
  const Machine machine = imported_sample("hwloc/dgx2h.xml");
  EXPECT_EQ(machine.gpu_count(), 16);
  EXPECT_EQ(machine.gpu(0).name, "Tesla V100 SXM3 32 GB");
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_EQ(machine.host().cores, 48);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU15"), "NV6");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_1"), "PIX");  // NVIDIA's guide: one card per two GPUs
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_2"), "PXB");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_3"), "NODE");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_7"), "SYS");
  EXPECT_EQ(cell(matrix, "GPU15", "mlx5_9"), "PIX");
  EXPECT_EQ(cell(matrix, "GPU8", "mlx5_5"), "NODE");
  EXPECT_EQ(machine.socket_of(7), 0);
  EXPECT_EQ(machine.socket_of(8), 1);
}

TEST(Hwloc, display_of_the_board_is_no_gpu) {
  const ImportedMachine imported = import_topology("f", sample("hwloc/workstation.xml"), {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 1);
  EXPECT_EQ(machine.socket_of(0), 1);
  EXPECT_THAT(testing::PrintToString(imported.notes),
              HasSubstr("'NVIDIA RTX 4000 Ada Generation' has no preset of its own"));
  EXPECT_TRUE(machine.find_vertex("mlx5_1").has_value());
}

TEST(Hwloc, host_is_as_new_as_its_fastest_link) {
  // the GPU has no preset and shows the rate of an idle card; a network card is gen4
  const ImportedMachine imported = import_topology("f", sample("hwloc/workstation.xml"), {});
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

// A table that names a network card too.
TEST(Hwloc, nvlinks_are_those_of_gpus) {
  const std::string file =
      "<topology version='2.0'><object type='Machine'>"
      "<object type='PCIDev' pci_type='0302 [10de:1db1] [0:0] a1' gp_index='1'/>"
      "<object type='PCIDev' pci_type='0302 [10de:1db1] [0:0] a1' gp_index='2'/>"
      "<object type='PCIDev' pci_type='0207 [15b3:1017] [0:0] 00' gp_index='3'/></object>"
      "<distances2hetero name='NVLinkBandwidth'><indexes>PCIDev:1 PCIDev:2 PCIDev:3</indexes>"
      "<u64values>0 50000 25000 50000 0 25000 25000 25000 0</u64values></distances2hetero>"
      "</topology>";
  const Machine machine = written_and_read(import_topology("f", file, {}));
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "NV2");
  ASSERT_EQ(matrix.rows.size(), 3U);
  EXPECT_EQ(cell(matrix, "GPU0", matrix.rows[2].label), "PHB");
}

// An experiment finds that there is no GPU when it runs; drawings and servers need none.
TEST(Hwloc, topology_without_gpus_is_a_host_alone) {
  const std::string file =
      "<topology version='2.0'><object type='Machine'><object type='Package'><object type='Core'/>"
      "<object type='Core'/></object><object type='Package'><object type='Core'/></object></object>"
      "</topology>";
  const ImportedMachine imported = import_topology("f", file, {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 0);
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_THAT(imported.notes, testing::Contains(HasSubstr("GPUs: none in the source")));
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

}  // namespace
}  // namespace paceline
