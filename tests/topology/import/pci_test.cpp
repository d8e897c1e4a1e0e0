// SPDX-License-Identifier: MIT
#include "topology/import/pci.hpp"

#include <gtest/gtest.h>

#include "topology/gpu.hpp"
#include "topology/import/assemble.hpp"

namespace paceline {
namespace {

TEST(Pci, classes_say_what_a_device_is) {
  EXPECT_EQ(pci_class("0x030200"), 0x0302);
  EXPECT_EQ(pci_class("0302"), 0x0302);
  EXPECT_EQ(pci_class(""), -1);
  EXPECT_EQ(pci_class("0xzz0200"), -1);
  EXPECT_EQ(pci_kind(0x0300, "10de"), PciKind::gpu);
  EXPECT_EQ(pci_kind(0x0300, "1a03"), PciKind::other);  // the display of a board's controller
  EXPECT_EQ(pci_kind(0x1200, "1002"), PciKind::gpu);
  EXPECT_EQ(pci_kind(0x0207, "15b3"), PciKind::nic);
  EXPECT_EQ(pci_kind(0x0680, "10de"), PciKind::nvswitch);
  EXPECT_EQ(pci_kind(0x0108, "144d"), PciKind::other);
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
    EXPECT_EQ(gpu.nvlinks > 0, !gpu.nvlink.empty()) << name;
    if (gpu.nvlinks > 0) {
      EXPECT_EQ(load_link(gpu.nvlink).kind, LinkKind::nvlink) << name;
    }
    EXPECT_FALSE(gpu.pci_ids.empty()) << name;
  }
}

}  // namespace
}  // namespace paceline
