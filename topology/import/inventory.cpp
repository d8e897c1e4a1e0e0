// SPDX-License-Identifier: MIT
#include "topology/import/inventory.hpp"

namespace paceline {

int socket_of(const Inventory& inventory, int device) {
  const PciDevice* at = &inventory.devices[static_cast<std::size_t>(device)];
  while (at->parent >= 0) at = &inventory.devices[static_cast<std::size_t>(at->parent)];
  return at->socket;
}

}  // namespace paceline
