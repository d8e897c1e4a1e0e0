// SPDX-License-Identifier: MIT
#include "topology/import/port_rates.hpp"

#include <algorithm>

#include "experiments/language/counted.hpp"
#include "topology/import/pci.hpp"

namespace paceline {

void forget_slow_ports(Inventory& inventory) {
  std::vector<int> fastest(inventory.devices.size(), 0);  // generation at or below each device
  std::size_t forgotten = 0;
  for (std::size_t id = inventory.devices.size(); id-- > 0;) {  // children follow their parents
    PciDevice& device = inventory.devices[id];
    const int own = is_credible(device.rate) ? pcie_generation(device.rate.gt_per_s) : 0;
    constexpr int kSlow = 2;
    if (own > 0 && own <= kSlow && fastest[id] >= own + 2) {
      device.rate = {};
      ++forgotten;
    }
    fastest[id] = std::max(fastest[id], own);
    if (device.parent < 0) continue;
    int& above = fastest[static_cast<std::size_t>(device.parent)];
    above = std::max(above, fastest[id]);
  }
  if (forgotten == 0) return;
  inventory.notes.push_back("speed of " + counted(static_cast<int>(forgotten), "PCIe port") +
                            ": 5 GT/s in the source, not believed, as links below are faster");
}

}  // namespace paceline
