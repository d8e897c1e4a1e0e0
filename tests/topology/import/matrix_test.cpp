// SPDX-License-Identifier: MIT
// A matrix is converted to a tree, and the tree's matrix must equal the original.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> matrices() {
  std::vector<std::string> names;
  for (const std::string& name : sample_names()) {
    if (name.starts_with("matrix/")) names.push_back(name);
  }
  return names;
}

class MatrixSample : public testing::TestWithParam<std::string> {};

TEST_P(MatrixSample, comes_back_cell_by_cell) {
  const TopoMatrix matrix = read_matrix(GetParam(), sample(GetParam()));
  const Inventory inventory = inventory_of(matrix);
  const Machine machine = written_and_read(assemble(inventory, {}));
  const TopoMatrix again = matrix_of(machine);
  const std::vector<std::size_t> order = rows_in_machine(matrix, inventory);
  ASSERT_EQ(again.rows.size(), matrix.rows.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      const std::optional<MatrixCell>& read = matrix.rows[i].cells[j];
      if (!read) continue;
      ++known;
      EXPECT_EQ(to_string(*read), to_string(*again.rows[order[i]].cells[order[j]]))
          << matrix.rows[i].label << " " << matrix.rows[j].label;
    }
  }
  EXPECT_GE(known, 12U);
}

INSTANTIATE_TEST_SUITE_P(All, MatrixSample, testing::ValuesIn(matrices()),
                         [](const auto& row) { return as_test_name(row.param); });

std::vector<std::string> labels(const TopoMatrix& matrix) {
  std::vector<std::string> all;
  for (const TopoMatrix::Row& row : matrix.rows) all.push_back(row.label);
  return all;
}

TEST(Matrix, is_read_though_its_header_lost_its_tabs) {
  const TopoMatrix whole = read_matrix("a", sample("matrix/dgx1_p100.topo"));
  const TopoMatrix broken = read_matrix("b", sample("matrix/dgx1_p100_header_without_tabs.topo"));
  EXPECT_EQ(broken.text(), whole.text());
  EXPECT_TRUE(whole.old_legend);
  EXPECT_THAT(labels(whole), ElementsAre("GPU0", "GPU1", "GPU2", "GPU3", "GPU4", "GPU5", "GPU6",
                                         "GPU7", "mlx5_2", "mlx5_0", "mlx5_3", "mlx5_1"));
}

TEST(Matrix, is_read_with_the_escapes_of_a_terminal) {
  const TopoMatrix matrix = read_matrix("a", sample("matrix/7gforce_two_sockets.topo"));
  EXPECT_EQ(matrix.rows.size(), 7U);
  EXPECT_EQ(matrix.rows[0].label, "GPU0");
  EXPECT_EQ(matrix.rows[0].cpus, "0-7,16-23");
  EXPECT_EQ(cell(matrix, "GPU3", "GPU4"), "SYS");
}

TEST(Matrix, is_read_when_rows_go_on_on_the_next_line) {
  std::string wrapped;
  int words = 0;
  for (const char c : sample("matrix/pcie_8gpu_dual_socket.topo")) {
    const bool blank = c == ' ' && !wrapped.empty() && wrapped.back() != ' ';
    words = c == '\n' ? 0 : words + (blank ? 1 : 0);
    wrapped += blank && words == 6 ? '\n' : c;
  }
  const TopoMatrix whole = read_matrix("a", sample("matrix/pcie_8gpu_dual_socket.topo"));
  const TopoMatrix matrix = read_matrix("b", wrapped);
  EXPECT_EQ(matrix.text(), whole.text());
  EXPECT_EQ(matrix.rows[5].cpus, "16-31,48-63");
  EXPECT_EQ(matrix.rows[5].numa, "1");
}

