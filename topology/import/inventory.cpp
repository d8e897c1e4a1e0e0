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

int socket_of(const Inventory& inventory, int device) {
  const PciDevice* at = &inventory.devices[static_cast<std::size_t>(device)];
  while (at->parent >= 0) at = &inventory.devices[static_cast<std::size_t>(at->parent)];
  return at->socket;
}

}  // namespace paceline
