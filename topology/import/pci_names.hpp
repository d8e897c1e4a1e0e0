// SPDX-License-Identifier: MIT
/// \file
/// The kind of a PCI device by its name in the database of PCI ids (pci-ids.ucw.cz), for sources
/// that do not say its class.
#pragma once
#include <string>

#include "topology/import/pci.hpp"

namespace paceline {

struct PciName {
  PciKind kind = PciKind::other;
  std::string model;   ///< of a GPU: "A100 SXM4 40GB", or the whole name
  std::string id;      ///< "10de:20b0", or "" if the name has none
  std::string vendor;  ///< "10de", or ""
};

/// `name` is such as "NVIDIA Corporation GA100 [A100 SXM4 40GB] [10de:20b0]".
PciName pci_name(const std::string& name);

}  // namespace paceline
