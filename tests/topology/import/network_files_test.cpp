// SPDX-License-Identifier: MIT
// Networks between computers: Slurm's trees and blocks, topograph's models, ibnetdiscover.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

ImportedMachine imported(const std::string& name, const Assumptions& assumptions = {}) {
  return import_topology(name, sample("network/" + name), assumptions);
}

Assumptions node(const std::string& name) {
  Assumptions assumptions;
  assumptions.node = name;
  return assumptions;
}

Assumptions link(const std::string& name) {
  Assumptions assumptions;
  assumptions.link = name;
  return assumptions;
}

TEST(SlurmTopology, of_three_levels_of_switches_is_a_fat_tree) {
  const ImportedMachine machine = imported("tree.conf");
  const NetworkSpec& network = machine.spec.network->network;
  EXPECT_EQ(machine.spec.count, 7);
  EXPECT_EQ(network.kind, NetworkShape::fat_tree);
  EXPECT_EQ(network.nodes_per_leaf, 2);
  EXPECT_EQ(network.leaves_per_pod, 2);
  EXPECT_EQ(network.link.text, "infiniband-ndr");
  EXPECT_THAT(machine.notes, Contains(HasSubstr("computers: assumed dgx-h100")));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("choose another with --link NAME")));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("oversubscription: not in the source")));
  EXPECT_THAT(machine.notes, Contains("LinkSpeed: no effect in Slurm, left out"));
}

TEST(SlurmTopology, is_the_same_in_yaml) {
  const ImportedMachine machine = imported("tree.yaml");
  EXPECT_EQ(machine.spec.count, 8);
  EXPECT_EQ(machine.spec.network->network.kind, NetworkShape::leaf_spine);
  EXPECT_EQ(machine.spec.network->network.nodes_per_leaf, 4);
}

TEST(SlurmTopology, takes_machine_and_link_of_the_user) {
  const ImportedMachine machine = imported("tree.conf", node("dgx-a100"));
  EXPECT_EQ(written_and_read(machine).gpu(0).name, "A100 SXM4 40 GB");
  EXPECT_THAT(testing::PrintToString(machine.notes), Not(HasSubstr("computers: assumed")));
  EXPECT_EQ(imported("tree.conf", link("roce-100g")).spec.network->network.link.text, "roce-100g");
  const std::string text = sample("network/tree.conf");
  EXPECT_THAT(import_error(text, node("dgx-a10")), HasSubstr("unknown machine 'dgx-a10'"));
  EXPECT_THAT(import_error(text, link("pcie4")), HasSubstr("'pcie4' is no link between computers"));
  EXPECT_THAT(import_error(text, {"k80", 0}),
              HasSubstr("a Slurm topology describes no GPUs (name the machine of a computer with "
                        "--node)"));
  const std::string matrix = sample("matrix/7gforce.topo");
  EXPECT_THAT(import_error(matrix, node("dgx-a100")), HasSubstr("(leave --node out)"));
  EXPECT_THAT(import_error(matrix, link("roce-100g")), HasSubstr("(leave --link out)"));
}

TEST(SlurmTopology, of_a_machine_in_a_file_has_its_figures) {
  const std::string path = std::string(PACELINE_SOURCE_DIR) + "/topology/machines/dgx1-p100.yaml";
  const Machine machine = written_and_read(imported("tree.conf", node(path)));
  EXPECT_EQ(machine.computers(), 7);
  EXPECT_EQ(machine.gpu_count(), 56);
  EXPECT_EQ(machine.gpu(55).name, "Tesla P100 SXM2 16 GB");
}

// A rack of 18 trays with four GPUs each is one machine, unless the user names that of a tray.
TEST(SlurmTopology, of_blocks_of_eighteen_is_made_of_racks_that_share_nvlinks) {
  const ImportedMachine machine = imported("blocks.conf");
  EXPECT_EQ(machine.spec.of->text, "gb200-nvl72");
  EXPECT_EQ(machine.spec.count, 2);
  EXPECT_EQ(machine.spec.network->network.nodes_per_leaf, 1);
  const ImportedMachine trays = imported("blocks.conf", node("dgx-h100"));
  EXPECT_EQ(trays.spec.count, 36);
  EXPECT_EQ(trays.spec.network->network.nodes_per_leaf, 18);
}

