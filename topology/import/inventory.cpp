// SPDX-License-Identifier: MIT
#include "topology/import/inventory.hpp"

namespace paceline {

double share_of_socket(int nodes) {
  constexpr double kSockets = 2;
  return nodes > kSockets ? kSockets / nodes : 1;
}

std::string socket_link_of(std::string_view maker, int model) {
  constexpr int kFirstWithUpi = 85;  // Skylake; earlier models have QPI
  if (maker == "AuthenticAMD") return "infinity-fabric";
  if (maker == "GenuineIntel") return model >= 0 && model < kFirstWithUpi ? "qpi" : "upi";
  return "";
}

void check_size(const Inventory& inventory) {
  constexpr std::size_t kMostDevices = 2048;
  constexpr int kMostSockets = 64;
  if (inventory.devices.size() > kMostDevices) {
    throw SpecError("paceline: error: " + inventory.origin + " has " +
                    std::to_string(inventory.devices.size()) + " devices (at most " +
                    std::to_string(kMostDevices) + ")");
  }
  if (inventory.sockets > kMostSockets) {
    throw SpecError("paceline: error: " + inventory.origin + " has " +
                    std::to_string(inventory.sockets) + " sockets (at most " +
                    std::to_string(kMostSockets) + ")");
  }
}

int socket_of(const Inventory& inventory, int device) {
  const PciDevice* at = &inventory.devices[static_cast<std::size_t>(device)];
  while (at->parent >= 0) at = &inventory.devices[static_cast<std::size_t>(at->parent)];
  return at->socket;
}

}  // namespace paceline