TEST(Matrix, fills_missing_rows_in_by_symmetry_and_says_so) {
  const std::string text = sample("matrix/dgx1_p100.topo");
  const std::size_t begin = text.find("\nGPU3") + 1;
  std::string without = text;
  without.erase(begin, text.find('\n', begin) + 1 - begin);
  const TopoMatrix matrix = read_matrix("a", without);
  EXPECT_EQ(matrix.text(), read_matrix("b", text).text());
  EXPECT_THAT(matrix.notes, ElementsAre("rows that are missing were filled in by symmetry: GPU3"));
}

TEST(Matrix, of_an_h100_has_nvswitches_and_unknown_cells) {
  const TopoMatrix matrix = read_matrix("a", sample("matrix/dgx_h100_cut_off_after_NIC5.topo"));
  EXPECT_EQ(matrix.rows.size(), 20U);
  EXPECT_EQ(cell(matrix, "NIC6", "NIC7"), "?");
  EXPECT_EQ(cell(matrix, "NIC6", "GPU4"), "PXB");
  const Machine machine = imported_sample("matrix/dgx_h100_cut_off_after_NIC5.topo");
  EXPECT_EQ(machine.gpu(0).name, "H100 SXM5 80 GB");
  EXPECT_EQ(machine.host().cores, 2 * 56);
  const int nvswitch = machine.find_vertex("nvswitch0").value();
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(5));
  EXPECT_EQ(machine.links()[static_cast<std::size_t>(route.links().front())].to, nvswitch);
  EXPECT_EQ(machine.links()[static_cast<std::size_t>(route.links().front())].count, 18);
  // a pair that the matrix does not show: at least on one socket
  EXPECT_EQ(cell(matrix_of(machine), "NIC6", "NIC7"), "NODE");
}

TEST(Matrix, names_network_cards_by_the_legend_below) {
  const TopoMatrix matrix = read_matrix("a",
                                        "\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\n"
                                        "GPU0\t X \tPHB\t0-3\t0\n"
                                        "NIC0\tPHB\t X \n\n"
                                        "NIC Legend:\n\n  NIC0: mlx5_bond_0\n");
  EXPECT_THAT(labels(matrix), ElementsAre("GPU0", "mlx5_bond_0"));
}

TEST(Matrix, of_gpus_that_nvlinks_join_directly_keeps_each_bond) {
  const Machine machine = imported_sample("matrix/v100_sxm2_hybrid_cube_mesh.topo");
  EXPECT_EQ(machine.gpu(0).name, "Tesla V100 SXM2 16 GB");
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU3"), "NV2");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "NV1");
  EXPECT_EQ(cell(matrix, "GPU4", "mlx5_1"), "NODE");
  EXPECT_EQ(cell(matrix, "GPU7", "mlx5_1"), "PIX");
  EXPECT_FALSE(machine.find_vertex("nvswitch0").has_value());
}

TEST(Matrix, of_two_groups_on_nvswitches_has_two_of_them) {
  std::string text;
  for (int i = 0; i < 6; ++i) text += "\tGPU" + std::to_string(i);
  for (int i = 0; i < 6; ++i) {
    text += "\nGPU" + std::to_string(i);
    for (int j = 0; j < 6; ++j) text += i == j ? "\tX" : i / 3 == j / 3 ? "\tNV18" : "\tSYS";
  }
  const Machine machine = written_and_read(import_topology("f", text + "\n", {}));
  EXPECT_TRUE(machine.find_vertex("nvswitch1").has_value());
  EXPECT_EQ(cell(matrix_of(machine), "GPU3", "GPU5"), "NV18");
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU5"), "SYS");
}

TEST(Matrix, makes_the_tree_that_it_says) {
  // two switches with four GPUs each below a third switch, and the card on another socket
  const Machine machine = imported_sample("matrix/pcie_8xP40_single_root.topo");
  const Route near = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(3));
  const Route far = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(4));
  EXPECT_EQ(near.links().size(), 2U);
  EXPECT_EQ(far.links().size(), 4U);
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_EQ(machine.socket_of(0), machine.socket_of(7));
  EXPECT_EQ(machine.host().cores, 2 * 12);
}

