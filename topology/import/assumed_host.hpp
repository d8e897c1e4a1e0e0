// SPDX-License-Identifier: MIT
/// \file
/// The host of a machine, of whose memory and software a source says nothing.
#pragma once
#include "topology/import/inventory.hpp"

namespace paceline {

struct AssumedHost {
  HostSpec host;
  CopiesSpec copies;
  static void describe(Description<AssumedHost>& d);
};

/// A host of the age of PCIe of that generation (hosts/), with the sockets and cores that the
/// source names. NUMA nodes that stand for sockets have their share of a socket's figures.
AssumedHost host_of(const Inventory& inventory, int pcie_generation);

}  // namespace paceline
