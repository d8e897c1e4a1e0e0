// SPDX-License-Identifier: MIT
#include "topology/discover/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/import/assemble.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

using Link = NvmlGpu::Link;

Inventory three_gpus_on_pci() {
  Inventory inventory;
  for (const char* address : {"0000:03:00.0", "0000:04:00.0", "0000:05:00.0"}) {
    PciDevice gpu;
    gpu.address = address;
    gpu.pci_id = "10de:2330";
    gpu.rate = {2.5, 16};
    inventory.devices.push_back(gpu);
  }
  inventory.origin = "this computer";
  return inventory;
}

NvmlGpu h100(const std::string& address, std::vector<Link> links, std::vector<int> peers) {
  return {address, "NVIDIA H100 80GB HBM3", 5, 16, std::move(links), std::move(peers)};
}

Machine machine_of(const Inventory& inventory) {
  Diagnostics diagnostics;
  Machine machine = build_machine(assemble(inventory, {}).spec, "found", diagnostics);
  diagnostics.throw_if_any();
  return machine;
}

TEST(Nvml, lists_gpus_in_its_own_order_and_hides_those_of_others) {
  Inventory inventory = three_gpus_on_pci();
  apply_nvml(inventory, {h100("0000:05:00.0", {}, {}), h100("0000:03:00.0", {}, {})});
  ASSERT_EQ(inventory.devices.size(), 2U);
  EXPECT_EQ(inventory.devices[0].address, "0000:03:00.0");
  EXPECT_EQ(inventory.devices[0].order, 1);
  EXPECT_EQ(inventory.devices[1].order, 0);
  EXPECT_EQ(inventory.devices[1].rate.gt_per_s, 32);
  EXPECT_THAT(inventory.notes, testing::Contains(testing::StartsWith("1 GPUs on the PCI bus")));
  EXPECT_EQ(inventory.peer_access, PeerAccess::none);
  EXPECT_EQ(machine_of(inventory).gpu(0).name, "H100 SXM5 80 GB");
}

TEST(Nvml, counts_links_between_gpus_once_and_those_to_switches_each) {
  Inventory inventory = three_gpus_on_pci();
  const Link to_switch{Link::To::nvswitch, ""};
  const Link to_0{Link::To::gpu, "0000:03:00.0"};
  const Link to_1{Link::To::gpu, "0000:04:00.0"};
  const Link to_stranger{Link::To::gpu, "0000:99:00.0"};
  apply_nvml(inventory, {h100("0000:03:00.0", {to_1, to_1, to_stranger}, {1, 2}),
                         h100("0000:04:00.0", {to_0, to_0, to_switch}, {0, 2}),
                         h100("0000:05:00.0", {to_switch, to_switch}, {0, 1})});
  const TopoMatrix matrix = matrix_of(machine_of(inventory));
  EXPECT_EQ(to_string(*matrix.rows[0].cells[1]), "NV2");
  EXPECT_EQ(to_string(*matrix.rows[1].cells[2]), "NV1");  // the smaller count of the two ends
  EXPECT_EQ(to_string(*matrix.rows[0].cells[2]), "PHB");
  EXPECT_EQ(inventory.peer_access, PeerAccess::all);
}

TEST(Nvml, pairs_with_peer_access_are_named_where_not_all_have_it) {
  Inventory inventory = three_gpus_on_pci();
  apply_nvml(inventory, {h100("0000:03:00.0", {}, {1}), h100("0000:04:00.0", {}, {0, 2}),
                         h100("0000:05:00.0", {}, {})});  // access needs both directions
  const Machine machine = machine_of(inventory);
  EXPECT_TRUE(machine.peer_access(0, 1));
  EXPECT_FALSE(machine.peer_access(1, 2));
  EXPECT_FALSE(machine.peer_access(0, 2));
}

TEST(Nvml, gpu_that_the_bus_does_not_show_is_added) {
  Inventory inventory;
  apply_nvml(inventory, {h100("0000:03:00.0", {}, {})});
  EXPECT_EQ(machine_of(inventory).gpu_count(), 1);
}

TEST(Nvml, no_gpu_at_all_is_no_error) {
  Inventory inventory;
  apply_nvml(inventory, {});
  EXPECT_EQ(machine_of(inventory).gpu_count(), 0);
}

TEST(Nvml, library_is_called_as_it_requires) {
  const auto gpus = nvml_gpus(PACELINE_FAKE_NVML);
  ASSERT_TRUE(gpus.has_value());
  ASSERT_EQ(gpus->size(), 2U);
  const NvmlGpu& first = gpus->front();
  EXPECT_EQ(first.address, "0000:03:00.0");
  EXPECT_EQ(first.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(first.pcie_generation, 5);
  EXPECT_EQ(first.pcie_lanes, 16);
  ASSERT_EQ(first.links.size(), 3U);  // the others of the 18 are down or missing
  EXPECT_EQ(first.links[0].to, Link::To::gpu);
  EXPECT_EQ(first.links[0].address, "0000:04:00.0");
  EXPECT_EQ(first.links[1].to, Link::To::nvswitch);
  EXPECT_EQ(first.links[2].to, Link::To::nvswitch);  // the driver hides the remote end
  EXPECT_THAT(first.peers, testing::ElementsAre(1));
  EXPECT_THAT((*gpus)[1].peers, testing::IsEmpty());  // only reads
}

TEST(Nvml, missing_library_is_no_error) {
  EXPECT_FALSE(nvml_gpus("/nowhere/libnvidia-ml.so.1").has_value());
}

TEST(Nvml, addresses_are_written_as_the_system_does) {
  EXPECT_EQ(pci_address("00000000:0A:00.0"), "0000:0a:00.0");
  EXPECT_EQ(pci_address("0001C2D3:07:00.0"), "0001c2d3:07:00.0");
  EXPECT_EQ(pci_address("0000:07:00.0"), "0000:07:00.0");
  EXPECT_EQ(pci_address(""), "");
}

}  // namespace
}  // namespace paceline
