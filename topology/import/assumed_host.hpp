// SPDX-License-Identifier: MIT
/// \file
/// Assumes the host of a machine, since sources do not describe its memory and software.
#pragma once
#include <span>

#include "experiments/language/presets.hpp"
#include "topology/import/inventory.hpp"

namespace paceline {

struct AssumedHost {
  HostSpec host;
  CopiesSpec copies;
  static void describe(Description<AssumedHost>& d);
};

/// The host presets, by PCIe generation: hosts and the costs of copies.
std::span<const EmbeddedFile> embedded_hosts();

/// The preset host of this PCIe generation, or of the nearest one that hosts/ has.
AssumedHost assumed_host(int pcie_generation);

/// The preset host of this PCIe generation (hosts/), with the sockets and cores of the source. If
/// NUMA nodes stand for sockets, each gets a share of a socket's figures.
AssumedHost host_of(const Inventory& inventory, int pcie_generation);

}  // namespace paceline
