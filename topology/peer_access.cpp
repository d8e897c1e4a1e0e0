// SPDX-License-Identifier: MIT
#include "topology/peer_access.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<PeerAccess>> enum_names(const PeerAccess*) {
  static constexpr std::array<EnumName<PeerAccess>, 5> kNames{
      {{"all", PeerAccess::all},
       {"same-socket", PeerAccess::same_socket},
       {"same-switch", PeerAccess::same_switch},
       {"nvlink", PeerAccess::nvlink},
       {"none", PeerAccess::none}}};
  return kNames;
}

}  // namespace paceline