TEST(Matrix, agrees_with_the_presets_of_the_same_machines) {
  const auto of_preset = [](const char* name) {
    return matrix_of(load_machine(Tree::scalar(name))).text();
  };
  EXPECT_EQ(matrix_of(imported_sample("matrix/dgx1_p100.topo")).text(), of_preset("dgx1-p100"));
  EXPECT_EQ(matrix_of(imported_sample("matrix/7gforce.topo")).text(), of_preset("7gforce"));
}

/// A matrix of `gpus` GPUs with the same cell for all pairs.
std::string all_alike(int gpus, const std::string& cell) {
  std::string text;
  for (int i = 0; i < gpus; ++i) text += "\tGPU" + std::to_string(i);
  for (int i = 0; i < gpus; ++i) {
    text += "\nGPU" + std::to_string(i);
    for (int j = 0; j < gpus; ++j) text += "\t" + (i == j ? "X" : cell);
  }
  return text + "\n";
}

TEST(Matrix, of_some_gpus_of_an_nvswitch_machine_does_not_join_them_by_more_links_than_they_have) {
  // four GPUs of a DGX-2: a V100 has 6 NVLinks, not 3 x 6
  const std::string text = all_alike(4, "NV6");
  const Machine v100 = written_and_read(import_topology("f", text, {"v100-sxm3", 0}));
  ASSERT_TRUE(v100.find_vertex("nvswitch0").has_value());
  const Route route = v100.route(v100.gpu_vertex(0), v100.gpu_vertex(3));
  const LinkDirection& first = v100.links()[static_cast<std::size_t>(route.links().front())];
  EXPECT_EQ(first.to, v100.find_vertex("nvswitch0").value());
  EXPECT_EQ(first.count, 6);
  EXPECT_EQ(cell(matrix_of(v100), "GPU0", "GPU3"), "NV6");
  // an H100 has 18 NVLinks: boards of four GPUs join each pair by 6
  // (github.com/NVIDIA/nccl/issues/1617)
  const ImportedMachine unknown = import_topology("f", text, {});
  const Machine h100 = written_and_read(unknown);
  EXPECT_EQ(h100.gpu(0).name, "H100 SXM5 80 GB");
  EXPECT_FALSE(h100.find_vertex("nvswitch0").has_value());
  EXPECT_EQ(cell(matrix_of(h100), "GPU0", "GPU3"), "NV6");
}

TEST(Matrix, has_one_model_of_gpu_that_fits_all) {
  // four of the V100s of a hybrid cube mesh: a row has 5, 4, 5 or 4 NVLinks
  const ImportedMachine imported = import_topology("f",
                                                   "\tGPU0\tGPU1\tGPU2\tGPU3\n"
                                                   "GPU0\tX\tNV1\tNV2\tNV2\n"
                                                   "GPU1\tNV1\tX\tNV2\tNV1\n"
                                                   "GPU2\tNV2\tNV2\tX\tNV1\n"
                                                   "GPU3\tNV2\tNV1\tNV1\tX\n",
                                                   {});
  ASSERT_EQ(imported.spec.gpus.size(), 1U);
  EXPECT_EQ(imported.spec.gpus[0].model.text, "v100-sxm2");
  EXPECT_EQ(imported.spec.gpus[0].count, 4);
  EXPECT_THAT(testing::PrintToString(imported.notes), Not(HasSubstr("p100")));
}

TEST(Matrix, says_when_its_nvlinks_are_more_than_the_gpu_has) {
  const auto notes = [](const char* cell) {
    return testing::PrintToString(import_topology("f", all_alike(2, cell), {"v100-sxm2", 0}).notes);
  };
  EXPECT_THAT(notes("NV7"), HasSubstr("NVLinks: 7 from gpu0 in the source, more than the 6 of "
                                      "v100-sxm2 (choose another with --gpu NAME)"));
  EXPECT_THAT(notes("NV6"), Not(HasSubstr("more than")));
}

