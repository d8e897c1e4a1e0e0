// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string sample(const std::string& name) {
  return std::string(PACELINE_SOURCE_DIR) + "/tests/topology/samples/" + name;
}

TEST_F(CommandTest, AnImportedMachineIsDrawnAndSimulatedOn) {
  ASSERT_EQ(run({"topology", "import", sample("matrix/dgx1_p100.topo"), "-o", "box.yaml"}), 0);
  EXPECT_THAT(out, IsEmpty());
  EXPECT_THAT(err, HasSubstr("note: GPU model: assumed p100-sxm2"));
  EXPECT_THAT(read("box.yaml"), StartsWith("# 8 x p100-sxm2, of an nvidia-smi matrix\n"
                                           "# Imported by `paceline topology import` from "
                                           "'dgx1_p100.topo'\n"));
  ASSERT_EQ(run({"topology", "show", "box.yaml"}), 0);
  EXPECT_THAT(out, HasSubstr("gpu7"));
  ASSERT_EQ(run({"topology", "show", "box.yaml", "--matrix"}), 0);
  EXPECT_THAT(out, HasSubstr("GPU0\t X \tNV1\tNV1\tNV1\tNV1\tSYS\tSYS\tSYS\tPIX\tPHB\tSYS\tSYS\n"));
  write("a.yaml",
        "name: a\nmodel: resnet50\nmachine: box.yaml\nbatch: 32\nworkers: [1, 8]\nsteps: 5\n"
        "warmup: 2\naggregation: {kind: allreduce, algorithm: ring}\n");
  ASSERT_EQ(run({"simulate", "a.yaml", "-o", "r"}), 0) << err;
  EXPECT_THAT(read("r/results.csv"), HasSubstr("box,"));
}

TEST_F(CommandTest, ImportWritesToTheOutputAndNotesBesideIt) {
  ASSERT_EQ(run({"topology", "import", sample("nccl/virtual_p4de.xml"), "--nvswitch", "12"}), 0);
  EXPECT_THAT(out, HasSubstr("{type: nvlink3, from: nvswitch0, to: [gpu0, "));
  EXPECT_THAT(err, HasSubstr("note: "));
  ASSERT_EQ(
      run({"topology", "import", sample("matrix/7gforce.topo"), "--gpu", "gtx1070", "--quiet"}), 0);
  EXPECT_THAT(err, IsEmpty());
  EXPECT_THAT(out, HasSubstr("- {model: gtx1070, count: 7}\n"));
}

TEST_F(CommandTest, WhatCannotBeImportedIsOneLineAndNoFile) {
  write("bad.txt", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPHB\tX\n");
  EXPECT_EQ(run({"topology", "import", "bad.txt", "-o", "box.yaml"}), 2);
  EXPECT_EQ(err, "bad.txt:3:6: error: 'PHB' here, but 'PIX' on line 2 for the same pair\n");
  EXPECT_FALSE(std::filesystem::exists("box.yaml"));
  EXPECT_EQ(run({"topology", "import", "nowhere.txt"}), 2);
  EXPECT_THAT(err, StartsWith("nowhere.txt: error: cannot read"));
  EXPECT_EQ(run({"topology", "import", "bad.txt", "--dot"}), 2);
  EXPECT_EQ(err, "paceline: error: topology import takes no --dot\n");
  EXPECT_EQ(run({"topology", "show", "dgx1-p100", "--gpu", "k80"}), 2);
  EXPECT_EQ(err, "paceline: error: topology show takes no --gpu\n");
  EXPECT_EQ(run({"topology", "import"}), 2);
  EXPECT_THAT(err, HasSubstr("topology import takes one file"));
  EXPECT_EQ(run({"topology", "import", "bad.txt", "--nvswitch", "65"}), 2);
  EXPECT_THAT(err, HasSubstr("--nvswitch '65' is not a number from 1 to 64"));
}

TEST_F(CommandTest, ThisComputerIsDiscoveredAndDrawn) {
  ASSERT_EQ(run({"topology", "discover", "-o", "here.yaml"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("note: sockets and PCIe tree: "));
  ASSERT_EQ(run({"topology", "show", "here.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("cpu0"));
  EXPECT_EQ(run({"topology", "show", "here.yaml", "--dot"}), 0);
  EXPECT_EQ(run({"topology", "discover", "here.yaml"}), 2);
  EXPECT_THAT(err, HasSubstr("topology discover takes no file"));
}

}  // namespace
}  // namespace paceline
