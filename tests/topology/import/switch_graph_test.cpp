// SPDX-License-Identifier: MIT
#include "topology/import/switch_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Leaves 0, 1, ... with as many computers of one card as `sizes` says.
SwitchGraph leaves(const std::vector<int>& sizes, double gbit_per_s = 100) {
  SwitchGraph graph;
  graph.origin = "a test";
  for (const int size : sizes) {
    for (int i = 0; i < size; ++i)
      graph.ports.push_back({graph.computers++, graph.switches, gbit_per_s});
    ++graph.switches;
  }
  return graph;
}

/// Adds a switch above `below` with `cables` to each.
void add_above(SwitchGraph& graph, const std::vector<int>& below, int cables,
               double gbit_per_s = 100) {
  for (const int at : below) {
    for (int i = 0; i < cables; ++i) graph.trunks.push_back({graph.switches, at, gbit_per_s});
  }
  ++graph.switches;
}

TEST(SwitchGraph, of_one_switch_is_a_switch) {
  const NetworkInventory network = network_of(leaves({5}));
  EXPECT_EQ(network.shape, NetworkShape::one_switch);
  EXPECT_EQ(network.computers, 5);
  EXPECT_EQ(network.cards, 1);
  EXPECT_EQ(network.gbit_per_s, 100);
  EXPECT_THAT(network.notes, IsEmpty());
}

// 8 cards of 100 Gbit/s below each leaf, and 2 x 2 cables of 100 Gbit/s up: 8 / 4.
TEST(SwitchGraph, of_two_levels_is_a_leaf_spine_of_its_oversubscription) {
  SwitchGraph graph = leaves({8, 8, 8});
  add_above(graph, {0, 1, 2}, 2);
  add_above(graph, {0, 1, 2}, 2);
  const NetworkInventory network = network_of(std::move(graph));
  EXPECT_EQ(network.shape, NetworkShape::leaf_spine);
  EXPECT_EQ(network.computers, 24);
  EXPECT_EQ(network.computers_per_leaf, 8);
  EXPECT_DOUBLE_EQ(*network.oversubscription, 2);
  EXPECT_THAT(network.notes, IsEmpty());
}

TEST(SwitchGraph, with_more_bandwidth_up_than_down_is_not_oversubscribed) {
  SwitchGraph graph = leaves({2, 2});
  add_above(graph, {0, 1}, 16);
  EXPECT_DOUBLE_EQ(*network_of(std::move(graph)).oversubscription, 1);
}

TEST(SwitchGraph, of_three_levels_is_a_fat_tree_of_pods) {
  SwitchGraph graph = leaves({4, 4, 4, 4, 4, 4});
  add_above(graph, {0, 1, 2}, 4);  // switch 6
  add_above(graph, {3, 4, 5}, 4);  // switch 7
  add_above(graph, {6, 7}, 6);     // 12 cables in, 6 up
  const NetworkInventory network = network_of(std::move(graph));
  EXPECT_EQ(network.shape, NetworkShape::fat_tree);
  EXPECT_EQ(network.computers_per_leaf, 4);
  EXPECT_EQ(network.leaves_per_pod, 3);
  EXPECT_DOUBLE_EQ(*network.oversubscription, 2);
}

TEST(SwitchGraph, counts_the_largest_leaf_and_says_so) {
  SwitchGraph graph = leaves({3, 4});
  add_above(graph, {0, 1}, 4);
  const NetworkInventory network = network_of(std::move(graph));
  EXPECT_EQ(network.computers, 7);
  EXPECT_EQ(network.computers_per_leaf, 4);
  EXPECT_THAT(network.notes, Contains(HasSubstr("leaves have 3 to 4 computers in the source")));
}

// Three computers with a card on each of two switches.
TEST(SwitchGraph, of_rails_alone_is_rails) {
  SwitchGraph graph;
  graph.computers = 3;
  graph.switches = 2;
  for (int computer = 0; computer < 3; ++computer) {
    for (int rail = 0; rail < 2; ++rail) graph.ports.push_back({computer, rail, 200});
  }
  add_above(graph, {0, 1}, 3, 200);
  const NetworkInventory network = network_of(std::move(graph));
  EXPECT_EQ(network.shape, NetworkShape::rails);
  EXPECT_EQ(network.computers, 3);
  EXPECT_EQ(network.cards, 2);
  EXPECT_DOUBLE_EQ(*network.oversubscription, 1);
}

// The cards of a fourth computer have no name of a computer.
TEST(SwitchGraph, counts_computers_by_their_cards) {
  SwitchGraph graph;
  graph.computers = 3;
  graph.switches = 2;
  for (int computer = 0; computer < 3; ++computer) {
    for (int rail = 0; rail < 2; ++rail) graph.ports.push_back({computer, rail, 200});
  }
  graph.ports.push_back({SwitchGraph::kUnnamed, 0, 200});
  graph.ports.push_back({SwitchGraph::kUnnamed, 1, 200});
  EXPECT_EQ(network_of(std::move(graph)).computers, 4);
}

TEST(SwitchGraph, without_cables_between_leaves_has_a_spine_that_is_assumed) {
  const NetworkInventory network = network_of(leaves({2, 2}, 0));
  EXPECT_EQ(network.shape, NetworkShape::leaf_spine);
  EXPECT_FALSE(network.oversubscription.has_value());
  EXPECT_THAT(network.notes, Contains(HasSubstr("assumed by a spine")));
}

TEST(SwitchGraph, takes_the_speed_that_most_cards_have) {
  SwitchGraph graph = leaves({3}, 400);
  graph.ports.push_back({graph.computers++, 0, 100});
  const NetworkInventory network = network_of(std::move(graph));
  EXPECT_EQ(network.gbit_per_s, 400);
  EXPECT_THAT(network.notes, Contains(HasSubstr("cards have 2 speeds in the source: assumed 400")));
}

}  // namespace
}  // namespace paceline
