// SPDX-License-Identifier: MIT
/// \file
/// The bandwidth of a card's PCIe link, as the operating system reports it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "experiments/language/units.hpp"

namespace paceline {

struct PcieLink {
  std::string name;          ///< "PCIe 5.0 x16"
  BytesPerSecond bandwidth;  ///< per direction, after the line code
};

/// The link of the device at the PCI address `bus` ("0000:0f:00.0", in any case), at its maximum
/// speed and width; none if the system reports nothing or values that no PCIe generation has (as in
/// virtual machines). `devices` is the system's folder of PCI devices.
std::optional<PcieLink> pcie_link(const std::string& bus,
                                  const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace paceline
