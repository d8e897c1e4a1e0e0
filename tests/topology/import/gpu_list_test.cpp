// SPDX-License-Identifier: MIT
// Text around a matrix names its GPUs.
#include "topology/import/gpu_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GpuNames, are_read_from_the_text_around_a_matrix) {
  const std::string matrix = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tPIX\t0-3\nGPU1\tPIX\tX\t0-3\n";
  for (const char* above :
       {"GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-4e1)\n  MIG 1g.5gb     Device  0: (UUID: "
        "MIG-1)\n"
        "GPU 1: NVIDIA GeForce RTX 4090 (UUID: GPU-5f2)\n",
        "GPU models and configuration: \nGPU 0: NVIDIA GeForce RTX 4090\nGPU 1: NVIDIA GeForce RTX "
        "4090\n\nNvidia driver version: 535.104.05\n",
        "GPU models and configuration: GPU 0: GeForce RTX 4090\nGPU 1: GeForce RTX 4090\n",
        "GPU0: NVIDIA GeForce RTX 4090, 24564 MiB\nGPU1: NVIDIA GeForce RTX 4090, 24564 MiB\n",
        "| GPU  Name         Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
        "|   0  NVIDIA GeForce RTX 4090  Off | 00000000:01:00.0 Off |      Off |\n"
        "| 30%   41C    P8    22W / 450W |      1MiB / 24564MiB |      0%      Default |\n"
        "|   1  NVIDIA GeForce RTX 4090  Off | 00000000:41:00.0 Off |      Off |\n"
        "|    0   N/A  N/A      2345      G   /usr/lib/xorg/Xorg      4MiB |\n"}) {
    SCOPED_TRACE(above);
    const ImportedMachine imported = import_topology("f", above + matrix, {});
    ASSERT_EQ(imported.spec.gpus.size(), 1U);
    EXPECT_EQ(imported.spec.gpus[0].model.text, "rtx4090");
    EXPECT_THAT(testing::PrintToString(imported.notes), Not(HasSubstr("GPU model")));
  }
  const ImportedMachine cut = import_topology("f", "GPU 0: NVIDIA GeForce RTX 4090\n" + matrix, {});
  ASSERT_EQ(cut.spec.gpus.size(), 1U);
  EXPECT_EQ(cut.spec.gpus[0].count, 2);
  const ImportedMachine nameless = import_topology("f", matrix, {});
  EXPECT_THAT(nameless.notes,
              testing::Contains(HasSubstr("choose another with --gpu NAME, or put what `nvidia-smi "
                                          "-L` prints above the matrix)")));
  const ImportedMachine other = import_topology(
      "f", "GPU 0: NVIDIA T4 (UUID: GPU-1)\nGPU 1: NVIDIA T4 (UUID: GPU-2)\n" + matrix, {});
  EXPECT_THAT(other.notes,
              testing::Contains(HasSubstr("assumed t4 (the nearest by name to 'NVIDIA T4'")));
}

TEST(GpuNames, are_not_found_in_lines_of_other_forms) {
  for (const char* text :
       {"| 0 | 00000000:01:00.0 Off | 0 |", "| 0 Off | 00000000:01:00.0 Off |", "|", "| 0", "| 0 |",
        "| 0 1 C python | 00000000:01:00.0", "| 0 L4 On |", "GPU", "GPU 0:", "GPU0:", "GPU0: ,",
        "GPU 0: 24564, MiB", "GPU 0: (UUID: GPU-1)", "GPU -1: L4", "GPU x: L4", "GPU 999: L4"}) {
    EXPECT_TRUE(gpu_names(matrix_lines(text)).empty()) << text;
  }
}

TEST(GpuNames, that_are_cut_off_give_the_nearest_gpu_that_begins_so) {
  const auto with = [](const char* name) {
    const std::string row = std::string("|   0  ") + name + "  On | 00000000:15:00.0 Off | 0 |\n";
    return import_topology("f", row + "\tGPU0\tCPU Affinity\nGPU0\tX\t0-3\n", {});
  };
  const ImportedMachine one = with("Tesla V100-SXM3...");
  EXPECT_EQ(one.spec.gpus[0].model.text, "v100-sxm3");
  EXPECT_THAT(testing::PrintToString(one.notes), Not(HasSubstr("GPU model")));
  const ImportedMachine several = with("NVIDIA A100-SXM...");
  EXPECT_THAT(several.spec.gpus[0].model.text, testing::StartsWith("a100-sxm4"));
  EXPECT_THAT(several.notes,
              testing::Contains(HasSubstr("the source cuts its name off: 'NVIDIA A100-SXM...'")));
}

}  // namespace
}  // namespace paceline
