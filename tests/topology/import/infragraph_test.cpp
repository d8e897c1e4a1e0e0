// SPDX-License-Identifier: MIT
#include "topology/import/infragraph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;

ImportedMachine imported(const std::string& name) {
  return import_topology(name, sample("infragraph/" + name), {});
}

TEST(InfraGraph, of_a_server_is_a_computer) {
  const ImportedMachine found = imported("server_connections.yaml");
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 4);
  EXPECT_EQ(machine.host().sockets, 2);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU3"), "NV2") << "one edge to each of two switches";
  EXPECT_EQ(cell(matrix, "GPU0", "card0"), "PIX");
  EXPECT_EQ(cell(matrix, "GPU3", "card1"), "PIX");
  EXPECT_EQ(cell(matrix, "GPU0", "card1"), "SYS");
  EXPECT_EQ(found.spec.gpus[0].model.text, "a100-sxm4");
  EXPECT_THAT(found.notes, Contains(HasSubstr("the nearest by name to 'NVIDIA A100 GPU'")));
  EXPECT_TRUE(found.spec.link_types.contains("pcie4-x16"));
  EXPECT_TRUE(found.spec.link_types.contains("infinity-fabric"));
}

// Two boxes of two cards on each of two leaves, each of which has two cables to the spine: 4 cards
// of 200 Gbit/s over 2 cables.
TEST(InfraGraph, of_instances_is_a_cluster) {
  const ImportedMachine found = imported("fabric_edges.yaml");
  const NetworkSpec& network = found.spec.network->network;
  EXPECT_EQ(found.spec.count, 4);
  EXPECT_EQ(network.kind, NetworkShape::leaf_spine);
  EXPECT_EQ(network.nodes_per_leaf, 2);
  EXPECT_DOUBLE_EQ(network.oversubscription, 2);
  EXPECT_EQ(network.link.text, "infiniband-hdr");
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 16);
  EXPECT_EQ(machine.gpu(0).name, "H100 PCIe");
  const TopoMatrix matrix = matrix_of(machine.folded());
  EXPECT_EQ(cell(matrix, "GPU0", "GPU1"), "NV1");
  EXPECT_EQ(cell(matrix, "GPU0", "GPU2"), "PIX");
}

TEST(InfraGraph, without_gpus_or_with_parts_that_are_missing_is_refused) {
  EXPECT_THAT(import_error("devices:\n- name: a\n  components: [{name: p, type: nic}]\n"),
              HasSubstr("has no device with GPUs (a component of type xpu) and no network of"));
  EXPECT_THAT(
      import_error("devices:\n- name: a\n  components: [{name: x, type: xpu}]\n  connections: "
                   "[x.0.l.y.0]\n"),
      HasSubstr("file:4:17: error: device 'a' has no component 'y'"));
  EXPECT_THAT(
      import_error("devices:\n- name: a\n  components: [{name: x, type: xpu}]\n  connections: "
                   "[x.0.y]\n"),
      HasSubstr("'x.0.y' is not a connection (such as cpu.0.pcie.switch.1"));
  EXPECT_THAT(import_error("devices:\n- name: a\n  components: [{name: x, type: xpu, count: 0}]\n"),
              HasSubstr("'0' is not a count (1 to 65536)"));
  EXPECT_THAT(
      import_error("devices:\n- name: a\n  components: [{name: x, type: xpu, count: 2}]\n  edges: "
                   "[{ep1: {component: 'x[0:'}, ep2: {component: 'x[1]'}}]\n"),
      HasSubstr("is not a range (such as xpu[0:4])"));
}

}  // namespace
}  // namespace paceline
