// SPDX-License-Identifier: MIT
#include "topology/import/lspci_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;

ImportedMachine imported(const std::string& name) {
  return import_topology(name, sample("lspci/" + name), {});
}

TEST(LspciTree, has_switches_sockets_and_devices) {
  const ImportedMachine found = imported("two_switches.txt");
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 4) << "a virtual function and NVSwitches are no GPUs";
  EXPECT_EQ(found.spec.gpus[0].model.text, "a100-sxm4");
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_TRUE(found.spec.link_types.contains("infinity-fabric"));
  EXPECT_EQ(machine.socket_of(0), 0);
  EXPECT_EQ(machine.socket_of(2), 1);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU3"), "NV12");
  EXPECT_EQ(cell(matrix, "GPU2", "nic0"), "PIX");
  EXPECT_EQ(cell(matrix, "GPU0", "nic0"), "SYS");
  EXPECT_EQ(cell(matrix, "GPU0", "nic1"), "NODE");
  EXPECT_THAT(found.notes, Contains(HasSubstr("sockets: not in the source, assumed 2")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("1 NVSwitch in the source")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("assumed all of each GPU to the NVSwitches")));
}

TEST(LspciTree, names_gpus_without_ids) {
  const ImportedMachine found = imported("desktop.txt");
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 1);
  EXPECT_EQ(found.spec.gpus[0].model.text, "rtx4090");
  EXPECT_EQ(machine.host().sockets, 1);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "nic0"), "PHB");
}

TEST(LspciTree, without_names_or_cut_is_refused) {
  EXPECT_EQ(import_error("-[0000:00]-+-00.0\n           \\-01.0-[01]----00.0\n"),
            "file: error: `lspci -t` does not name devices: give what `lspci -tv` prints");
  EXPECT_THAT(import_error("-[0000:00]-+-00.0  A\n       +-01.0  B\n"),
              HasSubstr("file:2:8: error: no bus above has a branch in this column"));
  EXPECT_THAT(import_error("-[0000:00]-+-0x.0  A\n"),
              HasSubstr("file:1:14: error: expected a device such as 00.0"));
  EXPECT_THAT(import_error("-[0000:00]-+-01.0-[0]x]-\n"), HasSubstr("file:1:"));
  EXPECT_THAT(import_error("-[0000:00]-+-00.0  A host bridge\n"),
              HasSubstr("file: error: no GPU in a tree of lspci"));
}

}  // namespace
}  // namespace paceline
