// SPDX-License-Identifier: MIT
// CPU affinities decide how many sockets a matrix has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

TEST(MatrixSockets, are_as_many_as_the_cpu_affinities) {
  // all cells are SOC, and all rows say 0-23
  const ImportedMachine shared =
      import_topology("m", sample("matrix/virtual_4xM60.topo"), {"m60", 0});
  const Machine machine = written_and_read(shared);
  EXPECT_EQ(machine.host().sockets, 1);
  EXPECT_EQ(machine.host().cores, 24);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU3"), "NODE");
  EXPECT_NEAR(machine.host().memory_bandwidth.value(), 68.3e9, 1);
  EXPECT_THAT(shared.notes,
              testing::Contains(HasSubstr("devices with the same CPU affinity are on one socket")));
  // the cards, SOC from all GPUs, are no third processor
  const Machine power = imported_sample("matrix/power8_4xP100.topo");
  EXPECT_EQ(power.host().sockets, 2);
  EXPECT_EQ(power.host().cores, 2 * 8);
  EXPECT_NEAR(power.host().memory_bandwidth.value(), 2 * 68.3e9, 2e6);
  // without affinities, the cells decide
  const Machine silent = written_and_read(import_topology(
      "f", "\tGPU0\tGPU1\tGPU2\nGPU0\tX\tSYS\tSYS\nGPU1\tSYS\tX\tSYS\nGPU2\tSYS\tSYS\tX\n", {}));
  EXPECT_EQ(silent.host().sockets, 3);
}

TEST(MatrixSockets, that_are_numa_nodes_have_their_share_of_a_socket) {
  // four of the eight NUMA nodes of two sockets
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n";
  const char* affinity[] = {"48-63,176-191\t3", "16-31,144-159\t1", "112-127,240-255\t7",
                            "80-95,208-223\t5"};
  for (int i = 0; i < 4; ++i) {
    text += "GPU" + std::to_string(i);
    for (int j = 0; j < 4; ++j) text += i == j ? "\tX" : "\tSYS";
    text += std::string("\t") + affinity[i] + "\n";
  }
  const Machine machine = written_and_read(import_topology("f", text, {"a100-sxm4", 0}));
  EXPECT_EQ(machine.host().cores, 4 * 16);
  EXPECT_NEAR(machine.host().memory_bandwidth.value(), 4 * 51.2e9, 1);
}

}  // namespace
}  // namespace paceline
