// SPDX-License-Identifier: MIT
#include "topology/import/pci_names.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(PciNames, of_gpus_have_model_and_id) {
  const PciName known = pci_name("NVIDIA Corporation GA100 [A100 SXM4 40GB] [10de:20b0]");
  EXPECT_EQ(known.kind, PciKind::gpu);
  EXPECT_EQ(known.model, "A100 SXM4 40GB");
  EXPECT_EQ(known.id, "10de:20b0");
  EXPECT_EQ(known.vendor, "10de");
  const PciName unnamed = pci_name("NVIDIA Corporation Device 2330");
  EXPECT_EQ(unnamed.kind, PciKind::gpu);
  EXPECT_EQ(unnamed.id, "10de:2330");
  const PciName amd =
      pci_name("Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran/MI200 [Instinct MI250X]");
  EXPECT_EQ(amd.kind, PciKind::gpu);
  EXPECT_EQ(amd.model, "Instinct MI250X");
  EXPECT_EQ(amd.vendor, "1002");
}

TEST(PciNames, of_network_cards_and_other_parts_are_no_gpus) {
  for (const char* name :
       {"Mellanox Technologies MT2892 Family [ConnectX-6 Dx]",
        "Intel Corporation I350 Gigabit Network Connection",
        "Amazon.com, Inc. Elastic Fabric Adapter (EFA)",
        "Broadcom Inc. and subsidiaries BCM57414 NetXtreme-E 10Gb/25Gb RDMA Ethernet Controller",
        "Mellanox Technologies MT42822 BlueField-2 integrated ConnectX-6 Dx network controller"}) {
    EXPECT_EQ(pci_name(name).kind, PciKind::nic) << name;
  }
  EXPECT_EQ(pci_name("NVIDIA Corporation GA100 [A100 NVSwitch]").kind, PciKind::nvswitch);
  EXPECT_EQ(pci_name("NVIDIA Corporation Device 22a3").kind, PciKind::nvswitch);
  for (const char* name :
       {"", "NVIDIA Corporation AD102 High Definition Audio Controller",
        "NVIDIA Corporation TU102 USB 3.1 Host Controller",
        "NVIDIA Corporation TU102 USB Type-C UCSI Controller",
        "Advanced Micro Devices, Inc. [AMD/ATI] ES1000",
        "Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 XL Upstream Port of PCI Express Switch",
        "Advanced Micro Devices, Inc. [AMD] Starship/Matisse Root Complex",
        "ASPEED Technology, Inc. ASPEED Graphics Family",
        "Mellanox Technologies MT2894 Family [ConnectX-6 Lx Virtual Function]"}) {
    EXPECT_EQ(pci_name(name).kind, PciKind::other) << name;
  }
}

}  // namespace
}  // namespace paceline