TEST(SlurmTopology, that_is_wrong_is_refused_at_its_place) {
  EXPECT_THAT(import_error("SwitchName=s1 Nodes=n[1-2\n"),
              HasSubstr("file:1:1: error: 'n[1-2' is not a list of computers"));
  EXPECT_THAT(import_error("SwitchName=s1 Nodes=n1\nSwitchName=s2 Switches=s1,s3\n"),
              HasSubstr("file:2:1: error: switch 's3' is not in the file"));
  EXPECT_THAT(import_error("SwitchName=s1 Nodes=n1\nSwitchName=s1 Nodes=n2\n"),
              HasSubstr("file:2:1: error: switch 's1' is there twice"));
  EXPECT_THAT(import_error("SwitchName=s1\n"),
              HasSubstr("switch 's1' has neither switches nor nodes below it"));
  EXPECT_THAT(import_error("SwitchName=s1 Nodes=ALL\n"),
              HasSubstr("file:1:15: error: Nodes=ALL does not say how many"));
  EXPECT_THAT(import_error("SwitchName=s1 Node=n1\n"),
              HasSubstr("file:1:15: error: 'Node=n1' is not of a topology.conf (known: "));
  EXPECT_THAT(import_error("BlockName=b1\n"), HasSubstr("file:1:1: error: a block has no nodes"));
}

TEST(SlurmTopology, has_lines_that_go_on_and_keys_in_any_case) {
  const ImportedMachine machine =
      import_topology("f", "switchname=s1 \\\n  NODES=n[1-3] # three\n", {});
  EXPECT_EQ(machine.spec.count, 3);
  EXPECT_EQ(machine.spec.network->network.kind, NetworkShape::one_switch);
}

TEST(Topograph, has_its_computers_in_blocks) {
  const ImportedMachine machine = imported("topograph.yaml");
  EXPECT_EQ(machine.spec.count, 6);
  EXPECT_EQ(machine.spec.network->network.kind, NetworkShape::fat_tree);
  EXPECT_EQ(machine.spec.network->network.nodes_per_leaf, 2);
  EXPECT_EQ(machine.spec.network->network.leaves_per_pod, 2);
  EXPECT_THAT(machine.notes, Contains(HasSubstr("blocks of computers are in the source")));
}

// Leaves A and B have three computers, C and D three, of which one has not named its cards; each
// leaf has a cable of the cards' speed to each of two spines: 12 cards, 8 cables.
TEST(IbDiscovery, finds_computers_leaves_and_speeds) {
  const ImportedMachine machine = imported("ibnetdiscover.txt");
  const NetworkSpec& network = machine.spec.network->network;
  EXPECT_EQ(machine.spec.of->text, "dgx-a100");
  EXPECT_EQ(machine.spec.count, 6);
  EXPECT_EQ(network.kind, NetworkShape::leaf_spine);
  EXPECT_EQ(network.cards, 2);
  EXPECT_EQ(network.nodes_per_leaf, 3);
  EXPECT_DOUBLE_EQ(network.oversubscription, 1.5);
  EXPECT_EQ(network.link.text, "infiniband-hdr");
  EXPECT_THAT(machine.notes, Contains("1 aggregation node of the switches (SHARP): not computers"));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("2 cards without a computer's name: counted")));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("such as 'files1': left out")));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("cards of a computer are on 2 switches")));
}

TEST(IbDiscovery, of_a_speed_without_a_preset_has_its_bandwidth) {
  const std::string text =
      "Switch\t36 \"S-1\"\t\t# \"s\" base port 0 lid 1 lmc 0\n[1]\t\"H-1\"[1]\t\t# \"a mlx4_0\" "
      "lid 2 "
      "4xQDR\n\nCa\t1 \"H-1\"\t\t# \"a mlx4_0\"\n[1]\t\"S-1\"[1]\t\t# lid 2 lmc 0 \"s\" lid 1 "
      "4xQDR\n";
  const Machine machine = written_and_read(import_topology("f", text, {}));
  EXPECT_EQ(machine.computers(), 1);
  bool found = false;
  for (const LinkDirection& one : machine.links()) {
    if (one.kind != LinkKind::infiniband) continue;
    found = true;
    EXPECT_NEAR(one.capacity.value(), 5e9 * 0.97, 1e6);  // 40 Gbit/s, and EDR's efficiency
    EXPECT_THAT(one.source, HasSubstr("bandwidth: as a list of ibnetdiscover says"));
  }
  EXPECT_TRUE(found);
}

TEST(IbDiscovery, that_is_cut_is_refused) {
  EXPECT_THAT(import_error("Switch\t36 \"S-1\"\t\t# \"s\"\n[1]\t\"H-1\"[1]\n"),
              HasSubstr("file: error: no card of a computer on a switch (give all that "));
  EXPECT_THAT(import_error("[1]\t\"H-1\"[1]\nSwitch\t36 \"S-1\"\t\t# \"s\"\n"),
              HasSubstr("file:1:1: error: a port before any switch or card"));
  EXPECT_THAT(import_error("Switch\t36 \"S-1\"\nSwitch\t36 \"S-1\"\n"),
              HasSubstr("file:2:1: error: 'S-1' is on line 1 too"));
}

}  // namespace
}  // namespace paceline