TEST(Matrix, has_no_more_peer_access_than_the_driver_of_the_gpu_gives) {
  const auto imported = [](const char* gpu) {
    return import_topology("f", all_alike(2, "PIX"), {gpu, 0});
  };
  EXPECT_EQ(imported("v100-pcie").spec.peer_access, PeerAccess::same_socket);
  const ImportedMachine geforce = imported("rtx4090");
  EXPECT_EQ(geforce.spec.peer_access, PeerAccess::none);
  EXPECT_THAT(testing::PrintToString(geforce.notes),
              HasSubstr("peer access: not in the source, assumed none, as the GPU's file says"));
}

TEST(Matrix, without_a_header_has_its_rows_as_columns) {
  const TopoMatrix matrix = read_matrix("a", "GPU0\tX\tPIX\t0-3\nGPU1\tPIX\tX\t0-3\n");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "PIX");
  EXPECT_EQ(matrix.rows[1].cpus, "0-3");
  EXPECT_THAT(matrix.notes,
              ElementsAre("the matrix has no header: its columns are taken as its rows"));
}

TEST(Matrix, begins_below_text_about_its_gpus) {
  const std::string matrix = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tPIX\t0-3\nGPU1\tPIX\tX\t0-3\n";
  for (const char* above :
       {"GPU0: NVIDIA GeForce RTX 4090, 24564 MiB\nGPU1: NVIDIA L4, 23034 MiB\n",
        "GPU 0: NVIDIA L4 (UUID: GPU-4e1)\nGPU 1: NVIDIA L4 (UUID: GPU-5f2)\n", "GPU0 is a L4\n",
        "The GPU0 of my server is slow\n"}) {
    SCOPED_TRACE(above);
    const TopoMatrix read = read_matrix("a", above + matrix);
    EXPECT_THAT(labels(read), ElementsAre("GPU0", "GPU1"));
    EXPECT_EQ(cell(read, "GPU0", "GPU1"), "PIX");
    EXPECT_THAT(read.notes, testing::IsEmpty());
  }
}

TEST(Matrix, ends_where_text_about_its_gpus_begins) {
  const TopoMatrix matrix = read_matrix(
      "a", "GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-3\nGPU1 PIX X 0-3\n\nGPU1 is broken\n");
  EXPECT_EQ(matrix.rows.size(), 2U);
  EXPECT_EQ(matrix.rows[1].cpus, "0-3");
}

TEST(Matrix, may_be_a_table_with_bars) {
  const TopoMatrix matrix = read_matrix("a",
                                        "|      | GPU0 | GPU1 | CPU Affinity |\n"
                                        "|------|------|------|------|\n"
                                        "| GPU0 | X    | PHB  | 0-11 |\n"
                                        "|------|------|------|------|\n"
                                        "| GPU1 | PHB  | X    | 0-11 |\n");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "PHB");
  EXPECT_EQ(matrix.rows[1].cpus, "0-11");
  EXPECT_THAT(matrix.notes, testing::IsEmpty());
}

struct BadMatrix {
  const char* name;
  const char* text;
  const char* error;
};

class Refused : public testing::TestWithParam<BadMatrix> {};

