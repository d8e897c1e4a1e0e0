// SPDX-License-Identifier: MIT
#include "topology/import/pci.hpp"

#include <gtest/gtest.h>

#include "topology/gpu.hpp"
#include "topology/import/assumed_host.hpp"
#include "topology/import/imported_links.hpp"

namespace paceline {
namespace {

TEST(Pci, classes_say_what_a_device_is) {
  EXPECT_EQ(pci_class("0x030200"), 0x0302);
  EXPECT_EQ(pci_class("0302"), 0x0302);
  EXPECT_EQ(pci_class(""), -1);
  EXPECT_EQ(pci_class("0xzz0200"), -1);
  EXPECT_EQ(pci_kind(0x0300, "10de", ""), PciKind::gpu);
  EXPECT_EQ(pci_kind(0x0300, "1a03", ""), PciKind::other);      // display of a board's management
                                                                // controller
  EXPECT_EQ(pci_kind(0x0300, "1002", "515e"), PciKind::other);  // ES1000: the same
  EXPECT_EQ(pci_kind(0x0300, "1002", "73bf"), PciKind::gpu);
  EXPECT_EQ(pci_kind(0x1200, "1002", ""), PciKind::gpu);
  EXPECT_EQ(pci_kind(0x0207, "15b3", ""), PciKind::nic);
  EXPECT_EQ(pci_kind(0x0680, "10de", ""), PciKind::nvswitch);
  EXPECT_EQ(pci_kind(0x0108, "144d", ""), PciKind::other);
}

TEST(Pci, speeds_are_read_as_the_system_writes_them) {
  EXPECT_EQ(gt_per_s("16.0 GT/s PCIe"), 16);
  EXPECT_EQ(gt_per_s("2.5 GT/s"), 2.5);
  EXPECT_EQ(gt_per_s("Unknown"), 0);
  EXPECT_EQ(gt_per_s("16"), 0);
}

TEST(Pci, rate_is_that_of_the_widest_link_it_can_be) {
  EXPECT_EQ(rate_of(BytesPerSecond{15.753846e9}).gt_per_s, 8);
  EXPECT_EQ(rate_of(BytesPerSecond{15.753846e9}).lanes, 16);
  EXPECT_EQ(rate_of(BytesPerSecond{31.507692e9}).gt_per_s, 16);
  EXPECT_EQ(rate_of(BytesPerSecond{4e9}).gt_per_s, 2.5);  // an idle card
  EXPECT_EQ(rate_of(BytesPerSecond{12.3e9}).lanes, 0);
}

TEST(Pci, rate_of_the_second_generation_is_known_with_either_line_code) {
  EXPECT_EQ(rate_of(BytesPerSecond{8e9}).gt_per_s, 5);
  EXPECT_EQ(rate_of(BytesPerSecond{8e9}).lanes, 16);
  for (const int lanes : {1, 4, 16}) {  // hwloc computes "5.0 GT/s PCIe" with 128b/130b
    EXPECT_EQ(rate_of(BytesPerSecond{0.615385e9 * lanes}).gt_per_s, 5) << lanes;
    EXPECT_EQ(rate_of(BytesPerSecond{0.615385e9 * lanes}).lanes, lanes);
  }
}

TEST(Pci, rates_are_credible_from_the_second_generation_on) {
  EXPECT_EQ(pcie_generation(2.5), 1);
  EXPECT_EQ(pcie_generation(16), 4);
  EXPECT_EQ(pcie_generation(12), 0);
  EXPECT_TRUE(is_credible({5, 1}));
  EXPECT_FALSE(is_credible({2.5, 16}));
  EXPECT_FALSE(is_credible({8, 0}));
  EXPECT_FALSE(is_credible({8, 64}));
  EXPECT_FALSE(is_credible({}));
}

TEST(Sockets, are_joined_by_the_link_of_their_processors) {
  EXPECT_EQ(socket_link_of("AuthenticAMD", 1), "infinity-fabric");
  EXPECT_EQ(socket_link_of("GenuineIntel", 79), "qpi");
  EXPECT_EQ(socket_link_of("GenuineIntel", 85), "upi");
  EXPECT_EQ(socket_link_of("GenuineIntel", -1), "upi");
  EXPECT_EQ(socket_link_of("IBM", 0), "");
}

TEST(Sockets, are_divided_into_numa_nodes) {
  EXPECT_EQ(share_of_socket(1), 1);
  EXPECT_EQ(share_of_socket(2), 1);
  EXPECT_EQ(share_of_socket(8), 0.25);
}

TEST(Presets, of_links_and_hosts_load) {
  EXPECT_GE(embedded_links().size(), 14U);
  for (const EmbeddedFile& file : embedded_links()) {
    const LinkTypeSpec link = load_link(std::string(file.name));
    EXPECT_GT(link.bandwidth.value(), 1e8) << file.name;
    EXPECT_FALSE(link.source.empty()) << file.name;
    EXPECT_FALSE(first_comment(file.text).empty()) << file.name;
  }
  EXPECT_EQ(embedded_hosts().size(), 3U);
}

TEST(Presets, of_gpus_name_links_that_there_are) {
  for (const std::string& name : preset_names(embedded_gpus())) {
    const GpuSpec gpu = load_gpu(Tree::scalar(name));
    EXPECT_EQ(load_link(gpu.pcie).kind, LinkKind::pcie) << name;
    EXPECT_TRUE(gpu.nvlinks == 0 || !gpu.nvlink.empty()) << name;
    if (!gpu.nvlink.empty()) {
      EXPECT_EQ(load_link(gpu.nvlink).kind, LinkKind::nvlink) << name;
    }
    EXPECT_FALSE(gpu.pci_ids.empty()) << name;
  }
}

}  // namespace
}  // namespace paceline
