// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>

#include "topology/discover/nvml.hpp"

namespace paceline {
namespace {

constexpr std::array<double, 7> kSpeeds{0, 2.5, 5, 8, 16, 32, 64};  // GT/s by PCIe generation

/// Removes the devices marked in `removed`, which must be leaves, and renumbers the others.
void remove(Inventory& inventory, const std::vector<bool>& removed) {
  std::vector<int> now(inventory.devices.size(), -1);
  std::vector<PciDevice> left;
  for (std::size_t i = 0; i < inventory.devices.size(); ++i) {
    if (removed[i]) continue;
    now[i] = static_cast<int>(left.size());
    left.push_back(std::move(inventory.devices[i]));
    if (left.back().parent >= 0)
      left.back().parent = now[static_cast<std::size_t>(left.back().parent)];
  }
  inventory.devices = std::move(left);
}

void remove_hidden(Inventory& inventory, const std::map<std::string, std::size_t>& listed) {
  std::vector<bool> removed;
  std::size_t count = 0;
  for (const PciDevice& device : inventory.devices) {
    const bool nvidia = device.pci_id.empty() || device.pci_id.starts_with("10de");
    removed.push_back(device.kind == PciDevice::Kind::gpu && nvidia &&
                      !listed.contains(device.address));
    count += removed.back() ? 1 : 0;
  }
  if (count == 0) return;
  remove(inventory, removed);
  inventory.notes.push_back(
      std::to_string(count) +
      " GPUs on the PCI bus are left out: NVML does not list them for this process");
}

void read_peers(Inventory& inventory, const std::vector<NvmlGpu>& gpus,
                const std::vector<int>& device) {
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (const int b : gpus[a].peers) {
      if (b <= static_cast<int>(a)) continue;
      const std::vector<int>& back = gpus[static_cast<std::size_t>(b)].peers;
      if (std::count(back.begin(), back.end(), static_cast<int>(a)) == 0) continue;
      inventory.peer_pairs.emplace_back(device[a], device[static_cast<std::size_t>(b)]);
      ++pairs;
    }
  }
  const std::size_t all = gpus.size() * (gpus.size() - 1) / 2;
  if (gpus.size() < 2) return;
  inventory.peer_access = pairs == all ? PeerAccess::all
                          : pairs == 0 ? PeerAccess::none
                                       : PeerAccess::nvlink;
  if (pairs == all) inventory.peer_pairs.clear();
}

}  // namespace

void apply_nvml(Inventory& inventory, const std::vector<NvmlGpu>& gpus) {
  std::map<std::string, std::size_t> listed;
  for (std::size_t i = 0; i < gpus.size(); ++i) listed[gpus[i].address] = i;
  inventory.bonds.clear();  // any bonds known so far also come from NVML
  remove_hidden(inventory, listed);
  std::vector<int> device(gpus.size(), -1);
  for (std::size_t i = 0; i < inventory.devices.size(); ++i) {
    const auto found = listed.find(inventory.devices[i].address);
    if (found != listed.end() && inventory.devices[i].kind == PciDevice::Kind::gpu) {
      device[found->second] = static_cast<int>(i);
    }
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (device[i] < 0) {
      device[i] = static_cast<int>(inventory.devices.size());
      PciDevice hidden;
      hidden.address = gpus[i].address;
      inventory.devices.push_back(std::move(hidden));
      inventory.notes.push_back("GPU " + std::to_string(i) +
                                " is not on the PCI bus that this process "
                                "sees: assumed at cpu0");
    }
    PciDevice& gpu = inventory.devices[static_cast<std::size_t>(device[i])];
    gpu.order = static_cast<int>(i);
    gpu.driver_name = gpus[i].name;
    const auto generation = static_cast<std::size_t>(std::max(gpus[i].pcie_generation, 0));
    if (generation > 0 && generation < kSpeeds.size() && gpus[i].pcie_lanes > 0) {
      gpu.rate = {kSpeeds[generation], gpus[i].pcie_lanes};
    }
  }
  std::map<std::pair<int, int>, int> direct;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::map<NvmlGpu::Link::To, int> others;
    for (const NvmlGpu::Link& link : gpus[i].links) {
      const auto found = listed.find(link.address);
      if (link.to != NvmlGpu::Link::To::gpu) {
        ++others[link.to];
      } else if (found != listed.end() && found->second > i) {
        ++direct[{device[i], device[found->second]}];
      }
    }
    for (const auto& [to, count] : others) {
      const int end = to == NvmlGpu::Link::To::socket ? Bond::kSocket : Bond::kSwitch;
      inventory.bonds.push_back({device[i], end, count});
    }
  }
  for (const auto& [pair, count] : direct) {
    inventory.bonds.push_back({pair.first, pair.second, count});
  }
  read_peers(inventory, gpus, device);
}

}  // namespace paceline
