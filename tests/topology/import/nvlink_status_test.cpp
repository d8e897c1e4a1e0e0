// SPDX-License-Identifier: MIT
#include "topology/import/nvlink_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A list of `gpus` GPUs with `active` NVLinks and one that is down.
std::string list(int gpus, const std::string& name, int active) {
  std::string text;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const std::string number = std::to_string(gpu);
    text += "GPU " + number + ": " + name + " (UUID: GPU-" + number + ")\n";
    for (int i = 0; i < active; ++i) text += "\t Link " + std::to_string(i) + ": 25 GB/s\n";
    text += "\t Link " + std::to_string(active) + ": <inactive>\n";
  }
  return text;
}

TEST(NvlinkStatus, of_two_gpus_joins_them_by_the_links_that_are_active) {
  const ImportedMachine imported = import_topology("f", list(2, "NVIDIA A100-SXM4-40GB", 3), {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu(0).name, "A100 SXM4 40 GB");
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "NV3");
  EXPECT_THAT(imported.notes, Contains(HasSubstr("assumed from one GPU to the other; nor where "
                                                 "GPUs are on PCIe: assumed on one socket")));
}

TEST(NvlinkStatus, of_more_gpus_has_nvswitches_if_such_gpus_hang_on_them) {
  const ImportedMachine imported = import_topology("f", list(8, "NVIDIA H100 80GB HBM3", 18), {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_TRUE(machine.find_vertex("nvswitch0").has_value());
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU7"), "NV18");
  EXPECT_THAT(imported.notes, Contains(HasSubstr("assumed to NVSwitches")));
}

TEST(NvlinkStatus, is_refused_where_bridges_may_join_any_pairs) {
  const char* why =
      "file: error: `nvidia-smi nvlink -s` does not say which GPUs the NVLinks join: give what "
      "`nvidia-smi topo -m` prints";
  EXPECT_EQ(import_error(list(4, "NVIDIA GeForce RTX 3090", 4)), why);
  EXPECT_EQ(import_error(list(4, "NVIDIA H100 NVL", 12)), why);
  EXPECT_EQ(import_error(list(1, "NVIDIA A100-SXM4-40GB", 12) +
                         "GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n"),
            why);
}

TEST(NvlinkStatus, above_a_matrix_names_its_gpus) {
  const std::string matrix = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tNV4\t0-3\nGPU1\tNV4\tX\t0-3\n";
  const ImportedMachine imported =
      import_topology("f", list(2, "NVIDIA A100-SXM4-40GB", 4) + matrix, {});
  EXPECT_EQ(imported.spec.gpus[0].model.text, "a100-sxm4-40gb");
  EXPECT_EQ(imported.spec.host.cores, 4);
}

}  // namespace
}  // namespace paceline
