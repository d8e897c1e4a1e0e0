// SPDX-License-Identifier: MIT
#include "topology/import/astra_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double kGigabyte = 1073741824;

ImportedMachine imported(const std::string& name) {
  return import_topology(name, sample("astra/" + name), {});
}

// An NPU has one link to the switch: two links, 936.25 ns each, between any two.
TEST(AstraNetwork, of_one_switch_is_a_computer_with_nvswitches) {
  const ImportedMachine found = imported("switch8.yml");
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_EQ(machine.gpu(0).name, "H100 SXM5 80 GB") << "431 GB/s are the nearest to 429.5 GB/s";
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(7));
  EXPECT_NEAR(machine.bottleneck(route).value(), 400 * kGigabyte, 1e6);
  double latency = 0;
  for (const int link : route.links()) latency += machine.figures(link).latency.value();
  EXPECT_NEAR(latency, 2 * 936.25e-9, 1e-12);
  EXPECT_THAT(found.notes, Contains(HasSubstr("NPUs: GPUs; those of the first dimension are")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("its NVLinks have about as much bandwidth")));
}

// 4 fully connected NPUs, 8 of such on a leaf, two leaves with half the bandwidth up.
TEST(AstraNetwork, of_three_dimensions_is_a_leaf_spine) {
  const ImportedMachine found = imported("three_dimensions.json");
  const NetworkSpec& network = found.spec.network->network;
  EXPECT_EQ(found.spec.count, 16);
  EXPECT_EQ(network.kind, NetworkShape::leaf_spine);
  EXPECT_EQ(network.nodes_per_leaf, 8);
  EXPECT_EQ(network.cards, 4);
  EXPECT_DOUBLE_EQ(network.oversubscription, 2);
  const Machine machine = written_and_read(found);
  EXPECT_EQ(machine.gpu_count(), 64);
  const Route inside = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(3));
  EXPECT_EQ(inside.links().size(), 1U);
  EXPECT_NEAR(machine.bottleneck(inside).value(), 75 * kGigabyte, 1e6);
}

// GPU 0 and GPU 1 are neighbours, GPU 0 and GPU 2 are not.
TEST(AstraNetwork, of_the_older_version_has_the_same_in_other_words) {
  const ImportedMachine found = imported("old_ring.json");
  const NetworkSpec& network = found.spec.network->network;
  EXPECT_EQ(found.spec.count, 2);
  EXPECT_EQ(network.kind, NetworkShape::rails);
  EXPECT_EQ(network.cards, 4);
  const Machine machine = written_and_read(found);
  const auto kind_between = [&](int a, int b) {
    const Route route = machine.route(machine.gpu_vertex(a), machine.gpu_vertex(b));
    return machine.figures(route.links().front()).kind;
  };
  EXPECT_EQ(kind_between(0, 1), LinkKind::nvlink);
  EXPECT_EQ(kind_between(0, 3), LinkKind::nvlink);
  EXPECT_EQ(kind_between(0, 2), LinkKind::pcie);
  EXPECT_THAT(found.notes, Contains(HasSubstr("a ring joins neighbours")));
}

TEST(AstraNetwork, that_is_wrong_is_refused_at_its_place) {
  const auto file = [](const std::string& counts, const std::string& bandwidths) {
    return "topology: [Ring, Switch]\nnpus_count: " + counts + "\nbandwidth: " + bandwidths +
           "\nlatency: [1, 1]\n";
  };
  EXPECT_THAT(import_error(file("[4]", "[1, 1]")),
              HasSubstr("file:2:13: error: 'npus_count' is not a list with a value for each "));
  EXPECT_THAT(import_error(file("[4, 2]", "[tbd, 1]")),
              HasSubstr("file:3:13: error: 'tbd' is not a number from 0.001 to 1"));
  EXPECT_THAT(import_error(file("[4, 1e9]", "[1, 1]")), HasSubstr("is not a number from 1 to 262"));
  EXPECT_THAT(import_error(file("[300, 2]", "[1, 1]")),
              HasSubstr("the first dimension has 300 NPUs, which are the GPUs of a computer"));
  EXPECT_THAT(import_error("topology: [Torus]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]\n"),
              HasSubstr("'Torus' is not a shape (known: Ring, FullyConnected, Switch)"));
  EXPECT_THAT(import_error("{\"logical-dims\": [\"8\", \"2\"]}"),
              HasSubstr("is a file of ASTRA-sim without bandwidths (give the one of the "));
  EXPECT_THAT(import_error("topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\n"),
              HasSubstr("missing key 'latency'"));
}

}  // namespace
}  // namespace paceline
