// SPDX-License-Identifier: MIT
#include "topology/import/rocm_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A table of `gpus` GPUs with the same cell for all pairs.
std::string table(const std::string& title, int gpus, const std::string& cell,
                  const std::string& diagonal) {
  std::string text = "=== " + title + " ===\n      ";
  for (int i = 0; i < gpus; ++i) text += " GPU" + std::to_string(i);
  for (int i = 0; i < gpus; ++i) {
    text += "\nGPU" + std::to_string(i);
    for (int j = 0; j < gpus; ++j) text += "  " + (i == j ? diagonal : cell);
  }
  return text + "\n\n";
}

/// The output of `rocm-smi --showtopo` for GPUs of which each pair is alike, two on a NUMA node.
std::string showtopo(int gpus, const std::string& type, const std::string& hops) {
  std::string text = table("Weight between two GPUs", gpus, "15", "0") +
                     table("Hops between two GPUs", gpus, hops, "0") +
                     table("Link Type between two GPUs", gpus, type, "0") + "=== Numa Nodes ===\n";
  for (int i = 0; i < gpus; ++i) {
    const std::string gpu = "GPU[" + std::to_string(i) + "]\t\t: (Topology) Numa ";
    text += gpu + "Node: " + std::to_string(i / 2) + "\n" + gpu + "Affinity: 0\n";
  }
  return text + "=== End of ROCm SMI Log ===\n";
}

TEST(RocmTopology, has_xgmi_links_and_numa_nodes) {
  const ImportedMachine imported = import_topology("f", showtopo(4, "XGMI", "1"), {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 4);
  EXPECT_EQ(machine.gpu(0).name, "Instinct MI210");  // three links each
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_NE(machine.socket_of(0), machine.socket_of(2));
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU3"), "NV1");
  EXPECT_THAT(imported.notes, Contains(HasSubstr("how many links join two GPUs is not in the")));
  EXPECT_THAT(imported.notes, Contains(HasSubstr("put what `rocm-smi --showproductname` prints")));
  EXPECT_THAT(machine_yaml(imported, "By a test"), HasSubstr("infinity-fabric"));
}

TEST(RocmTopology, that_is_cut_off_in_the_numa_nodes_says_so) {
  std::string text = showtopo(4, "XGMI", "1");
  text.erase(text.find("GPU[3]"));
  EXPECT_THAT(import_topology("f", text, {}).notes,
              Contains("NUMA nodes of some GPUs: not in the source, assumed node 0"));
}

TEST(RocmTopology, of_eight_gpus_joined_to_each_other_has_those_with_seven_links) {
  const Machine machine = written_and_read(import_topology("f", showtopo(8, "XGMI", "1"), {}));
  EXPECT_EQ(machine.gpu(7).name, "Instinct MI300X");
  EXPECT_EQ(machine.host().sockets, 4);
}

TEST(RocmTopology, has_no_bond_over_pcie_or_several_hops) {
  for (const auto& [type, hops] : {std::pair("PCIE", "2"), std::pair("XGMI", "2")}) {
    SCOPED_TRACE(type);
    const ImportedMachine imported = import_topology("f", showtopo(4, type, hops), {});
    const Machine machine = written_and_read(imported);
    EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "PHB");
    EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU2"), "SYS");
    EXPECT_THAT(imported.notes, Not(Contains(HasSubstr("xGMI:"))));
  }
}

TEST(RocmTopology, has_the_gpus_that_the_text_above_names) {
  const auto model = [](const std::string& line) {
    return import_topology(
               "f",
               "GPU[0]\t\t: " + line + "\nGPU[1]\t\t: " + line + "\n" + showtopo(2, "XGMI", "1"),
               {})
        .spec.gpus[0]
        .model.text;
  };
  EXPECT_EQ(model("GFX Version: \t\tgfx90a"), "mi210");
  EXPECT_EQ(model("Card Series: \t\tAMD Instinct MI300X"), "mi300x");
}

TEST(RocmTopology, of_amd_smi_is_read_too) {
  const ImportedMachine imported =
      import_topology("f",
                      "HOPS TABLE:\n             0000:0c:00.0 0000:22:00.0\n"
                      "0000:0c:00.0 0            1\n0000:22:00.0 1            0\n\n"
                      "LINK TYPE TABLE:\n             0000:0c:00.0 0000:22:00.0\n"
                      "0000:0c:00.0 SELF         XGMI\n0000:22:00.0 XGMI         SELF\n",
                      {});
  EXPECT_EQ(cell(matrix_of(written_and_read(imported)), "GPU0", "GPU1"), "NV1");
  EXPECT_THAT(imported.notes,
              Contains("NUMA nodes: not in the source, assumed one socket for all GPUs"));
}

TEST(RocmTopology, that_is_damaged_is_refused_with_its_place) {
  const std::string title = "Link Type between two GPUs\n GPU0 GPU1\n";
  EXPECT_THAT(import_error(title + "GPU0 0 NVL\nGPU1 NVL 0\n"),
              HasSubstr("file:3:8: error: 'NVL' is not a type of link (known: XGMI, PCIE)"));
  EXPECT_THAT(import_error(title + "GPU0 0 XGMI\nGPU1 PCIE 0\n"),
              HasSubstr("file:3:8: error: 'XGMI' here, but 'PCIE' on line 4 for the same pair"));
  EXPECT_THAT(import_error(title + "GPU0 0 XGMI\nGPU2 PCIE 0\n"),
              HasSubstr("file:4:1: error: expected row 'GPU1' with 2 cells"));
  EXPECT_THAT(import_error(title + "GPU0 0 XGMI\n"),
              HasSubstr("file:1:1: error: the table has 2 columns and 1 rows"));
}

}  // namespace
}  // namespace paceline
