// SPDX-License-Identifier: MIT
#include "topology/discover/discover.hpp"

#include <algorithm>

#include "topology/discover/hwloc.hpp"
#include "topology/discover/nvml.hpp"
#include "topology/discover/sysfs.hpp"
#include "topology/import/hwloc_xml.hpp"

namespace paceline {
namespace {

std::size_t ends_of(const Inventory& inventory) {
  return static_cast<std::size_t>(
      std::count_if(inventory.devices.begin(), inventory.devices.end(), [](const PciDevice& d) {
        return d.kind == PciDevice::Kind::gpu || d.kind == PciDevice::Kind::nic;
      }));
}

std::optional<Inventory> inventory_of_hwloc_here() {
  const std::optional<std::string> xml = hwloc_xml_of_this_computer();
  if (!xml) return std::nullopt;
  try {
    return inventory_of_hwloc(parse_xml("hwloc", *xml));
  } catch (const SpecError&) {  // an hwloc version with a different format
    return std::nullopt;
  }
}

}  // namespace

ImportedMachine discover_machine(const std::filesystem::path& root,
                                 const Assumptions& assumptions) {
  Inventory inventory = inventory_of_sysfs(root);
  const bool here = root == "/";  // a test's tree has no libraries
  std::string tree = "sockets and PCIe tree: /sys";
  if (here) {
    std::optional<Inventory> seen = inventory_of_hwloc_here();
    if (!seen) {
      tree += " (hwloc is not installed)";
    } else if (ends_of(*seen) < ends_of(inventory)) {
      tree += " (hwloc shows fewer devices)";
    } else {
      inventory = std::move(*seen);
      raise_rates(inventory, root);
      tree = "sockets and PCIe tree: hwloc; speeds of PCIe links: /sys";
    }
  }
  inventory.origin = "this computer";
  inventory.notes.insert(inventory.notes.begin(), tree);
  const std::optional<std::vector<NvmlGpu>> gpus = here ? nvml_gpus() : std::nullopt;
  if (gpus) {
    apply_nvml(inventory, *gpus);
    inventory.notes.emplace_back("GPUs' names, NVLinks and peer access: NVML");
  } else {
    inventory.notes.emplace_back("NVML not found: GPUs' names by their PCI ids, no NVLinks");
  }
  const std::string product = product_name(root);
  ImportedMachine machine = assemble(std::move(inventory), assumptions);
  if (!product.empty()) machine.spec.title += " (" + product.substr(0, 64) + ")";
  return machine;
}

}  // namespace paceline
