// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

/// A machine with these GPUs, each on its own link; `more` are further keys.
Machine machine_of(const std::string& gpus, const std::string& more = "") {
  return load_machine(
      parse_yaml("test", "gpus: [" + gpus + "]\n" + more +
                             "host: {cores: 1, memory_bandwidth: 50 GB/s}\n"
                             "link_types: {x16: {kind: pcie, bandwidth: 16 GB/s, source: test}}\n"
                             "links: [{type: x16, from: cpu0, to: [gpu0, gpu1, gpu2]}]\n"));
}

constexpr const char* kFigures =
    "name: g, fp32: 1 TFLOP/s, memory: 1 GB, "
    "memory_bandwidth: 100 GB/s, sms: 1";

std::string gpu(const std::string& more, int count) {
  return "{model: {" + std::string(kFigures) + more + "}, count: " + std::to_string(count) + "}";
}

TEST(Price, is_that_of_the_gpus_used) {
  const Machine machine = machine_of(gpu(", price: 0.5 USD/h, power: 250 W", 1) + ", " +
                                     gpu(", price: 2 USD/h, power: 0.3 kW", 2));
  EXPECT_EQ(machine.price(1), DollarsPerHour{0.5});
  EXPECT_EQ(machine.price(3), DollarsPerHour{4.5});
  EXPECT_EQ(machine.power(2), Watts{550});
  EXPECT_EQ(machine.gpu(2).power, Watts{300});
}

TEST(Price, is_not_known_where_one_gpu_has_none) {
  const Machine machine = machine_of(gpu(", power: 250 W", 1) + ", " + gpu(", price: 2 USD/h", 2));
  EXPECT_EQ(machine.price(1), std::nullopt);
  EXPECT_EQ(machine.price(3), std::nullopt);
  EXPECT_EQ(machine.power(1), Watts{250});
  EXPECT_EQ(machine.power(2), std::nullopt);
}

TEST(Price, of_the_machine_goes_before_its_gpus) {
  const Machine machine =
      machine_of(gpu(", price: 2 USD/h", 1) + ", " + gpu("", 2), "price: 0.25 USD/h\n");
  EXPECT_EQ(machine.gpu(0).price, DollarsPerHour{0.25});
  EXPECT_EQ(machine.price(3), DollarsPerHour{0.75});
}

TEST(Price, of_a_cluster_is_the_sum_of_its_nodes) {
  const auto price = [](const std::string& machine, int gpus) {
    return load_machine(parse_yaml("test", machine)).price(gpus);
  };
  const std::string network = "network: infiniband-edr";
  EXPECT_EQ(price("{of: {of: dgx1-p100, price: 10 USD/h}, count: 2, " + network + "}", 16),
            DollarsPerHour{160});
  const std::string unlike =
      "nodes: [{of: {of: dgx1-p100, price: 1 USD/h}, count: 2}, {of: {of: dgx1-v100, price: 3 "
      "USD/h}}], " +
      network;
  EXPECT_EQ(price("{" + unlike + "}", 16), DollarsPerHour{16});
  EXPECT_EQ(price("{" + unlike + "}", 24), DollarsPerHour{16 + 24});
  EXPECT_EQ(price("{" + unlike + ", price: 2 USD/h}", 24), DollarsPerHour{48});
  EXPECT_EQ(
      price("{nodes: [{of: {of: dgx1-p100, price: 1 USD/h}}, {of: dgx1-p100}], " + network + "}",
            16),
      std::nullopt);
}

TEST(Price, is_not_known_where_workers_are_no_gpus) {
  EXPECT_EQ(ideal(4).price(4), std::nullopt);
  EXPECT_EQ(ideal(4).power(4), std::nullopt);
  EXPECT_EQ(this_machine(HostFigures{}).price(2), std::nullopt);
}

// A machine's region is that of its price; a price of the user's has none unless it says one.
TEST(Price, has_the_region_of_the_machine_or_of_its_gpus) {
  const auto region = [](const std::string& machine, int gpus) {
    return load_machine(parse_yaml("test", machine)).region(gpus);
  };
  EXPECT_EQ(region("{of: p5}", 8), "us-east-1");
  EXPECT_EQ(region("{of: p5, price: 4 USD/h}", 8), "");
  EXPECT_EQ(region("{of: p5, price: 4 USD/h, region: eu-west-1}", 8), "eu-west-1");
  EXPECT_EQ(region("{of: p2-8xlarge-k80}", 1), "us-east-1") << "of the GPU's file";
  EXPECT_EQ(region("{of: p2-8xlarge-k80, price: 1 USD/h}", 1), "");
  EXPECT_EQ(region("{of: dgx-h100}", 8), "");
  const std::string network = "network: infiniband-edr";
  EXPECT_EQ(region("{nodes: [{of: p5}, {of: nd-h100-v5}], " + network + "}", 16),
            "us-east-1, eastus");
  EXPECT_EQ(
      region("{nodes: [{of: p5}, {of: nd-h100-v5}], price: 1 USD/h, region: x, " + network + "}",
             16),
      "x");
}

// Those of which the source of the price is in the file.
TEST(Price, of_clouds_is_in_their_presets) {
  for (const char* name : {"p3", "p3dn", "p4d", "p4de", "p5", "p5en", "p6-b200", "nd-a100-v4",
                           "nd-h100-v5", "bm-gpu-a100", "bm-gpu-h100"}) {
    const Machine machine = load_machine(Tree::scalar(name));
    EXPECT_TRUE(machine.price(8).has_value()) << name;
    EXPECT_NE(machine.region(8), "") << name;
  }
  EXPECT_TRUE(load_machine(Tree::scalar("a3-high")).price(8).has_value());
  EXPECT_TRUE(load_machine(Tree::scalar("a3-ultra")).price(8).has_value());
}

TEST(Price, of_presets) {
  const Machine k80 = load_machine(Tree::scalar("p2-8xlarge-k80"));
  EXPECT_DOUBLE_EQ(k80.price(8)->value(), 7.2);  // EC2's price of a p2.8xlarge
  EXPECT_EQ(k80.power(8), Watts{1200});
  const Machine dgx1 = load_machine(Tree::scalar("dgx1-p100"));
  EXPECT_EQ(dgx1.price(8), std::nullopt);  // not available for rent
  EXPECT_EQ(dgx1.power(8), Watts{2400});
}

}  // namespace
}  // namespace paceline
