// SPDX-License-Identifier: MIT
#include "topology/import/switched_bonds.hpp"

#include <algorithm>
#include <set>

namespace paceline {
namespace {

bool between_gpus(const Bond& bond) {
  return bond.to >= 0;
}

/// The GPUs connected to `gpu` by bonds, directly or indirectly, including `gpu`.
std::set<int> group_of(const Inventory& inventory, int gpu) {
  std::set<int> group{gpu};
  std::size_t before = 0;
  while (before != group.size()) {
    before = group.size();
    for (const Bond& bond : inventory.bonds) {
      if (!between_gpus(bond) || (!group.contains(bond.from) && !group.contains(bond.to))) continue;
      group.insert({bond.from, bond.to});
    }
  }
  return group;
}

}  // namespace

std::map<int, int> bonds_by_gpu(const Inventory& inventory) {
  std::map<int, int> sums;
  for (const Bond& bond : inventory.bonds) {
    sums[bond.from] += bond.count;
    if (between_gpus(bond)) sums[bond.to] += bond.count;
  }
  return sums;
}

void switch_alike_bonds(Inventory& inventory, const std::map<int, int>& nvlinks) {
  const std::map<int, int> sums = bonds_by_gpu(inventory);
  int fabric = 0;  // the next free fabric
  for (const Bond& bond : inventory.bonds) {
    if (bond.to == Bond::kSwitch) fabric = std::max(fabric, bond.fabric + 1);
  }
  std::set<int> seen;
  for (const auto& [gpu, sum] : sums) {
    if (seen.contains(gpu)) continue;
    const std::set<int> group = group_of(inventory, gpu);
    seen.insert(group.begin(), group.end());
    const auto in_group = [&](const Bond& bond) {
      return between_gpus(bond) && group.contains(bond.from);
    };
    const auto first = std::find_if(inventory.bonds.begin(), inventory.bonds.end(), in_group);
    if (first == inventory.bonds.end()) continue;
    const int links = first->count;
    const bool alike =
        std::all_of(inventory.bonds.begin(), inventory.bonds.end(),
                    [&](const Bond& bond) { return !in_group(bond) || bond.count == links; });
    const int others = static_cast<int>(group.size()) - 1;
    const bool fits = std::all_of(group.begin(), group.end(), [&](int one) {
      const int most = nvlinks.at(one);
      return sums.at(one) == others * links && links <= most && most < others * links;
    });
    if (!alike || !fits) continue;
    std::erase_if(inventory.bonds, in_group);
    for (const int one : group) inventory.bonds.push_back({one, Bond::kSwitch, links, fabric});
    ++fabric;
  }
}

}  // namespace paceline