TEST_P(Refused, with_its_place_and_reason) {
  EXPECT_THAT(import_error(GetParam().text), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Matrix, Refused,
    testing::Values(
        BadMatrix{"asymmetric", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPHB\tX\n",
                  "file:3:6: error: 'PHB' here, but 'PIX' on line 2 for the same pair"},
        BadMatrix{"short_row", "\tGPU0\tGPU1\nGPU0\tX\nGPU1\tPHB\tX\n",
                  "file:2:1: error: row 'GPU0' has 1 cells, and there are 2 columns"},
        BadMatrix{"unknown_cell", "\tGPU0\tGPU1\nGPU0\tX\tPIXX\nGPU1\tPIX\tX\n",
                  "file:2:8: error: 'PIXX' is not a cell of a matrix (known: X, NV#, PIX"},
        BadMatrix{"of_who_copies_directly", "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n",
                  "file:2:8: error: 'OK' is not a cell of a matrix (known: X, NV#, PIX, PXB, PHB, "
                  "NODE, SYS, SOC, as `nvidia-smi topo -m` prints)"},
        BadMatrix{"unknown_first_cell", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIXX\tX\n",
                  "file:3:6: error: 'PIXX' is not a cell of a matrix (known: X, NV#, PIX"},
        BadMatrix{"unknown_first_cell_of_a_card", "\tGPU0\tib0\nGPU0\tX\tPIX\nib0\tPIXX\tX\n",
                  "file:3:5: error: 'PIXX' is not a cell of a matrix (known: X, NV#, PIX"},
        BadMatrix{"unknown_first_cell_of_all", "GPU0GPU1\nGPU0\tXX\tPIX\nGPU1\tPIX\tX\n",
                  "file:2:6: error: 'XX' on the diagonal (expected X)"},
        BadMatrix{"empty_row", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\n",
                  "file:3:1: error: row 'GPU1' has 0 cells, and there are 2 columns"},
        BadMatrix{"long_row", "\tGPU0\tGPU1\nGPU0\tX\tPIX\tPHB\nGPU1\tPIX\tX\n",
                  "file:2:12: error: row 'GPU0' has more cells than there are columns (2)"},
        BadMatrix{"no_row", "GPU0 GPU1 CPU Affinity X\n", "file:1:1: error: no row of a matrix"},
        BadMatrix{"no_diagonal", "\tGPU0\tGPU1\nGPU0\tPIX\tX\nGPU1\tPIX\tX\n",
                  "file:2:6: error: 'PIX' on the diagonal (expected X)"},
        BadMatrix{"row_twice", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU0\tX\tPIX\n",
                  "file:3:1: error: row 'GPU0' appears twice"},
        BadMatrix{"column_twice", "\tGPU0\tGPU0\nGPU0\tX\tPIX\n",
                  "file:1:1: error: column 'GPU0' appears twice"},
        BadMatrix{"control_character", "\tGPU0\tib\x04\nGPU0\tX\tPIX\n",
                  "file:1:1: error: column 'ib\\x04' has characters that no name of a device has"},
        BadMatrix{"control_character_without_header", "GPU0\tX\tPIX\nib\x7f\tPIX\tX\n",
                  "error: column 'ib\\x7f' has characters that no name of a device has"},
        BadMatrix{"unknown_row", "\tGPU0\tGPU1\nGPU7\tPIX\tX\nGPU0\tX\tPIX\n",
                  "file:2:1: error: row 'GPU7' has no column of that name"},
        BadMatrix{"too_many_nvlinks", "\tGPU0\tGPU1\nGPU0\tX\tNV99\nGPU1\tNV99\tX\n",
                  "file:2:8: error: 'NV99' has more than 64 NVLinks"},
        BadMatrix{
            "nvlink_of_a_card", "\tGPU0\tGPU1\tib0\nGPU0\tX\tPIX\tNV1\nGPU1\tPIX\tX\tNV1\n",
            "file:2:12: error: 'NV1' between 'GPU0' and 'ib0' (NVLinks are between GPUs: GPU0, "
            "GPU1, ...)"},
        BadMatrix{"no_tree",
                  "\tGPU0\tGPU1\tGPU2\nGPU0\tX\tPIX\tSYS\nGPU1\tPIX\tX\tPIX\nGPU2\tSYS\tPIX\tX\n",
                  "file:2:12: error: 'SYS' between 'GPU0' and 'GPU2' does not fit the other cells, "
                  "by which it would be 'PIX'"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace paceline
